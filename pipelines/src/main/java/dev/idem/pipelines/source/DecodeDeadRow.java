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

import dev.idem.pipelines.decode.Decoded;
import dev.idem.pipelines.decode.Decoded.Reason;
import dev.idem.pipelines.decode.JsonRowDecoder;
import dev.idem.pipelines.event.Event;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.time.Instant;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TimestampedValue;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Reads a dead letter as the row of a table that it was: the JSON that it holds, under the schema
 * that the table has now. Its place within its version is not kept; a hash of the JSON stands for
 * it, so that copies of a key are in one order at every attempt.
 */
final class DecodeDeadRow extends DoFn<Row, Event> {

  private final JsonRowDecoder decoder;
  private final @Nullable EventTime eventTime;

  /**
   * Makes a decoder.
   *
   * @param schema the schema of the events' rows
   * @throws IllegalArgumentException if JSON cannot hold it
   */
  DecodeDeadRow(Schema schema, @Nullable String eventTimeColumn) {
    this.decoder = JsonRowDecoder.of(schema);
    this.eventTime = EventTime.of(schema, eventTimeColumn);
  }

  @ProcessElement
  public void decode(@Element Row deadLetter, OutputReceiver<Event> events) {
    byte[] json = deadLetter.getBytes("value");
    Event.Origin origin =
        new Event.Origin(
            deadLetter.getString("topic"),
            deadLetter.getInt32("partition"),
            deadLetter.getInt64("offset"),
            json == null ? 0 : Fingerprint.of(json).high(),
            deadLetter.getLogicalTypeValue("timestamp", Instant.class).toEpochMilli(),
            null,
            json);
    TimestampedValue<Event> event =
        json == null
            ? refused(
                origin,
                new Decoded.Refused(Reason.NULL_VALUE, null, "A dead letter must have a value."))
            : event(origin, decoder.decode(json));
    events.outputWithTimestamp(event.getValue(), event.getTimestamp());
  }

  private TimestampedValue<Event> event(Event.Origin origin, Decoded decoded) {
    return decoded instanceof Decoded.Refused refusal
        ? refused(origin, refusal)
        : DecodeChange.event(origin, ((Decoded.AsRow) decoded).row(), eventTime);
  }

  private static TimestampedValue<Event> refused(Event.Origin origin, Decoded.Refused refusal) {
    return TimestampedValue.of(
        Event.refused(origin, refusal), org.joda.time.Instant.ofEpochMilli(origin.timestamp()));
  }
}
