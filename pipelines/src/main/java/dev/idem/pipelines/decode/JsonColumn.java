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

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.pipelines.decode.Decoded.Reason;
import dev.idem.pipelines.decode.JsonRowDecoder.UnknownFields;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.Schema.TypeName;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;

/** Reads the JSON value under the parser as one column's value. */
record JsonColumn(boolean nullable, Reader reader) {

  /**
   * Why a value does not fit its column.
   *
   * @param path where in the value, empty for the value itself
   */
  record Broken(Reason reason, String path, String rule) {
    Broken(String rule) {
      this(Reason.PARSE_ERROR, "", rule);
    }

    /** Returns this as it is seen from the value that a part is in. */
    Broken in(String part) {
      return new Broken(reason, path.isEmpty() ? part : part + "." + path, rule);
    }
  }

  /** Returns the column's Java value, or {@link Broken}. */
  interface Reader {
    Object read(JsonParser parser) throws IOException;
  }

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Broken WHOLE = new Broken("The column takes whole numbers of its range.");
  private static final Broken NUMBER = new Broken("The column takes numbers.");
  private static final Broken BOOLEAN = new Broken("The column takes true and false.");
  private static final Broken BASE64 = new Broken("The column takes base64 text.");
  private static final Broken ARRAY = new Broken("The column takes JSON arrays.");
  private static final Broken OBJECT = new Broken("The column takes JSON objects.");
  private static final Broken NULL = new Broken("An element or value must not be null.");
  private static final Broken TWICE = new Broken("A key must be given once.");
  private static final Broken DATE =
      new Broken("The column takes dates as ISO 8601 text, within 32 bits of days around 1970.");
  private static final Broken TIMESTAMP =
      new Broken(
          "The column takes ISO 8601 text with an offset and at most microseconds, or whole"
              + " milliseconds, within 64 bits of microseconds around 1970.");
  private static final Broken LOCAL_TIMESTAMP =
      new Broken(
          "The column takes ISO 8601 text without an offset and with at most microseconds, within"
              + " 64 bits of microseconds around 1970.");

  private static final Set<String> NOT_FINITE = Set.of("NaN", "Infinity", "-Infinity");

  /** Beam's timestamps end where 64 bits of microseconds end, and so do those of tables. */
  private static final Instant FIRST_TIMESTAMP =
      Instant.ofEpochMilli(BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis());

  private static final Instant LAST_TIMESTAMP =
      Instant.ofEpochMilli(BoundedWindow.TIMESTAMP_MAX_VALUE.getMillis());

  Object read(JsonParser parser) throws IOException {
    return reader.read(parser);
  }

  /** Returns the columns of a schema, in order. */
  static JsonColumn[] of(Schema schema, UnknownFields unknownFields) {
    return schema.getFields().stream()
        .map(field -> of(field.getName(), field.getType(), unknownFields))
        .toArray(JsonColumn[]::new);
  }

  private static JsonColumn of(String name, FieldType type, UnknownFields unknownFields) {
    return new JsonColumn(type.getNullable(), reader(name, type, unknownFields));
  }

