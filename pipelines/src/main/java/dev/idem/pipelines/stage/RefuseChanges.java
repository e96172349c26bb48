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
package dev.idem.pipelines.stage;

import dev.idem.pipelines.decode.Decoded.Reason;
import dev.idem.pipelines.event.Event;
import dev.idem.transforms.changes.InvalidChange;
import dev.idem.transforms.changes.TableMerge;
import java.util.List;
import java.util.Optional;
import org.apache.beam.sdk.transforms.DoFn;

/** Makes dead letters of rows that are no changes. */
public final class RefuseChanges extends DoFn<Event, Event> {

  private final List<TableMerge> merges;

  /** Makes dead letters of what one of these merges refuses. */
  public RefuseChanges(List<TableMerge> merges) {
    this.merges = List.copyOf(merges);
  }

  @ProcessElement
  public void process(@Element Event event, OutputReceiver<Event> output) {
    Event checked = event;
    for (TableMerge merge : merges) {
      Optional<InvalidChange> invalid =
          checked.isRow() ? merge.invalid(checked.row()) : Optional.empty();
      if (invalid.isPresent()) {
        checked = refuse(checked, invalid.get());
      }
    }
    output.output(checked);
  }

  private static Event refuse(Event event, InvalidChange invalid) {
    return switch (invalid.reason()) {
      case NULL_KEY ->
          event.asDeadLetter(
              Reason.NULL_KEY, invalid.column(), "Every key column must have a value.");
      case NULL_SEQUENCE ->
          event.asDeadLetter(
              Reason.MISSING_FIELD, invalid.column(), "Every sequence column must have a value.");
      case UNKNOWN_COLUMN ->
          event.asDeadLetter(
              Reason.REJECTED,
              invalid.column(),
              "A column that a change carries must be one of the table.");
    };
  }
}
