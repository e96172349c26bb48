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
package dev.idem.io.rows;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import com.google.common.collect.ImmutableList;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.Date;
import org.apache.beam.sdk.schemas.logicaltypes.EnumerationType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.NanosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.Time;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;

class RowPackerTest {

  private static final EnumerationType COLOURS = EnumerationType.create("RED", "GREEN");
  private static final Schema INNER =
      Schema.builder().addNullableInt32Field("a").addStringField("b").build();
  private static final Schema SCHEMA =
      Schema.builder()
          .addNullableBooleanField("flag")
          .addNullableField("byte", FieldType.BYTE)
          .addNullableInt16Field("short")
          .addNullableInt32Field("int")
          .addNullableInt64Field("long")
          .addNullableFloatField("float")
          .addNullableDoubleField("double")
          .addNullableStringField("text")
          .addNullableByteArrayField("bytes")
          .addNullableDecimalField("decimal")
          .addNullableDateTimeField("time")
          .addNullableField("micros", FieldType.logicalType(new MicrosInstant()))
          .addNullableField("nanos", FieldType.logicalType(new NanosInstant()))
          .addNullableField("date", FieldType.logicalType(new Date()))
          .addNullableField("of_day", FieldType.logicalType(new Time()))
          .addNullableField("colour", FieldType.logicalType(COLOURS))
          .addNullableField("row", FieldType.row(INNER))
          .addNullableField("list", FieldType.array(FieldType.STRING.withNullable(true)))
          .addNullableField("map", FieldType.map(FieldType.STRING, FieldType.INT64))
          .build();

  @Test
  void rowsOfEveryTypeComeBackEqualInTheirOrder() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Row> rows =
        IntStream.range(0, 2_000)
            .mapToObj(unused -> row(random))
            .collect(ImmutableList.toImmutableList());
    RowPacker packer = new RowPacker(SCHEMA);
    List<byte[]> packs = new ArrayList<>();
    for (Row row : rows) {
      packer.add(row);
      if (packer.isFull()) {
        packs.add(packer.take());
      }
    }
    packs.add(packer.take());

    Iterable<Row> unpacked = RowPacker.unpack(SCHEMA, packs);

    assertThat("seed " + seed, ImmutableList.copyOf(unpacked), is(rows));
    assertThat("again, seed " + seed, ImmutableList.copyOf(unpacked), is(rows));
  }

  @Test
  void theGreatestAndLeastValuesComeBack() {
    Schema schema =
        Schema.builder()
            .addInt32Field("int")
            .addInt64Field("long")
            .addDoubleField("double")
            .addDecimalField("decimal")
            .addField("micros", FieldType.logicalType(new NanosInstant()))
            .build();
    BigDecimal huge = new BigDecimal(BigInteger.TEN.pow(60).negate(), -5);
    List<Row> rows =
        List.of(
            Row.withSchema(schema)
                .attachValues(
                    Integer.MIN_VALUE,
                    Long.MIN_VALUE,
                    Double.NEGATIVE_INFINITY,
                    BigDecimal.valueOf(Long.MIN_VALUE, 3),
                    Instant.parse("-0044-03-15T12:00:00.000000001Z")),
            Row.withSchema(schema)
                .attachValues(
                    Integer.MAX_VALUE,
                    Long.MAX_VALUE,
                    Double.NaN,
                    huge,
                    Instant.parse("+12026-01-01T00:00:00.999999999Z")));

    assertThat(packedAndBack(schema, rows), is(rows));
  }

  @Test
  void zerosBehindAPointAreKept() {
    Schema schema = Schema.builder().addDecimalField("amount").build();
    Row row = Row.withSchema(schema).attachValues(new BigDecimal("1.500"));

    List<Row> back = packedAndBack(schema, List.of(row));

    assertThat(back.get(0).getDecimal("amount").toString(), is("1.500"));
  }

  @Test
  void rowsWithoutFieldsAreCounted() {
    Schema schema = Schema.builder().build();
    Row row = Row.withSchema(schema).build();

    assertThat(packedAndBack(schema, List.of(row, row, row)), is(List.of(row, row, row)));
  }

  @Test
  void emptyPacksHoldNothing() {
    assertThat(
        ImmutableList.copyOf(RowPacker.unpack(SCHEMA, List.of(new byte[0], new byte[0]))),
        is(List.of()));
  }

  private static List<Row> packedAndBack(Schema schema, List<Row> rows) {
    RowPacker packer = new RowPacker(schema);
    rows.forEach(packer::add);
    return ImmutableList.copyOf(RowPacker.unpack(schema, List.of(packer.take())));
  }

  private static Row row(Random random) {
    Instant instant = Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000) * 1_000L);
    byte[] bytes = new byte[random.nextInt(300)];
    random.nextBytes(bytes);
    Object[] values = {
      random.nextBoolean(),
      (byte) random.nextInt(),
      (short) random.nextInt(),
      random.nextInt(),
      random.nextLong(),
      random.nextFloat(),
      random.nextGaussian(),
      random
          .ints(random.nextInt(40), 1, 0xD7FF)
          .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
          .toString(),
      bytes,
      new BigDecimal(new BigInteger(random.nextInt(200), random), random.nextInt(40) - 20),
      org.joda.time.Instant.ofEpochMilli(random.nextInt() * 1_000L + random.nextInt(1_000)),
      instant,
      instant.plusNanos(random.nextInt(1_000)),
      LocalDate.ofEpochDay(random.nextInt(100_000)),
      LocalTime.ofNanoOfDay(random.nextInt(1_000_000_000)),
      COLOURS.valueOf(random.nextInt(2)),
      Row.withSchema(INNER).attachValues(random.nextBoolean() ? null : random.nextInt(), "b"),
      List.of("one", "two", ""),
      Map.of("k", random.nextLong())
    };
    for (int i = 0; i < values.length; i++) {
      if (random.nextInt(4) == 0) {
        values[i] = null;
      }
    }
    return Row.withSchema(SCHEMA).attachValues(values);
  }
}
