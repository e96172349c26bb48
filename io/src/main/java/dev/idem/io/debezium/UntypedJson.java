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
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.values.Row;

/** Reads JSON of which the event has no schema, by the type of its column. */
final class UntypedJson {

  /** Decimals with more zeros than this are not written out. */
  static final int MAX_SCALE = 10_000;

  private static final String NUMBER_OF_TIME =
      "A timestamp that is a number needs its unit: say it by withUnit, or have events with schemas.";
  private static final String DECIMAL =
      "A decimal must be a number, or base64 of its unscaled value if the column has a scale.";

  private UntypedJson() {}

  /** Returns a value as {@link ConnectValues} would, had it a schema. */
  static Object read(JsonNode json, FieldType type, DecodeRules rules) throws BadEventException {
    return switch (type.getTypeName()) {
      case STRING -> text(json);
      case BYTES -> binary(json);
      case ARRAY, ITERABLE -> elements(json);
      case DATETIME -> instant(json, rules);
      case DECIMAL -> decimal(json, null, rules);
      case LOGICAL_TYPE -> logical(json, type.getLogicalType(), rules);
      default -> scalar(json);
    };
  }

  private static Object scalar(JsonNode json) {
    if (json.isBoolean()) {
      return json.booleanValue();
    }
    return json.isFloatingPointNumber() ? json.doubleValue() : ColumnValue.plain(json);
  }

  private static String text(JsonNode json) throws BadEventException {
    if (json.isFloatingPointNumber()) {
      return ColumnValue.written(json).toString();
    }
    return json.isValueNode() ? json.asText() : json.toString();
  }

  private static List<JsonNode> elements(JsonNode json) throws BadEventException {
    if (!json.isArray()) {
      throw BadEventException.parse("", "The column takes JSON arrays.");
    }
    List<JsonNode> elements = new ArrayList<>(json.size());
    json.forEach(elements::add);
    return elements;
  }

  private static byte[] binary(JsonNode json) throws BadEventException {
    try {
      if (json.isTextual()) {
        return json.binaryValue();
      }
    } catch (IOException e) {
      // Not base64, which is said below.
    }
    throw BadEventException.parse("", "The column takes base64 text.");
  }

  private static Object logical(JsonNode json, Schema.LogicalType<?, ?> type, DecodeRules rules)
      throws BadEventException {
    String identifier = type.getIdentifier();
    if (identifier.equals(SqlTypes.DATE.getIdentifier())) {
      return json.isIntegralNumber()
          ? LocalDate.ofEpochDay(json.longValue())
          : LocalDate.parse(json.asText());
    }
    if (identifier.equals(SqlTypes.DATETIME.getIdentifier())) {
      return json.isNumber() ? sinceEpoch(json, rules) : localTime(json.asText());
    }
    if (identifier.equals(FixedPrecisionNumeric.IDENTIFIER)) {
      return decimal(json, ((Row) type.getArgument()).getInt32("scale"), rules);
    }
    return instant(json, rules);
  }

  private static LocalDateTime localTime(String text) {
    boolean utc = text.endsWith("Z");
    return LocalDateTime.parse(utc ? text.substring(0, text.length() - 1) : text);
  }

  private static Object instant(JsonNode json, DecodeRules rules) throws BadEventException {
    return json.isNumber()
        ? sinceEpoch(json, rules).toInstant(ZoneOffset.UTC)
        : OffsetDateTime.parse(json.asText()).toInstant();
  }

  private static LocalDateTime sinceEpoch(JsonNode json, DecodeRules rules)
      throws BadEventException {
    if (rules.unit() == null || !json.isIntegralNumber() || !json.canConvertToLong()) {
      throw BadEventException.parse("", NUMBER_OF_TIME);
    }
    return ConnectValues.timestamp(json.longValue(), rules.unit().getDuration().toNanos());
  }

  private static BigDecimal decimal(JsonNode json, Integer scale, DecodeRules rules)
      throws BadEventException {
    if (json.isNumber()) {
      return ColumnValue.written(json);
    }
    if (json.isObject() && json.path("value").isTextual() && json.path("scale").isInt()) {
      return new BigDecimal(
          new BigInteger(binary(json.path("value"))), json.path("scale").intValue());
    }
    if (json.isTextual()) {
      try {
        if (rules.decimalsAsText()) {
          return new BigDecimal(json.textValue());
        }
        if (scale != null) {
          return new BigDecimal(new BigInteger(binary(json)), scale);
        }
      } catch (NumberFormatException e) {
        throw BadEventException.parse("", DECIMAL);
      }
    }
    throw BadEventException.parse("", DECIMAL);
  }
}
