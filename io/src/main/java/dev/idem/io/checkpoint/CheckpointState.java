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

import java.util.Optional;
import java.util.OptionalLong;

/**
 * How far a checkpoint has come, as {@link Agreement} needs it.
 *
 * @param applicationId names the job to its targets
 * @param epoch the random id of this life of the checkpoint
 * @param lastPlanned the highest batch with an {@code offsets/N}
 * @param lastCommitted the highest batch with a {@code commits/N}
 * @param pending the plan of the last planned batch if that is not committed
 * @param committedFingerprint the fingerprint of the plan of the last committed batch
 * @param restartedAfter the last batch of an earlier life, if this one was begun anew after it and
 *     has no batch yet
 */
public record CheckpointState(
    String applicationId,
    String epoch,
    OptionalLong lastPlanned,
    OptionalLong lastCommitted,
    Optional<Plan> pending,
    Optional<String> committedFingerprint,
    OptionalLong restartedAfter) {

  /** The state of a checkpoint that was not begun anew. */
  public CheckpointState(
      String applicationId,
      String epoch,
      OptionalLong lastPlanned,
      OptionalLong lastCommitted,
      Optional<Plan> pending,
      Optional<String> committedFingerprint) {
    this(
        applicationId,
        epoch,
        lastPlanned,
        lastCommitted,
        pending,
        committedFingerprint,
        OptionalLong.empty());
  }

  /** Returns the last batch of the earlier life that a start entry names. */
  static OptionalLong restartedAfter(Optional<Plan> start) {
    return start.isPresent() && start.get().batch() >= 0
        ? OptionalLong.of(start.get().batch())
        : OptionalLong.empty();
  }

  /** Returns true if this life was begun anew and its first batch, which does that, is not done. */
  public boolean isBegunAnew() {
    return restartedAfter.isPresent()
        || (lastCommitted.isEmpty() && pending.map(Plan::restarts).orElse(false));
  }

  /** Returns true if no batch was planned in this life. */
  public boolean isNew() {
    return lastPlanned.isEmpty();
  }
}
