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
package dev.idem.transforms.fingerprint;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.sameInstance;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.EnumerationType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.util.SerializableUtils;
import org.apache.beam.sdk.values.Row;
import org.joda.time.DateTime;
import org.joda.time.DateTimeZone;
import org.junit.jupiter.api.Test;

class RowEncodingTest {

  @Test
  void versionOneNeverChanges() {
    Schema schema =
        Schema.builder()
            .addStringField("text")
            .addInt64Field("number")
            .addNullableInt32Field("nothing")
            .addDoubleField("ratio")
            .addDecimalField("price")
            .addBooleanField("flag")
            .addByteArrayField("bytes")
            .addDateTimeField("at")
            .addArrayField("list", FieldType.STRING)
            .addMapField("map", FieldType.STRING, FieldType.INT32)
            .addLogicalTypeField("micros", SqlTypes.TIMESTAMP)
            .addLogicalTypeField("day", SqlTypes.DATE)
            .build();
    Row row =
        Row.withSchema(schema)
            .addValues("é", 1L, null, 1.5, new BigDecimal("12.50"), true, new byte[] {7})
            .addValue(new DateTime(2, DateTimeZone.UTC))
            .addValues(List.of("a"), Map.of("k", 3))
            .addValues(Instant.ofEpochSecond(4, 5_000), LocalDate.ofEpochDay(6))
            .build();

    String bytes = HexFormat.of().formatHex(RowEncoding.of(schema).encode(row));

    assertThat(
        bytes,
        is(
            "0500000002c3a9" // text: tag, length, UTF-8
                + "010000000000000001" // number
                + "00" // null
                + "023ff8000000000000" // ratio
                + "030000000100000001" // price: scale 1, one byte ...
                + "7d" // ... 125
                + "0401" // flag
                + "060000000107" // bytes
                + "070000000000000002" // at
                + "0900000001" // list of one text
                + "050000000161"
                + "0a00000001" // map of one entry
                + "05000000016b"
                + "010000000000000003"
                + "08010000000000000004010000000000000005" // seconds and microseconds
                + "010000000000000006")); // day
    assertThat(RowEncoding.VERSION, is(1));
    assertThat(
        RowEncoding.of(schema).fingerprint(row),
        is(Fingerprint.of(RowEncoding.of(schema).encode(row))));
  }

  @Test
  void nullIsEqualToNothingElse() {
    List<byte[]> encodings = new ArrayList<>();
    for (String text : new String[] {null, "", "null", "\0"}) {
      encodings.add(encode(FieldType.STRING, text));
    }
    FieldType list = FieldType.array(FieldType.STRING.withNullable(true));
    encodings.add(encode(list, null));
    encodings.add(encode(list, List.of()));
    encodings.add(encode(list, Arrays.asList((String) null)));

    assertThat(encodings.get(4), is(encodings.get(0)));
    encodings.remove(4);
    assertAllDifferent(encodings);
  }

  @Test
  void valuesDoNotRunIntoTheirNeighbours() {
    Schema schema = Schema.builder().addStringField("a").addStringField("b").build();
    RowEncoding encoding = RowEncoding.of(schema);

    assertAllDifferent(
        List.of(
            encoding.encode(Row.withSchema(schema).addValues("ab", "c").build()),
            encoding.encode(Row.withSchema(schema).addValues("a", "bc").build()),
            encoding.encode(Row.withSchema(schema).addValues("", "abc").build()),
            encoding.encode(Row.withSchema(schema).addValues("abc", "").build())));
    // Texts that hold what would be the beginning of the next text if lengths were not written.
    String next = "\5\0\0\0\0";
    assertAllDifferent(
        List.of(
            encoding.encode(Row.withSchema(schema).addValues("x" + next + "y", "z").build()),
            encoding.encode(Row.withSchema(schema).addValues("x", "y" + next + "z").build())));
    FieldType lists = FieldType.array(FieldType.array(FieldType.INT32));
    assertAllDifferent(
        List.of(
            encode(lists, List.of(List.of(1), List.of(2))),
            encode(lists, List.of(List.of(1, 2))),
            encode(lists, List.of(List.of(1, 2), List.of())),
            encode(lists, List.of(List.of(), List.of(1, 2)))));
  }

  @Test
  void numbersAreComparedAsNumbers() {
    assertThat(decimal("1.0"), is(decimal("1.00")));
    assertThat(decimal("0"), is(decimal("0.000")));
    assertThat(decimal("100"), is(decimal("1E+2")));
    assertAllDifferent(
        List.of(decimal("1"), decimal("10"), decimal("0.1"), decimal("-1"), decimal("0")));
    assertThat(encode(FieldType.DOUBLE, -0.0), is(encode(FieldType.DOUBLE, 0.0)));
    assertThat(
        encode(FieldType.DOUBLE, Double.longBitsToDouble(0x7ff8000000000001L)),
        is(encode(FieldType.DOUBLE, Double.NaN)));
    assertThat(
        encode(FieldType.FLOAT, Float.intBitsToFloat(0x7fc00001)),
        is(encode(FieldType.FLOAT, Float.NaN)));
    assertThat(encode(FieldType.DOUBLE, 1.5), not(encode(FieldType.DOUBLE, 1.25)));
  }

