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
package dev.idem.io.delta;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;

/**
 * Beam schemas for Delta schemas and back.
 *
 * <table>
 *   <caption>Types</caption>
 *   <tr><th>Delta</th><th>Beam, as {@link #parse} gives it</th><th>also accepted</th></tr>
 *   <tr><td>string, long, integer, double, boolean, binary</td>
 *       <td>STRING, INT64, INT32, DOUBLE, BOOLEAN, BYTES</td><td></td></tr>
 *   <tr><td>timestamp</td><td>{@link MicrosInstant}</td><td>DATETIME</td></tr>
 *   <tr><td>date</td><td>{@link SqlTypes#DATE}</td><td></td></tr>
 *   <tr><td>decimal(p,s)</td><td>DECIMAL; p and s stay in the Delta schema</td>
 *       <td>{@link FixedPrecisionNumeric}</td></tr>
 * </table>
 *
 * <p>Every other type is refused by the name of its column. Names are matched exactly, but no two
 * columns of a table may differ in case only.
 */
public final class DeltaSchemas {

  private static final JsonMapper JSON = new JsonMapper();
  private static final Pattern DECIMAL =
      Pattern.compile("decimal\\(\\s*(\\d+)\\s*,\\s*(-?\\d+)\\s*\\)");
  private static final int MAX_PRECISION = 38;

  private DeltaSchemas() {}

  /**
   * Returns the Beam schema of a table with the given Delta schema.
   *
   * @param json the Delta schema as JSON
   * @throws IllegalArgumentException if it is not a Delta schema, or has a type that is not
   *     supported; the message names the column
   */
  public static Schema parse(String json) {
    Schema.Builder schema = Schema.builder();
    for (DeltaColumn column : columns(json)) {
      schema.addField(
          Schema.Field.of(column.name(), beamType(column)).withNullable(column.nullable()));
    }
    return schema.build();
  }

  /**
   * Returns the Delta schema, as JSON, that holds rows of the given Beam schema.
   *
   * @throws IllegalArgumentException if a field has no counterpart, or is a DECIMAL without
   *     precision; the message names it
   */
  public static String toJson(Schema schema) {
    List<DeltaColumn> columns = new ArrayList<>();
    for (Schema.Field field : schema.getFields()) {
      DeltaColumn column = column(field);
      if (column.type() == DeltaColumn.Type.DECIMAL && column.precision() == 0) {
        throw new IllegalArgumentException(
            "Column \""
                + field.getName()
                + "\" must have a precision and a scale, but was: DECIMAL. Give the table's schema"
                + " as Delta schema JSON, or use FixedPrecisionNumeric.");
      }
      columns.add(column);
    }
    requireDistinct(columns);
    return toJson(columns);
  }

  static String toJson(List<DeltaColumn> columns) {
    ObjectNode struct = JSON.createObjectNode().put("type", "struct");
    ArrayNode fields = struct.putArray("fields");
    for (DeltaColumn column : columns) {
      fields
          .addObject()
          .put("name", column.name())
          .put("type", column.typeName())
          .put("nullable", column.nullable())
          .putObject("metadata");
    }
    return struct.toString();
  }

