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
package dev.idem.pipelines.source;

import dev.idem.io.delta.changes.ReadChanges;
import dev.idem.io.delta.changes.TableChange;
import dev.idem.pipelines.decode.Decoded;
import dev.idem.pipelines.event.Event;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TimestampedValue;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Instant;

/** Makes one event of every change of a table, at its event time. */
final class DecodeChange implements SerializableFunction<TableChange, TimestampedValue<Event>> {

  private final String tableId;
  private final Schema schema;
  private final boolean feed;
  private final @Nullable EventTime eventTime;

  /**
   * Makes a decoder.
   *
   * @param schema the schema of the events' rows
   * @param feed whether they have the columns of the change data feed
   */
  DecodeChange(String tableId, Schema schema, boolean feed, @Nullable String eventTimeColumn) {
    this.tableId = tableId;
    this.schema = schema;
    this.feed = feed;
    this.eventTime = EventTime.of(schema, eventTimeColumn);
  }

  @Override
  public TimestampedValue<Event> apply(TableChange change) {
    long committed = change.time().toEpochMilli();
    Event.Origin origin =
        new Event.Origin(tableId, 0, change.version(), change.position(), committed, null, null);
    Row row = feed ? ReadChanges.withFeedColumns(change, schema) : change.row();
    return event(origin, row, eventTime);
  }

  /**
   * Returns the event of a row, at its event time.
   *
   * @param eventTime where the row has it, null for the time of the commit
   */
  static TimestampedValue<Event> event(
      Event.Origin origin, Row row, @Nullable EventTime eventTime) {
    Event event = Event.decoded(origin, row);
    Instant committed = Instant.ofEpochMilli(origin.timestamp());
    if (eventTime == null) {
      return TimestampedValue.of(event, committed);
    }
    Object time = eventTime.read(row);
    return time instanceof Long millis
        ? TimestampedValue.of(event, Instant.ofEpochMilli(millis))
        : TimestampedValue.of(event.asDeadLetter((Decoded.Refused) time), committed);
  }
}
