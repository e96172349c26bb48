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
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A schema of Kafka Connect, as events carry it: what values are, and what they mean.
 *
 * @param kind what values are
 * @param optional whether a value may be null
 * @param name what values mean, a name that Kafka Connect or Debezium gives; empty if nothing more
 * @param parameters what the name needs to be understood, such as the scale of decimals
 * @param fields the fields of a struct
 * @param element the elements of an array, the values of a map
 */
record ConnectSchema(
    Kind kind,
    boolean optional,
    String name,
    Map<String, String> parameters,
    Map<String, ConnectSchema> fields,
    @Nullable ConnectSchema element) {

  enum Kind {
    INT8,
    INT16,
    INT32,
    INT64,
    FLOAT,
    DOUBLE,
    BOOLEAN,
    STRING,
    BYTES,
    ARRAY,
    MAP,
    STRUCT
  }

  static final String DECIMAL = "org.apache.kafka.connect.data.Decimal";
  static final String CONNECT_DATE = "org.apache.kafka.connect.data.Date";
  static final String CONNECT_TIME = "org.apache.kafka.connect.data.Time";
  static final String CONNECT_TIMESTAMP = "org.apache.kafka.connect.data.Timestamp";
  static final String VARIABLE_SCALE_DECIMAL = "io.debezium.data.VariableScaleDecimal";
  static final String DATE = "io.debezium.time.Date";
  static final String TIME = "io.debezium.time.Time";
  static final String MICRO_TIME = "io.debezium.time.MicroTime";
  static final String NANO_TIME = "io.debezium.time.NanoTime";
  static final String TIMESTAMP = "io.debezium.time.Timestamp";
  static final String MICRO_TIMESTAMP = "io.debezium.time.MicroTimestamp";
  static final String NANO_TIMESTAMP = "io.debezium.time.NanoTimestamp";
  static final String ZONED_TIMESTAMP = "io.debezium.time.ZonedTimestamp";

  /** The most digits that a decimal of a table has. */
  private static final int MAX_PRECISION = 38;

  /** Reads the schema that an event in JSON carries; throws for what is none. */
  static ConnectSchema parse(JsonNode json) throws BadEventException {
    Kind kind =
        switch (json.path("type").asText()) {
          case "int8" -> Kind.INT8;
          case "int16" -> Kind.INT16;
          case "int32" -> Kind.INT32;
          case "int64" -> Kind.INT64;
          case "float", "float32" -> Kind.FLOAT;
          case "double", "float64" -> Kind.DOUBLE;
          case "boolean" -> Kind.BOOLEAN;
          case "string" -> Kind.STRING;
          case "bytes" -> Kind.BYTES;
          case "array" -> Kind.ARRAY;
          case "map" -> Kind.MAP;
          case "struct" -> Kind.STRUCT;
          default ->
              throw BadEventException.parse("", "A schema must have a type that Connect has.");
        };
    Map<String, String> parameters = new LinkedHashMap<>();
    json.path("parameters")
        .properties()
        .forEach(p -> parameters.put(p.getKey(), p.getValue().asText()));
    Map<String, ConnectSchema> fields = new LinkedHashMap<>();
    for (JsonNode field : json.path("fields")) {
      fields.put(field.path("field").asText(), parse(field));
    }
    JsonNode element = kind == Kind.ARRAY ? json.path("items") : json.path("values");
    return new ConnectSchema(
        kind,
        json.path("optional").asBoolean(),
        json.path("name").asText(),
        parameters,
        fields,
        kind == Kind.ARRAY || kind == Kind.MAP ? parse(element) : null);
  }

  /** Returns the type of a column that holds values of this schema. */
  FieldType beamType() {
    return switch (name) {
      case DECIMAL -> decimalType();
      case VARIABLE_SCALE_DECIMAL, CONNECT_TIME, TIME, MICRO_TIME, NANO_TIME -> FieldType.STRING;
      case DATE, CONNECT_DATE -> FieldType.logicalType(SqlTypes.DATE);
      case TIMESTAMP, CONNECT_TIMESTAMP, MICRO_TIMESTAMP, NANO_TIMESTAMP ->
          FieldType.logicalType(SqlTypes.DATETIME);
      case ZONED_TIMESTAMP -> FieldType.logicalType(new MicrosInstant());
      default -> physicalType();
    };
  }

  private FieldType physicalType() {
    return switch (kind) {
      case INT8 -> FieldType.BYTE;
      case INT16 -> FieldType.INT16;
      case INT32 -> FieldType.INT32;
      case INT64 -> FieldType.INT64;
      case FLOAT -> FieldType.FLOAT;
      case DOUBLE -> FieldType.DOUBLE;
      case BOOLEAN -> FieldType.BOOLEAN;
      case STRING -> FieldType.STRING;
      case BYTES -> FieldType.BYTES;
      case ARRAY -> FieldType.array(element.beamType().withNullable(true));
      case MAP -> FieldType.map(FieldType.STRING, element.beamType().withNullable(true));
      case STRUCT -> FieldType.row(columns());
    };
  }

  /** Returns the fields of a struct as nullable columns. */
  Schema columns() {
    Schema.Builder columns = Schema.builder();
    fields.forEach((column, schema) -> columns.addNullableField(column, schema.beamType()));
    return columns.build();
  }

  /** A decimal that no table can hold is its text. */
  private FieldType decimalType() {
    int scale = scale();
    int precision = number("connect.decimal.precision", MAX_PRECISION);
    return precision < 1 || precision > MAX_PRECISION || scale < 0 || scale > precision
        ? FieldType.STRING
        : FieldType.logicalType(FixedPrecisionNumeric.of(precision, scale));
  }

  /** Returns the number of digits behind the point of a decimal. */
  int scale() {
    return number("scale", 0);
  }

  private int number(String parameter, int otherwise) {
    try {
      return Integer.parseInt(parameters.getOrDefault(parameter, String.valueOf(otherwise)));
    } catch (NumberFormatException e) {
      return otherwise;
    }
  }
}