  private static Reader reader(String name, FieldType type, UnknownFields unknownFields) {
    return switch (type.getTypeName()) {
      case STRING -> JsonColumn::text;
      case BYTE -> whole(Byte.MIN_VALUE, Byte.MAX_VALUE, value -> (byte) value);
      case INT16 -> whole(Short.MIN_VALUE, Short.MAX_VALUE, value -> (short) value);
      case INT32 -> whole(Integer.MIN_VALUE, Integer.MAX_VALUE, value -> (int) value);
      case INT64 -> whole(Long.MIN_VALUE, Long.MAX_VALUE, value -> value);
      case FLOAT ->
          parser ->
              parser.currentToken().isNumeric()
                  ? (Object) parser.getFloatValue()
                  : notFinite(parser, Float::valueOf);
      case DOUBLE ->
          parser ->
              parser.currentToken().isNumeric()
                  ? (Object) parser.getDoubleValue()
                  : notFinite(parser, Double::valueOf);
      case BOOLEAN ->
          parser -> parser.currentToken().isBoolean() ? (Object) parser.getBooleanValue() : BOOLEAN;
      case DECIMAL ->
          parser -> parser.currentToken().isNumeric() ? parser.getDecimalValue() : NUMBER;
      case BYTES -> JsonColumn::binary;
      case DATETIME ->
          parser -> {
            Object instant = timestamp(parser);
            return instant instanceof Instant i
                ? org.joda.time.Instant.ofEpochMilli(i.toEpochMilli())
                : instant;
          };
      case ARRAY, ITERABLE ->
          elements(of(name + ".element", type.getCollectionElementType(), unknownFields));
      case MAP -> {
        if (type.getMapKeyType().getTypeName() != TypeName.STRING) {
          throw unsupported(name, type);
        }
        yield entries(of(name + ".value", type.getMapValueType(), unknownFields));
      }
      case ROW -> {
        JsonObject object = JsonObject.of(type.getRowSchema(), unknownFields);
        yield parser ->
            parser.currentToken() == JsonToken.START_OBJECT ? object.read(parser) : OBJECT;
      }
      case LOGICAL_TYPE -> logical(name, type);
    };
  }

