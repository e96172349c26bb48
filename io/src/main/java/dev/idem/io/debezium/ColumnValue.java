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
package dev.idem.io.debezium;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * A value comes in one of two ways. If the event has a schema, it is what the schema says: Long,
 * Double, Boolean, String, byte[], BigDecimal, LocalDate, LocalDateTime, Instant, List, Map. If not,
 * it is the JSON itself, and the column's type decides what it means.
 */
/** Makes values of events fit columns. */
final class ColumnValue {

  private static final String NOT_OF_TYPE = "A value must be one that its column's type can hold.";
  private static final String TIMESTAMP =
      "A timestamp must have at most microseconds, within 64 bits of microseconds around 1970.";

  /** Beam's timestamps end where 64 bits of microseconds end, and so do those of tables. */
  private static final Instant FIRST_TIMESTAMP =
      Instant.ofEpochMilli(BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis());

  private static final Instant LAST_TIMESTAMP =
      Instant.ofEpochMilli(BoundedWindow.TIMESTAMP_MAX_VALUE.getMillis());

  private ColumnValue() {}

  /** Returns a number, text or boolean that comes as JSON as itself. */
  static @Nullable Object plain(@Nullable Object value) {
    if (!(value instanceof JsonNode json)) {
      return value;
    }
    if (json.isTextual()) {
      return json.textValue();
    }
    if (json.isIntegralNumber()) {
      return json.canConvertToLong() ? (Object) json.longValue() : json.bigIntegerValue();
    }
    return json.isNull() ? null : json;
  }

  /** Returns the fields of a struct, null if the value is none. */
  static @Nullable Map<String, Object> struct(Object value) {
    Map<String, Object> fields = new LinkedHashMap<>();
    if (value instanceof JsonNode json && json.isObject()) {
      json.properties()
          .forEach(
              field ->
                  fields.put(field.getKey(), field.getValue().isNull() ? null : field.getValue()));
      return fields;
    }
    if (value instanceof Map<?, ?> map) {
      map.forEach((name, field) -> fields.put((String) name, field));
      return fields;
    }
    return null;
  }

  /**
   * Returns a JSON number as it is written; one beyond all doubles is not kept by the parser and
   * refused.
   */
  static BigDecimal written(JsonNode number) throws BadEventException {
    if (!number.isBigDecimal() && !number.isIntegralNumber()) {
      throw bad();
    }
    return number.decimalValue();
  }

  /** Returns one of the floating-point values that JSON has only as text. */
  static Double notFinite(String text) throws BadEventException {
    return switch (text) {
      case "NaN" -> Double.NaN;
      case "Infinity" -> Double.POSITIVE_INFINITY;
      case "-Infinity" -> Double.NEGATIVE_INFINITY;
      default -> throw bad();
    };
  }

  private static BadEventException bad() {
    return BadEventException.parse("", NOT_OF_TYPE);
  }

  /**
   * Returns a value as its column holds it.
   *
   * @param value what the event has; null stays null
   * @param rules what the user says of values that do not say it themselves
   */
  static @Nullable Object fit(@Nullable Object value, FieldType type, DecodeRules rules)
      throws BadEventException {
    if (value == null) {
      return null;
    }
    try {
      return fitValue(
          value instanceof JsonNode json ? UntypedJson.read(json, type, rules) : value,
          type,
          rules);
    } catch (DateTimeException | ArithmeticException e) {
      throw bad();
    }
  }

