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
package dev.idem.pipelines.decode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.idem.pipelines.decode.Decoded.Reason;
import dev.idem.pipelines.decode.JsonRowDecoder.UnknownFields;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonRowDecoderTest {

  private static final Schema SCHEMA =
      Schema.builder()
          .addNullableField("text", FieldType.STRING)
          .addNullableField("int", FieldType.INT32)
          .addNullableField("long", FieldType.INT64)
          .addNullableField("double", FieldType.DOUBLE)
          .addNullableField("boolean", FieldType.BOOLEAN)
          .addNullableField("at", FieldType.logicalType(new MicrosInstant()))
          .addNullableField("day", FieldType.logicalType(SqlTypes.DATE))
          .addNullableField("price", FieldType.logicalType(FixedPrecisionNumeric.of(5, 2)))
          .addNullableField("raw", FieldType.BYTES)
          .build();

  private final JsonRowDecoder decoder = JsonRowDecoder.of(SCHEMA);

  private static Decoded decode(JsonRowDecoder decoder, String json) {
    return decoder.decode(json.replace('\'', '"').getBytes(UTF_8));
  }

  private Object value(String column, String json) {
    Decoded decoded = decode(decoder, "{'" + column + "':" + json + "}");
    assertThat(decoded.toString(), decoded instanceof Decoded.AsRow, is(true));
    return ((Decoded.AsRow) decoded).row().getValue(column);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "text | 'a' | a",
        "text | 1.50 | 1.50",
        "text | true | true",
        "text | {'b':[1,null]} | {\"b\":[1,null]}",
        "int | 2147483647 | 2147483647",
        "long | -9223372036854775808 | -9223372036854775808",
        "double | 3 | 3.0",
        "double | 1e2 | 100.0",
        "boolean | false | false",
        "at | '1969-12-31T23:59:59.999999Z' | 1969-12-31T23:59:59.999999Z",
        "at | '2026-01-01T02:00:00+02:00' | 2026-01-01T00:00:00Z",
        "at | -1 | 1969-12-31T23:59:59.999Z",
        "day | '2024-02-29' | 2024-02-29",
        "price | 1.5 | 1.50",
        "price | -999.99 | -999.99",
        "price | 1.500 | 1.50",
      })
  void valueThatFitsItsColumnIsTaken(String column, String json, String expected) {
    Object value = value(column, json);

    assertThat(value.toString(), is(expected));
  }

  @ParameterizedTest
  @CsvSource({
    "0e-100000000,0.00",
    "0e-2147483647,0.00",
    "0e2147483647,0.00",
    "1e100000000,",
    "1e2147483647,",
    "1e-100000000,",
    "1e-2147483647,"
  })
  void decimalIsNotWrittenOutToBeJudged(String json, @Nullable BigDecimal expected) {
    Decoded decoded =
        assertTimeoutPreemptively(
            Duration.ofSeconds(20), () -> decode(decoder, "{'price':" + json + "}"));

    if (expected == null) {
      assertThat(((Decoded.Refused) decoded).column(), is("price"));
    } else {
      assertThat(((Decoded.AsRow) decoded).row().getValue("price"), is(expected));
    }
  }

  @Test
  void timestampColumnOfMillisecondsTakesNoMoreThanItHolds() {
    JsonRowDecoder millis =
        JsonRowDecoder.of(Schema.builder().addField("at", FieldType.DATETIME).build());

    assertThat(
        decode(millis, "{'at':'+999999999-12-31T23:59:59Z'}"),
        is(decode(decoder, "{'at':'+999999999-12-31T23:59:59Z'}")));
  }

  @Test
  void valuesHaveTheTypesOfTheSchema() {
    assertThat(value("int", "1"), is(1));
    assertThat(value("long", "1"), is(1L));
    assertThat(value("double", "1"), is(1.0));
    assertThat(value("at", "0"), is(Instant.EPOCH));
    assertThat(value("day", "'1970-01-02'"), is(LocalDate.ofEpochDay(1)));
    assertThat(value("price", "2"), is(new BigDecimal("2.00")));
    assertThat(value("raw", "'AQI='"), is(new byte[] {1, 2}));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "int | 2147483648",
        "int | 1.0",
        "int | '1'",
        "long | 9223372036854775808",
        "long | 1.5",
        "double | '1'",
        "boolean | 1",
        "boolean | 'true'",
        "at | '2026-01-01T00:00:00'",
        "at | '2026-01-01T00:00:00.0000001Z'",
        "at | 1.5",
        "at | true",
        "at | 9223372036854775807",
        "at | '+999999-01-01T00:00:00Z'",
        "at | '+999999999-12-31T23:59:59Z'",
        "day | '+999999999-12-31'",
        "day | '2023-02-29'",
        "day | 1",
        "price | 1.005",
        "price | 1000",
        "price | '1'",
        "raw | 'not base64!'",
        "raw | 1",
      })
  void valueThatDoesNotFitItsColumnRefusesTheRecord(String column, String json) {
    Decoded decoded = decode(decoder, "{'text':'payload','" + column + "':" + json + "}");

    Decoded.Refused refused = (Decoded.Refused) decoded;
    assertThat(refused.reason(), is(Reason.PARSE_ERROR));
    assertThat(refused.column(), is(column));
    assertThat(refused.rule(), not(containsString("payload")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[1] | A record must be one JSON object.",
        "1 | A record must be one JSON object.",
        "{'int':1 | A record must be well-formed JSON.",
        "no | A record must be well-formed JSON.",
        "{'int':1} {} | Nothing may follow the JSON object.",
        "{'int':1}x | A record must be well-formed JSON.",
      })
  void bytesThatAreNoSingleObjectAreRefused(String json, String rule) {
    assertThat(decode(decoder, json), is(new Decoded.Refused(Reason.PARSE_ERROR, null, rule)));
  }

  @Test
  void emptyRecordIsRefused() {
    assertThat(decoder.decode(new byte[0]) instanceof Decoded.Refused, is(true));
  }

  @Test
  void fieldThatIsGivenTwiceIsRefused() {
    assertThat(
        decode(decoder, "{'int':1,'int':1}"),
        is(new Decoded.Refused(Reason.PARSE_ERROR, "int", "A field must be given once.")));
  }

  @Test
  void absentFieldIsNull() {
    Decoded decoded = decode(decoder, "{'int':null}");

    assertThat(
        ((Decoded.AsRow) decoded).row().getValues().stream().allMatch(v -> v == null), is(true));
  }

  @Test
  void columnThatIsNotNullableMustHaveAValue() {
    JsonRowDecoder strict = JsonRowDecoder.of(Schema.builder().addInt64Field("n").build());

    for (String json : new String[] {"{}", "{'n':null}"}) {
      Decoded.Refused refused = (Decoded.Refused) decode(strict, json);
      assertThat(refused.reason(), is(Reason.MISSING_FIELD));
      assertThat(refused.column(), is("n"));
    }
  }

  @Test
  void unknownFieldIsRefusedLeftOutOrFatal() {
    String json = "{'int':1,'more':{'a':[1,2]},'long':2}";

    assertThat(
        decode(decoder, json),
        is(
            new Decoded.Refused(
                Reason.PARSE_ERROR, "more", "A field must be one of the schema's.")));
    Decoded left = decode(decoder.withUnknownFields(UnknownFields.IGNORE), json);
    assertThat(((Decoded.AsRow) left).row().getInt64("long"), is(2L));
    UnknownFieldException failure =
        assertThrows(
            UnknownFieldException.class,
            () -> decode(decoder.withUnknownFields(UnknownFields.FAIL), json));
    assertThat(failure.field(), is("more"));
  }

  @Test
  void typeThatJsonCannotFillIsRefusedByColumn() {
    Schema schema = Schema.builder().addMapField("map", FieldType.INT32, FieldType.INT32).build();

    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> JsonRowDecoder.of(schema));

    assertThat(refused.getMessage(), containsString("Column \"map\""));
  }

  private static final Schema ADDRESS =
      Schema.builder().addStringField("city").addNullableField("zip", FieldType.INT16).build();

  private static final Schema NESTED =
      Schema.builder()
          .addNullableField("small", FieldType.BYTE)
          .addNullableField("ratio", FieldType.FLOAT)
          .addNullableField("local", FieldType.logicalType(SqlTypes.DATETIME))
          .addNullableField("tags", FieldType.array(FieldType.STRING.withNullable(true)))
          .addNullableField("scores", FieldType.map(FieldType.STRING, FieldType.INT32))
          .addNullableField("addresses", FieldType.array(FieldType.row(ADDRESS)))
          .build();

  @Test
  void nestedValuesAreRead() {
    Decoded decoded =
        decode(
            JsonRowDecoder.of(NESTED),
            "{\"small\":-128,\"ratio\":0.5,\"local\":\"1969-12-31T23:59:59.999999\","
                + "\"tags\":[\"a\",null,[1]],\"scores\":{\"x\":1,\"y\":2},"
                + "\"addresses\":[{\"zip\":7,\"city\":\"c\"},{\"city\":\"d\"}]}");

    assertThat(
        ((Decoded.AsRow) decoded).row(),
        is(
            Row.withSchema(NESTED)
                .addValues(
                    (byte) -128,
                    0.5f,
                    LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_000),
                    Arrays.asList("a", null, "[1]"),
                    Map.of("x", 1, "y", 2),
                    List.of(
                        Row.withSchema(ADDRESS).addValues("c", (short) 7).build(),
                        Row.withSchema(ADDRESS).addValues("d", null).build()))
                .build()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"small":128}                             | small            | PARSE_ERROR
          {"local":"2026-01-01T00:00:00Z"}          | local            | PARSE_ERROR
          {"local":"2026-01-01T00:00:00.0000001"}   | local            | PARSE_ERROR
          {"tags":"a"}                              | tags             | PARSE_ERROR
          {"scores":{"x":1,"y":{"z":[1]}},"small":1}| scores.y         | PARSE_ERROR
          {"scores":{"x":null}}                     | scores.x         | PARSE_ERROR
          {"scores":{"x":1,"x":2}}                  | scores.x         | PARSE_ERROR
          {"addresses":[{"city":"c"},{"zip":1}]}    | addresses.1.city | MISSING_FIELD
          {"addresses":[{"city":"c","more":[{}]}]}  | addresses.0.more | PARSE_ERROR
          {"addresses":[[{}],null]}                 | addresses.0      | PARSE_ERROR
          {"addresses":[{"city":"c"},null]}         | addresses.1      | PARSE_ERROR
          """)
  void whatDoesNotFitInsideIsRefusedByItsPath(String json, String path, Reason reason) {
    Decoded.Refused refused = (Decoded.Refused) decode(JsonRowDecoder.of(NESTED), json);

    assertThat(refused.column(), is(path));
    assertThat(refused.reason(), is(reason));
  }
}
