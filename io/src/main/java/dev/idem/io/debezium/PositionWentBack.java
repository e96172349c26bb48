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
package dev.idem.io.debezium;

import java.time.Instant;

/**
 * A source's position went back: an event that happened later is at an earlier position than one
 * that came before it.
 *
 * @param partition the partition that both came from, as the caller names it
 * @param earlier the event that came first
 * @param earlierOffset its offset
 * @param later the event that came after it
 * @param laterOffset its offset
 */
public record PositionWentBack(
    String partition,
    SourcePosition earlier,
    long earlierOffset,
    SourcePosition later,
    long laterOffset) {

  /** Returns what happened, what it means and what to do. */
  public String message() {
    return "Position in the log of source \"%s\" must not go back, but was: %s at offset %d of \"%s\" (%s), after %s at offset %d (%s). The database was failed over or restored: changes that it lost have been applied, and new ones would count as older than they are. Empty the table and begin anew with a new snapshot."
        .formatted(
            later.source(),
            later.numbers(),
            laterOffset,
            partition,
            Instant.ofEpochMilli(later.timestamp()),
            earlier.numbers(),
            earlierOffset,
            Instant.ofEpochMilli(earlier.timestamp()));
  }
}
