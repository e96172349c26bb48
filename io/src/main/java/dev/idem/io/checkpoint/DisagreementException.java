/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */
package dev.idem.io.checkpoint;

import java.util.OptionalLong;

/** A target and the checkpoint do not agree on the batches done; nothing was planned or written. */
public final class DisagreementException extends RefusedException {

  private static final long serialVersionUID = 1L;

  /** Why the two disagree. */
  public enum Reason {
    /** The checkpoint is empty, or of another life, and the target holds batches of this sink. */
    CHECKPOINT_LOST,
    /** The target holds batches that this checkpoint, of the same life, knows nothing of. */
    CHECKPOINT_STALE,
    /** The target does not exist. */
    TARGET_MISSING,
    /** The target exists and keeps no record of this sink. */
    TARGET_WITHOUT_RECORD,
    /** The target holds fewer batches than the checkpoint has committed. */
    TARGET_BEHIND,
    /** The target was changed behind its last record, for example restored to an older version. */
    TARGET_CHANGED,
    /** The target's record belongs to another application or sink. */
    TARGET_SWAPPED,
    /** The target holds the batch under another plan than the checkpoint. */
    OTHER_PLAN,
    /** Two targets hold the same batch under different plans. */
    TARGETS_DISAGREE,
    /** Options that decide content were changed although a target has the pending batch. */
    OPTIONS_CHANGED,
    /** The checkpoint is empty and the target holds batches of other applications, same source. */
    OTHER_APPLICATION,
    /** The application id given wrote the target through a sink of another name. */
    OTHER_SINK
  }

  private final Reason reason;
  private final String target;
  private final long theirs;
  private final long ours;

  DisagreementException(String message, Reason reason, String target, long theirs, long ours) {
    super(message);
    this.reason = reason;
    this.target = target;
    this.theirs = theirs;
    this.ours = ours;
  }

  /** Returns why the two disagree. */
  public Reason reason() {
    return reason;
  }

  /** Returns the target's display name. */
  public String target() {
    return target;
  }

  /** Returns the last batch that the target holds, empty if none. */
  public OptionalLong theirs() {
    return theirs < 0 ? OptionalLong.empty() : OptionalLong.of(theirs);
  }

  /** Returns the last batch that the checkpoint planned, empty if none. */
  public OptionalLong ours() {
    return ours < 0 ? OptionalLong.empty() : OptionalLong.of(ours);
  }
}
