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

/**
 * A target's answer to the question which batches it holds.
 *
 * @param target the display name, for example a table's path
 * @param sink the sink's id, {@code application/sink}
 * @param exists whether the target exists
 * @param last its record of the last batch whose rows it still holds, empty if none
 * @param change what was done to it behind that record so that rows may be gone, for example a
 *     restore to an older version; empty if nothing
 */
public record TargetState(
    String target,
    String sink,
    boolean exists,
    Optional<TargetRecord> last,
    Optional<String> change) {

  /** An answer without a change behind the record. */
  public TargetState(String target, String sink, boolean exists, Optional<TargetRecord> last) {
    this(target, sink, exists, last, Optional.empty());
  }

  /** Returns the last batch that the target holds, or -1 if none. */
  long number() {
    return last.map(TargetRecord::batch).orElse(-1L);
  }
}
