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
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Reads values whose schema of Kafka Connect is known. */
final class ConnectValues {

  private static final long NANOS_A_MILLI = 1_000_000;
  private static final long NANOS_A_MICRO = 1_000;
  private static final long NANOS_A_SECOND = 1_000_000_000;
  private static final int SECONDS_A_MINUTE = 60;
  private static final int SECONDS_AN_HOUR = 3600;

  private ConnectValues() {}

  /** Returns a JSON value as what its schema says it is. */
  static @Nullable Object read(JsonNode json, ConnectSchema schema) throws BadEventException {
    if (json.isNull() || json.isMissingNode()) {
      return null;
    }
    if (schema.name().equals(ConnectSchema.DECIMAL) && json.isNumber()) {
      return ColumnValue.written(json);
    }
    return meaning(physical(json, schema), schema);
  }

  private static Object physical(JsonNode json, ConnectSchema schema) throws BadEventException {
    return switch (schema.kind()) {
      case INT8, INT16, INT32, INT64 -> whole(json);
      case FLOAT, DOUBLE -> floating(json);
      case BOOLEAN -> {
        require(json.isBoolean(), "A boolean must be true or false.");
        yield json.booleanValue();
      }
      case STRING -> {
        require(json.isTextual(), "A string must be JSON text.");
        yield json.textValue();
      }
      case BYTES -> bytes(json);
      case ARRAY -> elements(json, schema.element());
      case MAP -> entries(json, schema.element());
      case STRUCT -> fields(json, schema);
    };
  }

  private static void require(boolean condition, String rule) throws BadEventException {
    if (!condition) {
      throw BadEventException.parse("", rule);
    }
  }

  private static Long whole(JsonNode json) throws BadEventException {
    require(
        json.isIntegralNumber() && json.canConvertToLong(),
        "An integer must be a whole number of 64 bits.");
    return json.longValue();
  }

  private static Double floating(JsonNode json) throws BadEventException {
    if (json.isTextual()) {
      return ColumnValue.notFinite(json.textValue());
    }
    require(json.isNumber(), "A floating-point value must be a number.");
    return json.doubleValue();
  }

  private static byte[] bytes(JsonNode json) throws BadEventException {
    try {
      require(json.isTextual(), "Bytes must be base64 text.");
      return json.binaryValue();
    } catch (IOException e) {
      throw BadEventException.parse("", "Bytes must be base64 text.");
    }
  }

  private static List<Object> elements(JsonNode json, ConnectSchema element)
      throws BadEventException {
    require(json.isArray(), "An array must be a JSON array.");
    List<Object> elements = new ArrayList<>(json.size());
    for (JsonNode each : json) {
      try {
        elements.add(read(each, element));
      } catch (BadEventException e) {
        throw e.in(String.valueOf(elements.size()));
      }
    }
    return elements;
  }

  private static Map<String, Object> entries(JsonNode json, ConnectSchema value)
      throws BadEventException {
    require(json.isObject(), "A map must be a JSON object.");
    Map<String, Object> entries = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : json.properties()) {
      entries.put(entry.getKey(), read(entry.getValue(), value, entry.getKey()));
    }
    return entries;
  }

  private static Map<String, Object> fields(JsonNode json, ConnectSchema struct)
      throws BadEventException {
    require(json.isObject(), "A struct must be a JSON object.");
    Map<String, Object> fields = new LinkedHashMap<>();
    for (Map.Entry<String, ConnectSchema> field : struct.fields().entrySet()) {
      JsonNode value = json.get(field.getKey());
      if (value != null) {
        fields.put(field.getKey(), read(value, field.getValue(), field.getKey()));
      }
    }
    return fields;
  }

  private static @Nullable Object read(JsonNode json, ConnectSchema schema, String part)
      throws BadEventException {
    try {
      return read(json, schema);
    } catch (BadEventException e) {
      throw e.in(part);
    }
  }

  /** Returns what a value that is there means by the name of its schema. */
  static Object meaning(Object value, ConnectSchema schema) throws BadEventException {
    try {
      return switch (schema.name()) {
        case ConnectSchema.DECIMAL ->
            new BigDecimal(new BigInteger((byte[]) value), schema.scale());
        case ConnectSchema.VARIABLE_SCALE_DECIMAL -> variableScale((Map<?, ?>) value);
        case ConnectSchema.DATE, ConnectSchema.CONNECT_DATE -> LocalDate.ofEpochDay((Long) value);
        case ConnectSchema.TIMESTAMP, ConnectSchema.CONNECT_TIMESTAMP ->
            timestamp((Long) value, NANOS_A_MILLI);
        case ConnectSchema.MICRO_TIMESTAMP -> timestamp((Long) value, NANOS_A_MICRO);
        case ConnectSchema.NANO_TIMESTAMP -> timestamp((Long) value, 1);
        case ConnectSchema.ZONED_TIMESTAMP -> OffsetDateTime.parse((String) value).toInstant();
        case ConnectSchema.TIME, ConnectSchema.CONNECT_TIME -> time((Long) value, NANOS_A_MILLI);
        case ConnectSchema.MICRO_TIME -> time((Long) value, NANOS_A_MICRO);
        case ConnectSchema.NANO_TIME -> time((Long) value, 1);
        default -> value;
      };
    } catch (ClassCastException
        | DateTimeException
        | ArithmeticException
        | NumberFormatException e) {
      throw BadEventException.parse("", "A value must be one of " + schema.name() + ".");
    }
  }

  private static BigDecimal variableScale(Map<?, ?> struct) throws BadEventException {
    if (!(struct.get("scale") instanceof Long scale)
        || !(struct.get("value") instanceof byte[] unscaled)) {
      throw BadEventException.parse("", "A decimal of variable scale must have scale and value.");
    }
    return new BigDecimal(new BigInteger(unscaled), Math.toIntExact(scale));
  }

  /** Returns the date and time that a number of units since 1970 stands for. */
  static LocalDateTime timestamp(long units, long nanosAUnit) {
    long unitsASecond = NANOS_A_SECOND / nanosAUnit;
    int nanos = (int) (Math.floorMod(units, unitsASecond) * nanosAUnit);
    return LocalDateTime.ofEpochSecond(Math.floorDiv(units, unitsASecond), nanos, ZoneOffset.UTC);
  }

  /** MySQL's times are durations: negative ones, and such of more than a day, are times too. */
  private static String time(long units, long nanosAUnit) {
    long unitsASecond = NANOS_A_SECOND / nanosAUnit;
    long magnitude = Math.absExact(units);
    long seconds = magnitude / unitsASecond;
    long nanos = magnitude % unitsASecond * nanosAUnit;
    String whole =
        "%s%02d:%02d:%02d"
            .formatted(
                units < 0 ? "-" : "",
                seconds / SECONDS_AN_HOUR,
                seconds / SECONDS_A_MINUTE % SECONDS_A_MINUTE,
                seconds % SECONDS_A_MINUTE);
    return nanos == 0 ? whole : whole + ("." + "%09d".formatted(nanos)).replaceAll("0+$", "");
  }
}
