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
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;

/** Reads the JSON value under the parser as one column's value. */
record JsonColumn(boolean nullable, Reader reader) {

  /** Why a value does not fit its column. */
  record Broken(String rule) {}

  /** Returns the column's Java value, or {@link Broken}. */
  interface Reader {
    Object read(JsonParser parser) throws IOException;
  }

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Broken WHOLE = new Broken("The column takes whole numbers of its range.");
  private static final Broken NUMBER = new Broken("The column takes numbers.");
  private static final Broken BOOLEAN = new Broken("The column takes true and false.");
  private static final Broken BASE64 = new Broken("The column takes base64 text.");
  private static final Broken DATE =
      new Broken("The column takes dates as ISO 8601 text, within 32 bits of days around 1970.");
  private static final Broken TIMESTAMP =
      new Broken(
          "The column takes ISO 8601 text with an offset and at most microseconds, or whole"
              + " milliseconds, within 64 bits of microseconds around 1970.");

  /** Beam's timestamps end where 64 bits of microseconds end, and so do those of tables. */
  private static final Instant FIRST_TIMESTAMP =
      Instant.ofEpochMilli(BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis());

  private static final Instant LAST_TIMESTAMP =
      Instant.ofEpochMilli(BoundedWindow.TIMESTAMP_MAX_VALUE.getMillis());

  Object read(JsonParser parser) throws IOException {
    return reader.read(parser);
  }

  static JsonColumn[] of(Schema schema) {
    return schema.getFields().stream()
        .map(field -> new JsonColumn(field.getType().getNullable(), reader(field)))
        .toArray(JsonColumn[]::new);
  }

  private static Reader reader(Schema.Field field) {
    FieldType type = field.getType();
    return switch (type.getTypeName()) {
      case STRING -> JsonColumn::text;
      case INT32 -> parser -> parser.isExpectedNumberIntToken() ? whole(parser, true) : WHOLE;
      case INT64 -> parser -> parser.isExpectedNumberIntToken() ? whole(parser, false) : WHOLE;
      case DOUBLE ->
          parser -> parser.currentToken().isNumeric() ? (Object) parser.getDoubleValue() : NUMBER;
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
      case LOGICAL_TYPE -> logical(field);
      default -> throw unsupported(field);
    };
  }

  private static Reader logical(Schema.Field field) {
    FieldType type = field.getType();
    String identifier = type.getLogicalType().getIdentifier();
    if (identifier.equals(org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant.IDENTIFIER)) {
      return JsonColumn::timestamp;
    }
    if (identifier.equals(org.apache.beam.sdk.schemas.logicaltypes.Date.IDENTIFIER)) {
      return JsonColumn::date;
    }
    if (identifier.equals(
        org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric.IDENTIFIER)) {
      Row precisionAndScale = Row.of(type.getLogicalType().getArgument());
      return parser -> decimal(parser, precisionAndScale);
    }
    throw unsupported(field);
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

  private static Object whole(JsonParser parser, boolean int32) throws IOException {
    JsonParser.NumberType number = parser.getNumberType();
    if (number == JsonParser.NumberType.BIG_INTEGER) {
      return WHOLE;
    }
    long value = parser.getLongValue();
    if (!int32) {
      return value;
    }
    return value == (int) value ? (Object) (int) value : WHOLE;
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

  /** Returns the instant that ISO 8601 text with an offset names, or null. */
  static Instant isoInstant(String text) {
    try {
      return OffsetDateTime.parse(text, DateTimeFormatter.ISO_OFFSET_DATE_TIME).toInstant();
    } catch (DateTimeException e) {
      return null;
    }
  }

  private static IllegalArgumentException unsupported(Schema.Field field) {
    return new IllegalArgumentException(
        "Column \""
            + field.getName()
            + "\" must have a type that JSON can fill, but was: "
            + field.getType().getTypeName()
            + ". Use string, int, long, double, boolean, timestamp, date, decimal or binary.");
  }
}