  private static Reader elements(JsonColumn element) {
    return parser -> {
      if (parser.currentToken() != JsonToken.START_ARRAY) {
        return ARRAY;
      }
      List<Object> elements = new ArrayList<>();
      Broken broken = null;
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        Object value = element.nullOr(parser);
        if (value instanceof Broken found && broken == null) {
          broken = found.in(String.valueOf(elements.size()));
        }
        elements.add(value);
      }
      return broken == null ? elements : broken;
    };
  }

  private static Reader entries(JsonColumn mapped) {
    return parser -> {
      if (parser.currentToken() != JsonToken.START_OBJECT) {
        return OBJECT;
      }
      Map<String, Object> entries = new LinkedHashMap<>();
      Broken broken = null;
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String key = parser.currentName();
        parser.nextToken();
        Object read = mapped.nullOr(parser);
        Object value = entries.containsKey(key) ? TWICE : read;
        if (value instanceof Broken found && broken == null) {
          broken = found.in(key);
        }
        entries.put(key, value);
      }
      return broken == null ? entries : broken;
    };
  }

  private Object nullOr(JsonParser parser) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NULL) {
      return nullable ? null : NULL;
    }
    Object value = read(parser);
    if (value instanceof Broken) {
      // It may begin an array or an object.
      parser.skipChildren();
    }
    return value;
  }

  private static Reader logical(String name, FieldType type) {
    String identifier = type.getLogicalType().getIdentifier();
    if (identifier.equals(org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant.IDENTIFIER)) {
      return JsonColumn::timestamp;
    }
    if (identifier.equals(org.apache.beam.sdk.schemas.logicaltypes.Date.IDENTIFIER)) {
      return JsonColumn::date;
    }
    if (identifier.equals(org.apache.beam.sdk.schemas.logicaltypes.DateTime.IDENTIFIER)) {
      return JsonColumn::localTimestamp;
    }
    if (identifier.equals(
        org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric.IDENTIFIER)) {
      Row precisionAndScale = Row.of(type.getLogicalType().getArgument());
      return parser -> decimal(parser, precisionAndScale);
    }
    throw unsupported(name, type);
  }

  private record Row(int precision, int scale) {
    static Row of(Object argument) {
      var row = (org.apache.beam.sdk.values.Row) argument;
      return new Row(row.getInt32("precision"), row.getInt32("scale"));
    }
  }

  private static Object decimal(JsonParser parser, Row type) throws IOException {
    if (!parser.currentToken().isNumeric()) {
      return NUMBER;
    }
    BigDecimal value = parser.getDecimalValue();
    if (value.signum() == 0) {
      return BigDecimal.ZERO.setScale(type.scale());
    }
    // The digits before the point come first: written out, those of 1e100000000 take minutes.
    if ((long) value.precision() - value.scale() <= type.precision() - type.scale()) {
      BigDecimal stripped = value.stripTrailingZeros();
      if (stripped.scale() <= type.scale()) {
        return stripped.setScale(type.scale());
      }
    }
    return new Broken(
        "The column takes decimals of precision "
            + type.precision()
            + " and scale "
            + type.scale()
            + " without rounding.");
  }

  private static Reader whole(long least, long greatest, LongFunction<Object> convert) {
    return parser -> {
      if (!parser.isExpectedNumberIntToken()
          || parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
        return WHOLE;
      }
      long value = parser.getLongValue();
      return value < least || value > greatest ? WHOLE : convert.apply(value);
    };
  }

  /** JSON has no such numbers; text stands for them, as in Spark and {@link RowJson}. */
  private static Object notFinite(JsonParser parser, Function<String, Object> convert)
      throws IOException {
    boolean isText = parser.currentToken() == JsonToken.VALUE_STRING;
    return isText && NOT_FINITE.contains(parser.getText())
        ? convert.apply(parser.getText())
        : NUMBER;
  }

  private static Object text(JsonParser parser) throws IOException {
    JsonToken token = parser.currentToken();
    if (token.isStructStart()) {
      StringWriter out = new StringWriter();
      try (JsonGenerator generator = MAPPER.createGenerator(out)) {
        generator.copyCurrentStructure(parser);
      }
      return out.toString();
    }
    return parser.getText();
  }

  private static Object binary(JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      return BASE64;
    }
    try {
      return java.util.Base64.getDecoder().decode(parser.getText());
    } catch (IllegalArgumentException e) {
      return BASE64;
    }
  }

  private static Object date(JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      return DATE;
    }
    try {
      LocalDate date = LocalDate.parse(parser.getText());
      return date.toEpochDay() == (int) date.toEpochDay() ? date : DATE;
    } catch (DateTimeException e) {
      return DATE;
    }
  }

  private static Object timestamp(JsonParser parser) throws IOException {
    Instant instant = null;
    if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT
        && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
      instant = Instant.ofEpochMilli(parser.getLongValue());
    } else if (parser.currentToken() == JsonToken.VALUE_STRING) {
      instant = isoInstant(parser.getText());
    }
    return instant == null
            || instant.isBefore(FIRST_TIMESTAMP)
            || instant.isAfter(LAST_TIMESTAMP)
            || !instant.equals(instant.truncatedTo(ChronoUnit.MICROS))
        ? TIMESTAMP
        : instant;
  }

  private static Object localTimestamp(JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      return LOCAL_TIMESTAMP;
    }
    try {
      LocalDateTime time = LocalDateTime.parse(parser.getText());
      Instant instant = time.toInstant(ZoneOffset.UTC);
      return instant.isBefore(FIRST_TIMESTAMP)
              || instant.isAfter(LAST_TIMESTAMP)
              || !time.equals(time.truncatedTo(ChronoUnit.MICROS))
          ? LOCAL_TIMESTAMP
          : time;
    } catch (DateTimeException e) {
      return LOCAL_TIMESTAMP;
    }
  }

  /** Returns the instant that ISO 8601 text with an offset names, or null. */
  static Instant isoInstant(String text) {
    try {
      return OffsetDateTime.parse(text, DateTimeFormatter.ISO_OFFSET_DATE_TIME).toInstant();
    } catch (DateTimeException e) {
      return null;
    }
  }

  private static IllegalArgumentException unsupported(String name, FieldType type) {
    return new IllegalArgumentException(
        "Column \""
            + name
            + "\" must have a type that JSON can fill, but was: "
            + (type.getTypeName() == TypeName.LOGICAL_TYPE
                ? type.getLogicalType().getIdentifier()
                : type.getTypeName())
            + ". Use a type that a Delta table has; the keys of a map must be text.");
  }
}
