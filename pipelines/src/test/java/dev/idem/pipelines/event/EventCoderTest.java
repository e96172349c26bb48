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
package dev.idem.pipelines.event;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.debezium.SourcePosition;
import dev.idem.pipelines.decode.Decoded;
import dev.idem.transforms.dedup.KeyMemory.Remembered;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.logicaltypes.Date;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.values.Row;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;

class EventCoderTest {

  private static final Schema SCHEMA =
      Schema.builder().addStringField("id").addNullableField("n", Schema.FieldType.INT64).build();
  private static final Row ROW = Row.withSchema(SCHEMA).addValues("a", null).build();
  private static final EventCoder CODER = EventCoder.of(SCHEMA);

  private static Event there(Event event) throws CoderException {
    return CoderUtils.decodeFromByteArray(CODER, CoderUtils.encodeToByteArray(CODER, event));
  }

  private static void assertSurvives(Event event) throws CoderException {
    Event read = there(event);
    assertThat(read.row(), is(event.row()));
    assertThat(read.fate(), is(event.fate()));
    assertThat(read.refusal(), is(event.refusal()));
    assertThat(read.remembered(), is(event.remembered()));
    if (event.origin() == null) {
      assertThat(read.origin(), is(nullValue()));
      return;
    }
    assertThat(read.origin().topic(), is(event.origin().topic()));
    assertThat(read.origin().partition(), is(event.origin().partition()));
    assertThat(read.origin().offset(), is(event.origin().offset()));
    assertThat(read.origin().within(), is(event.origin().within()));
    assertThat(read.origin().timestamp(), is(event.origin().timestamp()));
    assertThat(read.origin().key(), is(event.origin().key()));
    assertThat(read.origin().value(), is(event.origin().value()));
    assertThat(read.origin().position(), is(event.origin().position()));
  }

  @Test
  void everyPartOfAnEventSurvives() throws CoderException {
    byte[] bytes = {0, -1};
    Remembered remembered =
        new Remembered(new Fingerprint(Long.MIN_VALUE, 3), -7, Instant.ofEpochMilli(-1));
    for (byte[] key : new byte[][] {null, new byte[0], bytes}) {
      for (byte[] value : new byte[][] {null, new byte[0], bytes}) {
        long within = key == null ? 0 : Long.MAX_VALUE;
        Event.Origin origin = new Event.Origin("t", 3, Long.MAX_VALUE, within, -1, key, value);
        Event event = Event.decoded(origin, ROW);
        assertSurvives(event);
        SourcePosition position =
            new SourcePosition("postgresql/p", List.of(0L, Long.MAX_VALUE), Long.MIN_VALUE);
        assertSurvives(Event.decoded(origin.change(1, position), ROW));
        assertSurvives(Event.leftOut(origin));
        assertSurvives(event.remembering(remembered));
        assertSurvives(event.remembering(remembered).asDuplicate());
        assertSurvives(event.filtered());
        for (Decoded.Reason reason : Decoded.Reason.values()) {
          assertSurvives(event.asDeadLetter(reason, null, "rule"));
          assertSurvives(event.asDeadLetter(reason, "column", "rule"));
        }
      }
    }
    assertSurvives(Event.of(ROW));
  }

  private static final Schema NESTED = Schema.builder().addInt32Field("inner").build();
  private static final Schema EVERY_TYPE =
      Schema.builder()
          .addStringField("text")
          .addInt32Field("int")
          .addInt64Field("long")
          .addDoubleField("double")
          .addBooleanField("boolean")
          .addByteArrayField("binary")
          .addDecimalField("number")
          .addDateTimeField("millis")
          .addLogicalTypeField("timestamp", new MicrosInstant())
          .addLogicalTypeField("date", new Date())
          .addLogicalTypeField("decimal", FixedPrecisionNumeric.of(10, 2))
          .addRowField("row", NESTED)
          .addArrayField("list", Schema.FieldType.STRING)
          .addMapField("map", Schema.FieldType.STRING, Schema.FieldType.INT64)
          .build();

  private static Row row(String text, int number, java.time.Instant time) {
    return Row.withSchema(EVERY_TYPE)
        .addValues(
            text,
            number,
            (long) number << 31,
            number / 3.0,
            number > 0,
            text.getBytes(StandardCharsets.UTF_8),
            new BigDecimal(number + ".123456789012345678901234567890"),
            Instant.ofEpochMilli(number),
            time,
            LocalDate.ofEpochDay(number),
            new BigDecimal("-12345678.90"),
            Row.withSchema(NESTED).addValue(number).build(),
            List.of(text, ""),
            Map.of(text, 1L))
        .build();
  }

  @Test
  void rowsOfEveryTypeSurvive() throws CoderException {
    Schema nullable =
        Schema.builder()
            .addFields(
                EVERY_TYPE.getFields().stream()
                    .map(field -> field.withNullable(true))
                    .toArray(Schema.Field[]::new))
            .build();
    for (Row row :
        List.of(
            row("", Integer.MIN_VALUE, java.time.Instant.parse("1969-12-31T23:59:59.999999Z")),
            row("\u00e4\u20ac\ud83d\ude00", 0, java.time.Instant.EPOCH),
            row(
                "long".repeat(10_000),
                Integer.MAX_VALUE,
                java.time.Instant.parse("9999-12-31T00:00:00.000001Z")),
            Row.nullRow(nullable))) {
      EventCoder coder = EventCoder.of(row.getSchema());

      Event read =
          CoderUtils.decodeFromByteArray(coder, CoderUtils.encodeToByteArray(coder, Event.of(row)));

      assertThat(read.row(), is(row));
    }
  }

  @Test
  void bytesThatEndTooEarlyAreRefused() throws CoderException {
    byte[] whole = CoderUtils.encodeToByteArray(CODER, Event.of(ROW));
    byte[] cut = Arrays.copyOf(whole, whole.length - 1);

    CoderException e =
        assertThrows(CoderException.class, () -> CoderUtils.decodeFromByteArray(CODER, cut));

    assertThat(
        e.getMessage(),
        is(
            "Event must have "
                + (whole.length - 4)
                + " bytes, but was: "
                + (whole.length - 5)
                + "."));
  }
}