  @Test
  void widerColumnKeepsItsEncodings() {
    byte[] wide = encode(FieldType.INT64, -5L);

    assertThat(encode(FieldType.INT32, -5), is(wide));
    assertThat(encode(FieldType.INT16, (short) -5), is(wide));
    assertThat(encode(FieldType.BYTE, (byte) -5), is(wide));
    assertThat(encode(FieldType.FLOAT, 1.1f), is(encode(FieldType.DOUBLE, (double) 1.1f)));
  }

  @Test
  void textIsUtf8AndBrokenSurrogatesStayApart() {
    String text = "aé€😀";
    byte[] encoded = encode(FieldType.STRING, text);

    assertThat(
        Arrays.copyOfRange(encoded, 5, encoded.length), is(text.getBytes(StandardCharsets.UTF_8)));
    assertAllDifferent(
        List.of(
            encode(FieldType.STRING, "?"),
            encode(FieldType.STRING, "\ud83d"),
            encode(FieldType.STRING, "\ude00"),
            encode(FieldType.STRING, "\ude00\ud83d"),
            encode(FieldType.STRING, "\ud83d\ude00"),
            encode(FieldType.STRING, "\ud83dx")));
  }

  @Test
  void mapsHaveNoOrderAndListsHave() {
    FieldType map = FieldType.map(FieldType.STRING, FieldType.INT32.withNullable(true));
    Map<String, Integer> forwards = new LinkedHashMap<>();
    Map<String, Integer> backwards = new LinkedHashMap<>();
    IntStream.range(0, 50).forEach(i -> forwards.put("k" + i, i == 7 ? null : i));
    IntStream.range(0, 50).map(i -> 49 - i).forEach(i -> backwards.put("k" + i, i == 7 ? null : i));
    Map<String, Integer> other = new HashMap<>(forwards);
    other.put("k7", 7);

    assertThat(encode(map, backwards), is(encode(map, forwards)));
    assertThat(encode(map, other), not(encode(map, forwards)));
    FieldType list = FieldType.array(FieldType.INT32);
    assertThat(encode(list, List.of(1, 2)), not(encode(list, List.of(2, 1))));
    assertThat(
        encode(FieldType.iterable(FieldType.INT32), List.of(1, 2)),
        is(encode(list, List.of(1, 2))));
  }

  @Test
  void logicalTypesAreEncodedAsTheirBaseTypes() {
    Instant micros = Instant.parse("1969-12-31T23:59:59.999999Z");
    EnumerationType colours = EnumerationType.create("red", "green");

    assertThat(
        encode(FieldType.logicalType(SqlTypes.TIMESTAMP), micros),
        is(encode(SqlTypes.TIMESTAMP.getBaseType(), SqlTypes.TIMESTAMP.toBaseType(micros))));
    assertThat(
        encode(FieldType.logicalType(SqlTypes.DATE), LocalDate.ofEpochDay(-3)),
        is(encode(FieldType.INT64, -3L)));
    assertThat(
        encode(FieldType.logicalType(colours), colours.valueOf("green")),
        is(encode(FieldType.INT32, 1)));
    assertThat(
        encode(FieldType.array(FieldType.logicalType(SqlTypes.DATE)), List.of(LocalDate.EPOCH)),
        is(encode(FieldType.array(FieldType.INT64), List.of(0L))));
    assertThrows(
        AssertionError.class,
        () -> encode(FieldType.logicalType(new MicrosInstant()), Instant.ofEpochSecond(0, 1)));
  }

  @Test
  void timeZoneDoesNotCount() {
    DateTime utc = new DateTime(1_000, DateTimeZone.UTC);

    assertThat(
        encode(FieldType.DATETIME, utc.withZone(DateTimeZone.forOffsetHours(5))),
        is(encode(FieldType.DATETIME, utc)));
    assertThat(encode(FieldType.DATETIME, utc.plusMillis(1)), not(encode(FieldType.DATETIME, utc)));
  }

  @Test
  void onlyTheNamedColumnsCountInTheGivenOrder() {
    Schema schema =
        Schema.builder().addStringField("a").addInt32Field("b").addStringField("c").build();
    Row row = Row.withSchema(schema).addValues("x", 1, "y").build();
    Row otherB = Row.withSchema(schema).addValues("x", 2, "y").build();
    Row swapped = Row.withSchema(schema).addValues("y", 1, "x").build();
    RowEncoding ac = RowEncoding.of(schema, List.of("a", "c"));
    RowEncoding ca = RowEncoding.of(schema, List.of("c", "a"));

    assertThat(ac.encode(otherB), is(ac.encode(row)));
    assertThat(ca.encode(row), not(ac.encode(row)));
    assertThat(ca.encode(swapped), is(ac.encode(row)));
    assertThat(RowEncoding.of(schema, List.of()).encode(row), is(new byte[0]));
    assertThat(ca.columns(), is(List.of("c", "a")));
  }

