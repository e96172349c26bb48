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
package dev.idem.testing;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.values.Row;

/**
 * Random rows of any schema that a Delta table can have: nulls at every level, every type's least
 * and greatest value and those beside them, and times that any reader can show.
 */
public final class RandomRows {

  private static final long LEAST_SECOND = LocalDate.of(1, 1, 1).toEpochDay() * 86_400;
  private static final long GREATEST_SECOND = LocalDate.of(9999, 12, 31).toEpochDay() * 86_400;

  private final Random random;

  private RandomRows(Random random) {
    this.random = random;
  }

  /** Returns rows; the first hold each field's boundaries, as far as they go. */
  public static List<Row> of(Schema schema, int count, long seed) {
    RandomRows rows = new RandomRows(new Random(seed));
    List<Row> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(rows.row(schema, i));
    }
    return all;
  }

  private Row row(Schema schema, int index) {
    Object[] values = new Object[schema.getFieldCount()];
    for (int i = 0; i < values.length; i++) {
      values[i] = nullable(schema.getField(i).getType(), index);
    }
    return Row.withSchema(schema).attachValues(Arrays.asList(values));
  }

  private Object nullable(FieldType type, int index) {
    return type.getNullable() && (index == 0 || random.nextInt(8) == 0) ? null : value(type, index);
  }

  private Object value(FieldType type, int index) {
    return switch (type.getTypeName()) {
      case STRING -> one(index, this::text, "", "\u0000", "\uD83D\uDE00", "é".repeat(40));
      case BYTE -> one(index, () -> (byte) random.nextInt(), Byte.MIN_VALUE, Byte.MAX_VALUE);
      case INT16 -> one(index, () -> (short) random.nextInt(), Short.MIN_VALUE, Short.MAX_VALUE);
      case INT32 -> one(index, random::nextInt, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case INT64 -> one(index, random::nextLong, Long.MIN_VALUE, Long.MAX_VALUE);
      case FLOAT ->
          one(
              index,
              () -> Float.intBitsToFloat(random.nextInt()),
              Float.NaN,
              Float.NEGATIVE_INFINITY,
              Float.POSITIVE_INFINITY,
              -0.0f,
              Float.MIN_VALUE,
              Float.MAX_VALUE);
      case DOUBLE ->
          one(
              index,
              () -> Double.longBitsToDouble(random.nextLong()),
              Double.NaN,
              Double.NEGATIVE_INFINITY,
              Double.POSITIVE_INFINITY,
              -0.0,
              Double.MIN_VALUE,
              Double.MAX_VALUE);
      case BOOLEAN -> random.nextBoolean();
      case BYTES -> one(index, this::bytes, new byte[0], new byte[] {-128, 127, 0});
      case ARRAY, ITERABLE -> list(type.getCollectionElementType(), index);
      case MAP -> map(type, index);
      case ROW -> row(type.getRowSchema(), index);
      case LOGICAL_TYPE -> logical(type, index);
      default -> throw new IllegalArgumentException(type.toString());
    };
  }

  private Object logical(FieldType type, int index) {
    String identifier = type.getLogicalType().getIdentifier();
    if (identifier.equals(FixedPrecisionNumeric.IDENTIFIER)) {
      Row argument = (Row) type.getLogicalType().getArgument();
      return decimal(argument.getInt32("precision"), argument.getInt32("scale"), index);
    }
    if (identifier.equals(SqlTypes.DATE.getIdentifier())) {
      long least = LEAST_SECOND / 86_400;
      long days = GREATEST_SECOND / 86_400 - least;
      return LocalDate.ofEpochDay(
          (Long) one(index, () -> least + (long) (random.nextDouble() * days), -1L, 0L));
    }
    Instant instant = (Instant) one(index, this::instant, micros(-1), micros(0), micros(-500_000));
    return identifier.equals(MicrosInstant.IDENTIFIER)
        ? instant
        : LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
  }

  private Instant instant() {
    long seconds = LEAST_SECOND + (long) (random.nextDouble() * (GREATEST_SECOND - LEAST_SECOND));
    return Instant.ofEpochSecond(seconds).plus(random.nextInt(1_000_000), ChronoUnit.MICROS);
  }

  private static Instant micros(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  private BigDecimal decimal(int precision, int scale, int index) {
    BigInteger greatest = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
    BigInteger unscaled =
        (BigInteger)
            one(
                index,
                () -> {
                  BigInteger any = new BigInteger(1 + random.nextInt(127), random);
                  return (random.nextBoolean() ? any : any.negate()).remainder(greatest);
                },
                greatest,
                greatest.negate(),
                BigInteger.ZERO);
    return new BigDecimal(unscaled, scale);
  }

  private List<Object> list(FieldType element, int index) {
    List<Object> list = new ArrayList<>();
    int size = index == 1 ? 0 : random.nextInt(4);
    for (int i = 0; i < size; i++) {
      list.add(nullable(element, index));
    }
    return list;
  }

  private Map<Object, Object> map(FieldType type, int index) {
    Map<Object, Object> map = new LinkedHashMap<>();
    int size = index == 1 ? 0 : random.nextInt(4);
    for (int i = 0; i < size; i++) {
      map.put(value(type.getMapKeyType(), index + i), nullable(type.getMapValueType(), index));
    }
    return map;
  }

  private interface Any {
    Object get();
  }

  /** The boundaries come first, so that few rows hold them all; later at times. */
  private Object one(int index, Any any, Object... boundaries) {
    if (index > 0 && index <= boundaries.length) {
      return boundaries[index - 1];
    }
    return random.nextInt(10) == 0 ? boundaries[random.nextInt(boundaries.length)] : any.get();
  }

  private String text() {
    int[] points = new int[random.nextInt(60)];
    for (int i = 0; i < points.length; i++) {
      do {
        points[i] = random.nextInt(random.nextBoolean() ? 128 : Character.MAX_CODE_POINT + 1);
      } while (points[i] >= Character.MIN_SURROGATE && points[i] <= Character.MAX_SURROGATE);
    }
    return new String(points, 0, points.length);
  }

  private byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(40)];
    random.nextBytes(bytes);
    return bytes;
  }
}
