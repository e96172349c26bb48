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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.schema.DeltaSchemas;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;

class RowJsonTest {

  private static final Schema SCHEMA =
      DeltaSchemas.parse(
          """
          {"type":"struct","fields":[
            {"name":"b","type":"byte","nullable":true,"metadata":{}},
            {"name":"l","type":"long","nullable":true,"metadata":{}},
            {"name":"f","type":"float","nullable":true,"metadata":{}},
            {"name":"d","type":"double","nullable":true,"metadata":{}},
            {"name":"dec","type":"decimal(38,9)","nullable":true,"metadata":{}},
            {"name":"s","type":"string","nullable":true,"metadata":{}},
            {"name":"bin","type":"binary","nullable":true,"metadata":{}},
            {"name":"ok","type":"boolean","nullable":true,"metadata":{}},
            {"name":"day","type":"date","nullable":true,"metadata":{}},
            {"name":"at","type":"timestamp","nullable":true,"metadata":{}},
            {"name":"local","type":"timestamp_ntz","nullable":true,"metadata":{}},
            {"name":"list","type":{"type":"array","elementType":"string","containsNull":true},
             "nullable":true,"metadata":{}},
            {"name":"map","type":{"type":"map","keyType":"string","valueType":"integer",
             "valueContainsNull":true},"nullable":true,"metadata":{}},
            {"name":"in","type":{"type":"struct","fields":[
              {"name":"x","type":"short","nullable":true,"metadata":{}}]},
             "nullable":true,"metadata":{}}]}""");

  private static Row row(Object... values) {
    return Row.withSchema(SCHEMA).attachValues(Arrays.asList(values));
  }

  private static void assertSurvives(Row row) {
    Decoded decoded = JsonRowDecoder.of(SCHEMA).decode(RowJson.bytes(row));
    // Beam cannot show a row that has null in a list, so that no matcher is to do it.
    assertThat(((Decoded.AsRow) decoded).row().equals(row), is(true));
  }

  @Test
  void rowsOfEveryTypeAreReadAgainByTheDecoder() {
    Schema within = SCHEMA.getField("in").getType().getRowSchema();
    assertSurvives(
        row(
            Byte.MIN_VALUE,
            Long.MAX_VALUE,
            Float.MIN_VALUE,
            -0.1,
            new BigDecimal("12345678901234567890123456789.123456789"),
            "ü \" \n \u0000",
            new byte[] {0, -1, 127},
            false,
            LocalDate.of(-5, 1, 31),
            Instant.parse("1969-12-31T23:59:59.999999Z"),
            LocalDateTime.parse("2026-11-30T00:00:00.000001"),
            Arrays.asList("a", null, ""),
            Map.of("k", 7),
            Row.withSchema(within).attachValues(List.of((short) -3))));
    assertSurvives(
        row(
            Byte.MAX_VALUE,
            Long.MIN_VALUE,
            Float.MAX_VALUE,
            Double.MAX_VALUE,
            new BigDecimal("0.000000000"),
            "",
            new byte[0],
            true,
            LocalDate.of(9999, 12, 31),
            Instant.EPOCH,
            LocalDateTime.parse("1582-10-04T12:00:00"),
            List.of(),
            Collections.singletonMap("none", null),
            Row.withSchema(within).attachValues(Collections.singletonList(null))));
    assertSurvives(
        row(null, null, null, null, null, null, null, null, null, null, null, null, null, null));
  }

  @Test
  void numbersThatJsonDoesNotHaveAreText() {
    Row row =
        row(
            null,
            null,
            Float.NaN,
            Double.NEGATIVE_INFINITY,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null);

    String json = new String(RowJson.bytes(row), StandardCharsets.UTF_8);

    assertThat(json.contains("\"f\":\"NaN\",\"d\":\"-Infinity\""), is(true));
    assertSurvives(row);
  }
}