  @Test
  void unknownAndRepeatedColumnsAreRefusedByName() {
    Schema schema = Schema.builder().addStringField("a").build();

    var unknown =
        assertThrows(
            IllegalArgumentException.class, () -> RowEncoding.of(schema, List.of("a", "z")));
    var repeated =
        assertThrows(
            IllegalArgumentException.class, () -> RowEncoding.of(schema, List.of("a", "a")));

    assertThat(
        unknown.getMessage(),
        is(
            "Encoded column must be one of [a], but was: \"z\". Name a top-level column of the"
                + " schema."));
    assertThat(
        repeated.getMessage(),
        is(
            "Encoded columns must be named once each, but was: [a, a]. Remove the repeated"
                + " name."));
  }

  @Test
  void rowOfAnotherSchemaIsRefused() {
    Schema schema = Schema.builder().addStringField("a").addInt64Field("b").build();
    Schema other = Schema.builder().addInt64Field("b").addNullableStringField("a").build();
    Row row = Row.withSchema(other).addValues(1L, "secret").build();

    var e =
        assertThrows(
            UnexpectedSchemaException.class, () -> RowEncoding.of(schema).fingerprint(row));

    assertThat(
        e.getMessage(),
        is(
            "Row must have the schema (a STRING NOT NULL, b INT64 NOT NULL), but was: (b INT64 NOT"
                + " NULL, a STRING). Convert the rows, or give the transform their schema."));
    assertThat(e.getExpected(), sameInstance(schema));
    assertThat(e.getActual(), sameInstance(other));
  }

  @Test
  void equalSchemaOfAnotherProcessIsAccepted() {
    Schema schema = Schema.builder().addStringField("a").addInt64Field("b").build();
    Schema same = Schema.builder().addStringField("a").addInt64Field("b").build();
    RowEncoding encoding = RowEncoding.of(schema);
    RowEncoding arrived = SerializableUtils.clone(encoding);
    Row row = Row.withSchema(same).addValues("x", 1L).build();

    assertThat(arrived.encode(row), is(encoding.encode(row)));
    assertThat(arrived.columns(), is(encoding.columns()));
  }

  @Test
  void threadsDoNotDisturbEachOther() throws Exception {
    RowEncoding encoding = RowEncoding.of(Schema.builder().addStringField("a").build());
    Callable<Boolean> task =
        () -> {
          boolean equal = true;
          for (int i = 0; i < 20_000; i++) {
            String text = Thread.currentThread().getName() + i;
            Row row = Row.withSchema(encoding.schema()).addValue(text).build();
            byte[] expected = encode(FieldType.STRING, text);
            equal &= encoding.fingerprint(row).equals(Fingerprint.of(expected));
          }
          return equal;
        };
    var threads = Executors.newFixedThreadPool(4);

    var results = threads.invokeAll(List.of(task, task, task, task));
    threads.shutdown();

    for (var result : results) {
      assertThat(result.get(), is(true));
    }
  }

  @Test
  void randomRowsHaveEqualEncodingsIfAndOnlyIfTheyAreEqual() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Schema schema =
        Schema.builder()
            .addNullableStringField("text")
            .addNullableInt64Field("number")
            .addNullableField("list", FieldType.array(FieldType.STRING.withNullable(true)))
            .addNullableField("map", FieldType.map(FieldType.STRING, FieldType.INT32))
            .build();
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      rows.add(
          Row.withSchema(schema)
              .addValues(text(random), random.nextInt(3) == 0 ? null : (long) random.nextInt(2))
              .addValue(list(random))
              .addValue(map(random))
              .build());
    }
    RowEncoding encoding = RowEncoding.of(schema);

    for (Row left : rows) {
      for (Row right : rows) {
        assertThat(
            "seed " + seed + ": " + left.getValues() + " and " + right.getValues(),
            Arrays.equals(encoding.encode(left), encoding.encode(right)),
            equalTo(left.equals(right)));
      }
    }
  }

  private static String text(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> null;
      case 1 -> "";
      case 2 -> "a";
      default -> "ab";
    };
  }

  private static List<String> list(Random random) {
    if (random.nextInt(4) == 0) {
      return null;
    }
    List<String> list = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      list.add(text(random));
    }
    return list;
  }

  private static Map<String, Integer> map(Random random) {
    if (random.nextInt(4) == 0) {
      return null;
    }
    Map<String, Integer> map = new LinkedHashMap<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      map.put("k" + random.nextInt(2), random.nextInt(2));
    }
    return map;
  }

  private static byte[] decimal(String number) {
    return encode(FieldType.DECIMAL, new BigDecimal(number));
  }

  private static byte[] encode(FieldType type, Object value) {
    Schema schema = Schema.builder().addNullableField("f", type).build();
    return RowEncoding.of(schema).encode(Row.withSchema(schema).addValue(value).build());
  }

  private static void assertAllDifferent(List<byte[]> encodings) {
    for (int i = 0; i < encodings.size(); i++) {
      for (int j = 0; j < i; j++) {
        assertThat(i + " and " + j, encodings.get(i), not(encodings.get(j)));
      }
    }
  }
}
