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

/**
 * An entry of the checkpoint is there but cannot be what was published. A crash leaves no entry or
 * a whole one, so this is damage to the disk, or somebody's hand.
 */
public final class DamagedEntryException extends RefusedException {

  private static final long serialVersionUID = 1L;

  private final String entry;
  private final String reason;

  DamagedEntryException(String message, String entry, String reason, Throwable cause) {
    super(message, cause);
    this.entry = entry;
    this.reason = reason;
  }

  /** Returns the path of the entry. */
  public String entry() {
    return entry;
  }

  /** Returns what is wrong with it. */
  public String reason() {
    return reason;
  }
}
