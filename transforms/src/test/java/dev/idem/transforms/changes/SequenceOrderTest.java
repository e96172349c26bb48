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
package dev.idem.transforms.changes;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.schemas.logicaltypes.UuidLogicalType;
import org.apache.beam.sdk.util.SerializableUtils;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;

class SequenceOrderTest {

  private static void assertOrder(FieldType type, Object... ascending) {
    Schema schema = Schema.of(Schema.Field.of("s", type.withNullable(true)));
    List<Row> rows = new ArrayList<>();
    rows.add(Row.withSchema(schema).attachValues(Collections.singletonList(null)));
    for (Object value : ascending) {
      rows.add(Row.withSchema(schema).attachValues(List.of(value)));
    }
    List<Row> sorted = new ArrayList<>(rows);
    Collections.shuffle(sorted, new Random(1));

    sorted.sort(SerializableUtils.clone(new SequenceOrder(schema)));

    assertThat(type.toString(), sorted, equalTo(rows));
  }

  @Test
  void numbersAreComparedWithoutOverflow() {
    assertOrder(FieldType.INT64, Long.MIN_VALUE, -1L, 0L, 9L, 10L, Long.MAX_VALUE);
    assertOrder(FieldType.INT32, Integer.MIN_VALUE, -1, 9, 10, Integer.MAX_VALUE);
    assertOrder(FieldType.BYTE, Byte.MIN_VALUE, (byte) -1, (byte) 9, Byte.MAX_VALUE);
    assertOrder(
        FieldType.DECIMAL, new BigDecimal("-1e30"), new BigDecimal("9.5"), new BigDecimal("10"));
  }

  @Test
  void textsAreComparedByCodePoint() {
    assertOrder(
        FieldType.STRING, "", "10", "9", "Z", "a", "a\u0000", "ab", "\uFF5E", "\uD83D\uDE00");
  }

  @Test
  void bytesAreUnsigned() {
    assertOrder(
        FieldType.BYTES,
        new byte[] {},
        new byte[] {1},
        new byte[] {1, 0},
        new byte[] {(byte) 0x80});
  }

  @Test
  void logicalTypesAreComparedByWhatTheyMean() {
    assertOrder(
        FieldType.logicalType(new MicrosInstant()),
        Instant.parse("1969-12-31T23:59:59.999999Z"),
        Instant.EPOCH,
        Instant.parse("2026-03-01T00:00:00.000001Z"),
        Instant.parse("2026-03-01T00:00:00.000002Z"));
    assertOrder(
        FieldType.logicalType(SqlTypes.DATE), LocalDate.of(1969, 1, 1), LocalDate.of(2026, 1, 1));
    assertOrder(
        FieldType.logicalType(new UuidLogicalType()),
        UUID.fromString("018f0000-0000-7000-8000-000000000000"),
        UUID.fromString("018f0000-0000-7000-8000-000000000001"),
        UUID.fromString("ff8f0000-0000-7000-8000-000000000000"));
  }

  @Test
  void firstColumnThatDiffersDecides() {
    Schema schema = Schema.builder().addInt64Field("lsn").addInt32Field("number").build();
    List<Row> ascending = new ArrayList<>();
    for (long lsn : new long[] {1, 2}) {
      for (int number : new int[] {2, 9, 10}) {
        ascending.add(Row.withSchema(schema).addValues(lsn, number).build());
      }
    }
    List<Row> sorted = new ArrayList<>(ascending);
    Collections.shuffle(sorted, new Random(2));

    sorted.sort(new SequenceOrder(schema));

    assertThat(sorted, equalTo(ascending));
  }

  @Test
  void typesWithoutAnExactOrderAreRefusedByColumn() {
    for (FieldType type :
        Arrays.asList(
            FieldType.DOUBLE,
            FieldType.FLOAT,
            FieldType.array(FieldType.INT64),
            FieldType.row(Schema.of()))) {
      assertThat(
          assertThrows(
                  IllegalArgumentException.class,
                  () -> new SequenceOrder(Schema.of(Schema.Field.of("lsn", type))))
              .getMessage(),
          containsString("\"lsn\""));
    }
  }
}
