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
package dev.idem.io.delta.schema;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Columns as the JSON that the Delta protocol writes a schema in. */
public final class SchemaJson {

  private static final JsonMapper JSON = new JsonMapper();
  private static final Pattern DECIMAL =
      Pattern.compile("decimal\\(\\s*(\\d+)\\s*,\\s*(-?\\d+)\\s*\\)");
  private static final String PHYSICAL_NAME = "delta.columnMapping.physicalName";
  private static final String FIELD_ID = "delta.columnMapping.id";
  private static final int MAX_PRECISION = 38;

  private SchemaJson() {}

  /** Returns columns as the JSON of a Delta schema. */
  public static String write(List<DeltaColumn> columns) {
    return struct(columns).toString();
  }

  private static ObjectNode struct(List<DeltaColumn> columns) {
    ObjectNode struct = JsonNodeFactory.instance.objectNode().put("type", "struct");
    ArrayNode fields = struct.putArray("fields");
    for (DeltaColumn column : columns) {
      fields.add(field(column));
    }
    return struct;
  }

  /** Returns a column as a Delta schema has it. */
  public static ObjectNode field(DeltaColumn column) {
    ObjectNode field = JsonNodeFactory.instance.objectNode().put("name", column.name());
    field.set("type", node(column.type()));
    ObjectNode metadata = field.put("nullable", column.nullable()).putObject("metadata");
    if (column.fieldId() != 0) {
      metadata.put(FIELD_ID, column.fieldId()).put(PHYSICAL_NAME, column.physicalName());
    }
    return field;
  }

  /** Returns a type as a Delta schema has it. */
  public static JsonNode node(DeltaType type) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    if (type instanceof DeltaType.Struct struct) {
      return struct(struct.fields());
    }
    if (type instanceof DeltaType.Array array) {
      node.put("type", "array").set("elementType", node(array.element()));
      return node.put("containsNull", array.containsNull());
    }
    if (type instanceof DeltaType.Map map) {
      node.put("type", "map").set("keyType", node(map.key()));
      node.set("valueType", node(map.value()));
      return node.put("valueContainsNull", map.valueContainsNull());
    }
    return JsonNodeFactory.instance.textNode(type.text());
  }

  /**
   * Returns the columns of a Delta schema.
   *
   * @throws IllegalArgumentException if one has a type that is not supported, naming it
   */
  public static List<DeltaColumn> read(String json) {
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
    return columns("", struct);
  }

  private static List<DeltaColumn> columns(String path, JsonNode struct) {
    List<DeltaColumn> columns = new ArrayList<>();
    for (JsonNode field : struct.path("fields")) {
      String name = field.path("name").asText("");
      if (name.isEmpty()) {
        throw new IllegalArgumentException(
            "Column of a Delta schema must have a name, but was: none. Name every field.");
      }
      columns.add(
          new DeltaColumn(
              name,
              type(path + name, field.path("type")),
              field.path("nullable").asBoolean(true),
              field.path("metadata").path(PHYSICAL_NAME).asText(name),
              field.path("metadata").path(FIELD_ID).asInt(0)));
    }
    requireDistinct(columns);
    return List.copyOf(columns);
  }

  static void requireDistinct(List<DeltaColumn> columns) {
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

  /**
   * Returns the type that a Delta schema gives to a column.
   *
   * @throws IllegalArgumentException if it is not supported
   */
  public static DeltaType type(String column, JsonNode type) {
    String name = type.isTextual() ? type.asText() : type.path("type").asText();
    if (type.isTextual()) {
      Matcher decimal = DECIMAL.matcher(name);
      if (decimal.matches()) {
        return decimal(
            column, Integer.parseInt(decimal.group(1)), Integer.parseInt(decimal.group(2)));
      }
      for (DeltaType.Primitive primitive : DeltaType.Primitive.values()) {
        if (primitive.text().equals(name)) {
          return primitive;
        }
      }
      throw unsupported(column, name);
    }
    return switch (name) {
      case "struct" -> new DeltaType.Struct(columns(column + ".", type));
      case "array" ->
          new DeltaType.Array(
              type(column + ".element", type.path("elementType")),
              type.path("containsNull").asBoolean(true));
      case "map" ->
          new DeltaType.Map(
              type(column + ".key", type.path("keyType")),
              type(column + ".value", type.path("valueType")),
              type.path("valueContainsNull").asBoolean(true));
      default -> throw unsupported(column, name);
    };
  }

  static DeltaType.Decimal decimal(String column, int precision, int scale) {
    if (precision < 1 || precision > MAX_PRECISION || scale < 0 || scale > precision) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "Column \"%s\" must be a decimal(p,s) with 0 <= s <= p <= 38, but was: decimal(%d,%d)."
                  + " Change the schema.",
              column,
              precision,
              scale));
    }
    return new DeltaType.Decimal(precision, scale);
  }

  static IllegalArgumentException unsupported(String column, String type) {
    return new IllegalArgumentException(
        "Column \""
            + column
            + "\" must be a string, byte, short, integer, long, float, double, decimal, boolean,"
            + " binary, date, timestamp, timestamp_ntz, array, map or struct, but was: "
            + type
            + ". Leave the column out or store it as text.");
  }
}