  static List<DeltaColumn> columns(String json) {
    JsonNode struct;
    try {
      struct = JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "Delta schema must be JSON. Give {\"type\":\"struct\",\"fields\":[...]}.", e);
    }
    if (!struct.path("type").asText().equals("struct") || !struct.path("fields").isArray()) {
      throw new IllegalArgumentException(
          "Delta schema must be a struct with fields, but was of type: \""
              + struct.path("type").asText()
              + "\". Give {\"type\":\"struct\",\"fields\":[...]}.");
    }
    List<DeltaColumn> columns = new ArrayList<>();
    for (JsonNode field : struct.get("fields")) {
      columns.add(column(field));
    }
    requireDistinct(columns);
    return List.copyOf(columns);
  }

  private static void requireDistinct(List<DeltaColumn> columns) {
    Set<String> names = new HashSet<>();
    for (DeltaColumn column : columns) {
      if (!names.add(column.name().toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException(
            "Column names must differ in more than case, but was: \""
                + column.name()
                + "\" again. Rename one of them.");
      }
    }
  }

  private static DeltaColumn column(JsonNode field) {
    String name = field.path("name").asText("");
    if (name.isEmpty()) {
      throw new IllegalArgumentException(
          "Column of a Delta schema must have a name, but was: none. Name every field.");
    }
    boolean nullable = field.path("nullable").asBoolean(true);
    JsonNode type = field.path("type");
    String typeName = type.isTextual() ? type.asText() : type.path("type").asText();
    Matcher decimal = DECIMAL.matcher(typeName);
    if (type.isTextual() && decimal.matches()) {
      int precision = Integer.parseInt(decimal.group(1));
      int scale = Integer.parseInt(decimal.group(2));
      return decimal(name, precision, scale, nullable);
    }
    for (DeltaColumn.Type candidate : DeltaColumn.Type.values()) {
      if (type.isTextual()
          && candidate != DeltaColumn.Type.DECIMAL
          && candidate.deltaName.equals(typeName)) {
        return new DeltaColumn(name, candidate, 0, 0, nullable);
      }
    }
    throw unsupported(name, typeName);
  }

  private static DeltaColumn decimal(String name, int precision, int scale, boolean nullable) {
    if (precision < 1 || precision > MAX_PRECISION || scale < 0 || scale > precision) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "Column \"%s\" must be a decimal(p,s) with 0 <= s <= p <= 38, but was: decimal(%d,%d)."
                  + " Change the schema.",
              name,
              precision,
              scale));
    }
    return new DeltaColumn(name, DeltaColumn.Type.DECIMAL, precision, scale, nullable);
  }

  private static IllegalArgumentException unsupported(String column, String type) {
    return new IllegalArgumentException(
        "Column \""
            + column
            + "\" must be a string, long, integer, double, boolean, timestamp, date, decimal or"
            + " binary, but was: "
            + type
            + ". Leave the column out or store it as text.");
  }

  private static FieldType beamType(DeltaColumn column) {
    return switch (column.type()) {
      case STRING -> FieldType.STRING;
      case LONG -> FieldType.INT64;
      case INTEGER -> FieldType.INT32;
      case DOUBLE -> FieldType.DOUBLE;
      case BOOLEAN -> FieldType.BOOLEAN;
      case TIMESTAMP -> FieldType.logicalType(new MicrosInstant());
      case DATE -> FieldType.logicalType(SqlTypes.DATE);
      case DECIMAL -> FieldType.DECIMAL;
      case BINARY -> FieldType.BYTES;
    };
  }

  /** Returns the column for a Beam field; a plain DECIMAL has precision and scale 0. */
  static DeltaColumn column(Schema.Field field) {
    String name = field.getName();
    FieldType type = field.getType();
    boolean nullable = type.getNullable();
    return switch (type.getTypeName()) {
      case STRING -> new DeltaColumn(name, DeltaColumn.Type.STRING, 0, 0, nullable);
      case INT64 -> new DeltaColumn(name, DeltaColumn.Type.LONG, 0, 0, nullable);
      case INT32 -> new DeltaColumn(name, DeltaColumn.Type.INTEGER, 0, 0, nullable);
      case DOUBLE -> new DeltaColumn(name, DeltaColumn.Type.DOUBLE, 0, 0, nullable);
      case BOOLEAN -> new DeltaColumn(name, DeltaColumn.Type.BOOLEAN, 0, 0, nullable);
      case BYTES -> new DeltaColumn(name, DeltaColumn.Type.BINARY, 0, 0, nullable);
      case DATETIME -> new DeltaColumn(name, DeltaColumn.Type.TIMESTAMP, 0, 0, nullable);
      case DECIMAL -> new DeltaColumn(name, DeltaColumn.Type.DECIMAL, 0, 0, nullable);
      case LOGICAL_TYPE -> logicalColumn(name, type, nullable);
      default -> throw unsupported(name, type.getTypeName().toString());
    };
  }

  private static DeltaColumn logicalColumn(String name, FieldType type, boolean nullable) {
    Schema.LogicalType<?, ?> logical = type.getLogicalType();
    if (logical.getIdentifier().equals(MicrosInstant.IDENTIFIER)) {
      return new DeltaColumn(name, DeltaColumn.Type.TIMESTAMP, 0, 0, nullable);
    }
    if (logical.getIdentifier().equals(SqlTypes.DATE.getIdentifier())) {
      return new DeltaColumn(name, DeltaColumn.Type.DATE, 0, 0, nullable);
    }
    if (logical instanceof FixedPrecisionNumeric) {
      org.apache.beam.sdk.values.Row argument =
          (org.apache.beam.sdk.values.Row) logical.getArgument();
      Integer precision = argument.getInt32("precision");
      Integer scale = argument.getInt32("scale");
      return precision == null || scale == null
          ? new DeltaColumn(name, DeltaColumn.Type.DECIMAL, 0, 0, nullable)
          : decimal(name, precision, scale, nullable);
    }
    throw unsupported(name, logical.getIdentifier());
  }
}
