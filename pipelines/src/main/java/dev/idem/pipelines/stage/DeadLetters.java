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

import dev.idem.pipelines.batch.Batch;
import dev.idem.pipelines.decode.Decoded;
import dev.idem.pipelines.event.Event;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.values.Row;
import org.joda.time.Instant;

/** The dead-letter table: every record that did not become a row, as it was, and why. */
public final class DeadLetters {

  public static final Schema SCHEMA =
      Schema.builder()
          .addStringField("reason")
          .addNullableField("column", FieldType.STRING)
          .addNullableField("rule", FieldType.STRING)
          .addNullableField("key", FieldType.BYTES)
          .addNullableField("value", FieldType.BYTES)
          .addNullableField("topic", FieldType.STRING)
          .addNullableField("partition", FieldType.INT32)
          .addNullableField("offset", FieldType.INT64)
          .addField("timestamp", FieldType.logicalType(new MicrosInstant()))
          .addInt64Field("batch")
          .addStringField("application_id")
          .build();

  private DeadLetters() {}

  static Row row(Event event, Instant eventTime, Batch batch) {
    Decoded.Refused refusal = event.refusal();
    Event.Origin origin = event.origin();
    return Row.withSchema(SCHEMA)
        .attachValues(
            refusal.reason().label(),
            refusal.column(),
            refusal.rule(),
            origin == null ? null : origin.key(),
            origin == null ? null : origin.value(),
            origin == null ? null : origin.topic(),
            origin == null ? null : origin.partition(),
            origin == null ? null : origin.offset(),
            origin == null ? java.time.Instant.ofEpochMilli(eventTime.getMillis()) : origin.time(),
            batch.id(),
            batch.applicationId());
  }
}
