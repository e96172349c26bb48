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

import dev.idem.io.debezium.ConnectSchema.Kind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.JsonProperties;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Reads Avro schemas as what the converter of Kafka Connect made them from. */
final class AvroSchemas {

  /** Schemas of Connect are trees; one of Avro may refer to itself. */
  private static final int MAX_DEPTH = 64;

  private AvroSchemas() {}

  static ConnectSchema toConnect(Schema schema) throws BadEventException {
    return toConnect(schema, false, 0);
  }

  private static ConnectSchema toConnect(Schema schema, boolean optional, int depth)
      throws BadEventException {
    if (depth > MAX_DEPTH) {
      throw BadEventException.parse("", "A schema must not refer to itself.");
    }
    if (schema.getType() == Schema.Type.UNION) {
      return toConnect(notNull(schema), true, depth + 1);
    }
    Kind kind = kind(schema);
    Map<String, ConnectSchema> fields = new LinkedHashMap<>();
    if (kind == Kind.STRUCT) {
      for (Schema.Field field : schema.getFields()) {
        try {
          fields.put(field.name(), toConnect(field.schema(), false, depth + 1));
        } catch (BadEventException e) {
          throw e.in(field.name());
        }
      }
    }
    ConnectSchema element =
        switch (kind) {
          case ARRAY -> toConnect(schema.getElementType(), false, depth + 1);
          case MAP -> toConnect(schema.getValueType(), false, depth + 1);
          default -> null;
        };
    return new ConnectSchema(kind, optional, name(schema), parameters(schema), fields, element);
  }

  private static Schema notNull(Schema union) throws BadEventException {
    List<Schema> types =
        union.getTypes().stream().filter(type -> type.getType() != Schema.Type.NULL).toList();
    if (types.size() != 1) {
      throw BadEventException.parse("", "A union must be one of null and one other type.");
    }
    return types.get(0);
  }

  private static Kind kind(Schema schema) throws BadEventException {
    return switch (schema.getType()) {
      case INT ->
          switch (String.valueOf(schema.getProp("connect.type"))) {
            case "int8" -> Kind.INT8;
            case "int16" -> Kind.INT16;
            default -> Kind.INT32;
          };
      case LONG -> Kind.INT64;
      case FLOAT -> Kind.FLOAT;
      case DOUBLE -> Kind.DOUBLE;
      case BOOLEAN -> Kind.BOOLEAN;
      case STRING, ENUM -> Kind.STRING;
      case BYTES, FIXED -> Kind.BYTES;
      case ARRAY -> Kind.ARRAY;
      case MAP -> Kind.MAP;
      case RECORD -> Kind.STRUCT;
      case NULL, UNION ->
          throw BadEventException.parse("", "A schema must have a type that Connect has.");
    };
  }

  private static String name(Schema schema) {
    String name = schema.getProp("connect.name");
    if (name != null) {
      return name;
    }
    LogicalType logical = schema.getLogicalType();
    return logical == null
        ? ""
        : switch (logical.getName()) {
          case "decimal" -> ConnectSchema.DECIMAL;
          case "date" -> ConnectSchema.CONNECT_DATE;
          case "time-millis" -> ConnectSchema.CONNECT_TIME;
          case "time-micros" -> ConnectSchema.MICRO_TIME;
          case "timestamp-millis", "local-timestamp-millis" -> ConnectSchema.CONNECT_TIMESTAMP;
          case "timestamp-micros", "local-timestamp-micros" -> ConnectSchema.MICRO_TIMESTAMP;
          default -> "";
        };
  }

  /** The converter gives decimals of unknown precision one that means nothing. */
  private static Map<String, String> parameters(Schema schema) {
    Map<String, String> parameters = new LinkedHashMap<>();
    if (schema.getLogicalType() instanceof LogicalTypes.Decimal decimal) {
      parameters.put("scale", String.valueOf(decimal.getScale()));
      if (schema.getProp("connect.name") == null) {
        parameters.put("connect.decimal.precision", String.valueOf(decimal.getPrecision()));
      }
    }
    if (schema.getObjectProp("connect.parameters") instanceof Map<?, ?> given) {
      given.forEach((name, value) -> parameters.put((String) name, text(value)));
    }
    return parameters;
  }

  private static String text(@Nullable Object value) {
    return value == null || value == JsonProperties.NULL_VALUE ? "" : value.toString();
  }
}
