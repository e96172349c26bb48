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

import dev.idem.pipelines.decode.Decoded;
import dev.idem.pipelines.decode.RowJson;
import dev.idem.pipelines.event.Event;
import dev.idem.transforms.external.DeadLetter;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Instant;

/**
 * A row on its way to a target that workers write, with the record it was read from, which a dead
 * letter has to show.
 */
public final class RowWithOrigin {

  /** The field that holds the row. */
  public static final int ROW = 0;

  private RowWithOrigin() {}

  /** Returns the schema of such rows. */
  public static Schema schema(Schema row) {
    return Schema.builder()
        .addRowField("row", row)
        .addNullableField("topic", FieldType.STRING)
        .addNullableField("partition", FieldType.INT32)
        .addNullableField("offset", FieldType.INT64)
        .addNullableField("within", FieldType.INT64)
        .addField("timestamp", FieldType.logicalType(new MicrosInstant()))
        .addNullableField("key", FieldType.BYTES)
        .addNullableField("value", FieldType.BYTES)
        .build();
  }

  static Row of(Schema schema, Event event, Instant eventTime) {
    Event.Origin origin = event.origin();
    return Row.withSchema(schema)
        .attachValues(
            event.row(),
            origin == null ? null : origin.topic(),
            origin == null ? null : origin.partition(),
            origin == null ? null : origin.offset(),
            origin == null ? null : origin.within(),
            origin == null ? java.time.Instant.ofEpochMilli(eventTime.getMillis()) : origin.time(),
            origin == null ? null : origin.key(),
            origin == null ? null : origin.value());
  }

  /**
   * Where the source has a row.
   *
   * @param within its number among the rows of the offset
   */
  public record Place(String topic, int partition, long offset, long within) {}

  /** Returns where the source has the row, null if it was not read from a record. */
  public static @Nullable Place place(Row carrier) {
    String topic = carrier.getString("topic");
    return topic == null
        ? null
        : new Place(
            topic,
            carrier.getInt32("partition"),
            carrier.getInt64("offset"),
            carrier.getInt64("within"));
  }

  /** Returns the dead letter of a row that a target refused. */
  static Row deadLetter(DeadLetter<Row> letter, String target, long batch, String applicationId) {
    Row carrier = letter.record();
    byte[] value = carrier.getBytes("value");
    return Row.withSchema(DeadLetters.SCHEMA)
        .attachValues(
            Decoded.Reason.REJECTED.label(),
            null,
            target + ": " + letter.errorClass() + ": " + letter.message(),
            carrier.getBytes("key"),
            value == null ? RowJson.bytes(carrier.getRow(ROW)) : value,
            carrier.getString("topic"),
            carrier.getInt32("partition"),
            carrier.getInt64("offset"),
            carrier.getLogicalTypeValue("timestamp", java.time.Instant.class),
            batch,
            applicationId);
  }
}