  private static Object fitValue(Object value, FieldType type, DecodeRules rules)
      throws BadEventException {
    return switch (type.getTypeName()) {
      case BYTE -> (byte) whole(value, Byte.MIN_VALUE, Byte.MAX_VALUE);
      case INT16 -> (short) whole(value, Short.MIN_VALUE, Short.MAX_VALUE);
      case INT32 -> (int) whole(value, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case INT64 -> whole(value, Long.MIN_VALUE, Long.MAX_VALUE);
      case FLOAT -> number(value).floatValue();
      case DOUBLE -> number(value).doubleValue();
      case BOOLEAN -> cast(Boolean.class, value);
      case STRING -> text(value);
      case BYTES -> cast(byte[].class, value);
      case DECIMAL -> decimal(value);
      case DATETIME -> org.joda.time.Instant.ofEpochMilli(instant(value).toEpochMilli());
      case ARRAY, ITERABLE -> elements(cast(List.class, value), type, rules);
      case MAP -> entries(value, type, rules);
      case ROW -> row(value, type.getRowSchema(), rules);
      case LOGICAL_TYPE -> logical(value, type.getLogicalType(), rules);
    };
  }

  private static <T> T cast(Class<T> type, Object value) throws BadEventException {
    if (!type.isInstance(value)) {
      throw bad();
    }
    return type.cast(value);
  }

  private static long whole(Object value, long least, long greatest) throws BadEventException {
    if (!(value instanceof Long whole) || whole < least || whole > greatest) {
      throw bad();
    }
    return whole;
  }

  private static Number number(Object value) throws BadEventException {
    return value instanceof String text ? notFinite(text) : cast(Number.class, value);
  }

  private static String text(Object value) throws BadEventException {
    if (value instanceof BigDecimal decimal) {
      // As it is, 1E+100000000 would be written out.
      return Math.abs((long) decimal.scale()) > UntypedJson.MAX_SCALE
          ? decimal.toString()
          : decimal.toPlainString();
    }
    if (value instanceof byte[] || value instanceof List || value instanceof Map) {
      throw bad();
    }
    return value.toString();
  }

  private static BigDecimal decimal(Object value) throws BadEventException {
    if (value instanceof Long whole) {
      return BigDecimal.valueOf(whole);
    }
    return value instanceof BigInteger whole
        ? new BigDecimal(whole)
        : cast(BigDecimal.class, value);
  }

  private static List<Object> elements(List<?> list, FieldType type, DecodeRules rules)
      throws BadEventException {
    List<Object> elements = new ArrayList<>(list.size());
    for (Object each : list) {
      elements.add(
          part(each, type.getCollectionElementType(), rules, String.valueOf(elements.size())));
    }
    return elements;
  }

  private static Map<String, Object> entries(Object value, FieldType type, DecodeRules rules)
      throws BadEventException {
    Map<String, Object> map = struct(value);
    if (map == null) {
      throw bad();
    }
    Map<String, Object> entries = new LinkedHashMap<>();
    for (Map.Entry<String, Object> entry : map.entrySet()) {
      entries.put(
          entry.getKey(), part(entry.getValue(), type.getMapValueType(), rules, entry.getKey()));
    }
    return entries;
  }

  private static Row row(Object value, Schema schema, DecodeRules rules) throws BadEventException {
    Map<String, Object> struct = struct(value);
    if (struct == null) {
      throw bad();
    }
    List<@Nullable Object> values = new ArrayList<>(schema.getFieldCount());
    for (Schema.Field field : schema.getFields()) {
      values.add(part(struct.get(field.getName()), field.getType(), rules, field.getName()));
    }
    return Row.withSchema(schema).attachValues(values);
  }

  private static @Nullable Object part(
      @Nullable Object value, FieldType type, DecodeRules rules, String name)
      throws BadEventException {
    try {
      Object part = fit(value instanceof JsonNode j && j.isNull() ? null : value, type, rules);
      if (part == null && !type.getNullable()) {
        throw BadEventException.missing("", "A part that is not nullable must have a value.");
      }
      return part;
    } catch (BadEventException e) {
      throw e.in(name);
    }
  }

  private static Object logical(Object value, Schema.LogicalType<?, ?> type, DecodeRules rules)
      throws BadEventException {
    String identifier = type.getIdentifier();
    if (identifier.equals(SqlTypes.DATE.getIdentifier())) {
      LocalDate date = cast(LocalDate.class, value);
      Math.toIntExact(date.toEpochDay());
      return date;
    }
    if (identifier.equals(SqlTypes.DATETIME.getIdentifier())) {
      return LocalDateTime.ofInstant(microseconds(value, rules), ZoneOffset.UTC);
    }
    if (identifier.equals(MicrosInstant.IDENTIFIER)) {
      return microseconds(value, rules);
    }
    if (identifier.equals(FixedPrecisionNumeric.IDENTIFIER)) {
      Row argument = (Row) type.getArgument();
      return exact(decimal(value), argument.getInt32("precision"), argument.getInt32("scale"));
    }
    throw bad();
  }

  private static BigDecimal exact(BigDecimal value, int precision, int scale)
      throws BadEventException {
    if (value.signum() == 0) {
      return BigDecimal.ZERO.setScale(scale);
    }
    // The digits before the point come first: written out, those of 1e100000000 take minutes.
    if ((long) value.precision() - value.scale() <= precision - scale) {
      BigDecimal stripped = value.stripTrailingZeros();
      if (stripped.scale() <= scale) {
        return stripped.setScale(scale);
      }
    }
    throw BadEventException.parse(
        "",
        "A decimal must have precision "
            + precision
            + " and scale "
            + scale
            + " without rounding.");
  }

  private static Instant instant(Object value) throws BadEventException {
    Instant instant =
        value instanceof LocalDateTime local
            ? local.toInstant(ZoneOffset.UTC)
            : cast(Instant.class, value);
    if (instant.isBefore(FIRST_TIMESTAMP) || instant.isAfter(LAST_TIMESTAMP)) {
      throw BadEventException.parse("", TIMESTAMP);
    }
    return instant;
  }

  private static Instant microseconds(Object value, DecodeRules rules) throws BadEventException {
    Instant instant = instant(value);
    Instant truncated = instant.truncatedTo(ChronoUnit.MICROS);
    if (!instant.equals(truncated) && !rules.truncateNanoseconds()) {
      throw BadEventException.parse("", TIMESTAMP);
    }
    return truncated;
  }
}
