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
package dev.idem.io.delta.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.idem.io.delta.kernel.KernelCommit;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaType;
import dev.idem.io.delta.schema.SchemaJson;
import dev.idem.io.delta.schema.TableNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/*
 * The table's schema is changed as JSON, so that what only others understand of it, such as comments,
 * stays.
 */
/** A table's schema with what rows need that it lacks. */
final class EvolvedSchema {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String TYPE_WIDENING = "delta.enableTypeWidening";
  private static final String COLUMN_MAPPING = "delta.columnMapping.mode";
  private static final String TYPE_CHANGES = "delta.typeChanges";
  private static final int BYTE_DIGITS = 10;
  private static final int LONG_DIGITS = 20;

  private final SchemaEvolution evolution;
  private final boolean widens;
  private final boolean mapped;
  private final List<String> changes = new ArrayList<>();
  private int maxFieldId;
  private JsonNode schema;

  private EvolvedSchema(SchemaEvolution evolution, boolean widens, boolean mapped, int maxFieldId) {
    this.evolution = evolution;
    this.widens = widens;
    this.mapped = mapped;
    this.maxFieldId = maxFieldId;
  }

  /**
   * Returns the schema of a table, changed so that it takes rows as far as that is allowed.
   *
   * @param given the schema of the rows, under any case of the table's names
   */
  static EvolvedSchema of(KernelSnapshot snapshot, String given, SchemaEvolution evolution) {
    Map<String, String> properties = snapshot.properties();
    List<DeltaColumn> table = SchemaJson.read(snapshot.schemaJson());
    return of(
        snapshot.schemaJson(),
        TableNames.of(table, SchemaJson.read(given)),
        evolution,
        Boolean.parseBoolean(properties.get(TYPE_WIDENING)),
        !properties.getOrDefault(COLUMN_MAPPING, "none").equals("none"),
        Integer.parseInt(properties.getOrDefault(KernelCommit.MAX_FIELD_ID, "0")));
  }

  /**
   * Returns the schema of a table, changed so that it takes rows as far as that is allowed.
   *
   * @param schemaJson the table's schema
   * @param given the columns of the rows, under the table's names
   * @param widens whether the table may have wider types than its files
   * @param mapped whether the table's columns have names of their own in its files
   * @param maxFieldId the greatest number of a column in a mapped table
   */
  static EvolvedSchema of(
      String schemaJson,
      List<DeltaColumn> given,
      SchemaEvolution evolution,
      boolean widens,
      boolean mapped,
      int maxFieldId) {
    EvolvedSchema evolved = new EvolvedSchema(evolution, widens, mapped, maxFieldId);
    try {
      JsonNode root = JSON.readTree(schemaJson);
      if (evolution != SchemaEvolution.NONE) {
        evolved.extend("", (ObjectNode) root, given);
      }
      evolved.schema = root;
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Schema of a table must be JSON.", e);
    }
    return evolved;
  }

  /** Returns the schema as the table gets it in a commit, nothing if it stays as it is. */
  Optional<KernelCommit.NewSchema> forCommit() {
    return changes.isEmpty()
        ? Optional.empty()
        : Optional.of(new KernelCommit.NewSchema(json(), maxFieldId));
  }

  /** Returns the columns. */
  List<DeltaColumn> columns() {
    return SchemaJson.read(json());
  }

  /** Returns the schema as JSON. */
  String json() {
    return schema.toString();
  }

  /** Returns what was changed, as a user reads it; nothing if the schema is the table's. */
  List<String> changes() {
    return List.copyOf(changes);
  }

  private void extend(String path, ObjectNode struct, List<DeltaColumn> given) {
    ArrayNode fields = (ArrayNode) struct.get("fields");
    for (DeltaColumn column : given) {
      ObjectNode known = find(fields, column.name());
      if (known == null) {
        fields.add(field(column));
        changes.add("added column " + path + column.name() + " " + column.type().text());
      } else {
        JsonNode type =
            changed(
                path + column.name(),
                known.get("type"),
                column.type(),
                change -> known.withObject("/metadata").withArray(TYPE_CHANGES).add(change));
        known.set("type", type);
      }
    }
  }

  private static ObjectNode find(ArrayNode fields, String name) {
    for (JsonNode field : fields) {
      if (field.path("name").asText().equals(name)) {
        return (ObjectNode) field;
      }
    }
    return null;
  }

  /** A column that older rows lack is null in them. */
  private JsonNode field(DeltaColumn column) {
    return SchemaJson.field(
        new DeltaColumn(
            column.name(),
            numbered(column.type()),
            true,
            mapped ? physicalName(column) : column.name(),
            mapped ? fieldId(column) : 0));
  }

  private DeltaType numbered(DeltaType type) {
    if (type instanceof DeltaType.Struct struct) {
      return new DeltaType.Struct(
          struct.fields().stream()
              .map(
                  field ->
                      new DeltaColumn(
                          field.name(),
                          numbered(field.type()),
                          field.nullable(),
                          mapped ? physicalName(field) : field.name(),
                          mapped ? fieldId(field) : 0))
              .toList());
    }
    if (type instanceof DeltaType.Array array) {
      return new DeltaType.Array(numbered(array.element()), array.containsNull());
    }
    if (type instanceof DeltaType.Map map) {
      return new DeltaType.Map(numbered(map.key()), numbered(map.value()), map.valueContainsNull());
    }
    return type;
  }

  /** Files that are written already have the names that were given to their columns. */
  private int fieldId(DeltaColumn column) {
    int id = column.fieldId() > maxFieldId ? column.fieldId() : maxFieldId + 1;
    maxFieldId = id;
    return id;
  }

  private static String physicalName(DeltaColumn column) {
    return column.fieldId() == 0 ? "col-" + UUID.randomUUID() : column.physicalName();
  }

  private JsonNode changed(
      String path, JsonNode table, DeltaType given, Consumer<JsonNode> widened) {
    String kind = table.path("type").asText();
    if (kind.equals("struct") && given instanceof DeltaType.Struct struct) {
      extend(path + ".", (ObjectNode) table, struct.fields());
    } else if (kind.equals("array") && given instanceof DeltaType.Array array) {
      within(path, table, "elementType", "element", array.element(), widened);
    } else if (kind.equals("map") && given instanceof DeltaType.Map map) {
      within(path, table, "keyType", "key", map.key(), widened);
      within(path, table, "valueType", "value", map.value(), widened);
    } else if (table.isTextual() && widens && evolution == SchemaEvolution.WIDEN) {
      DeltaType known = SchemaJson.type(path, table);
      if (isWider(known, given)) {
        widened.accept(
            JSON.createObjectNode().put("fromType", known.text()).put("toType", given.text()));
        changes.add("widened column " + path + " " + known.text() + " to " + given.text());
        return SchemaJson.node(given);
      }
    }
    return table;
  }

  private void within(
      String path,
      JsonNode table,
      String field,
      String part,
      DeltaType given,
      Consumer<JsonNode> widened) {
    JsonNode type =
        changed(
            path + "." + part,
            table.get(field),
            given,
            change -> {
              String below = change.path("fieldPath").asText("");
              ((ObjectNode) change).put("fieldPath", below.isEmpty() ? part : part + "." + below);
              widened.accept(change);
            });
    ((ObjectNode) table).set(field, type);
  }

  /**
   * Returns whether the Delta protocol lets a type become another one. Source: the type changes
   * that its feature "typeWidening" lists.
   */
  private static boolean isWider(DeltaType from, DeltaType to) {
    if (from instanceof DeltaType.Decimal known) {
      return to instanceof DeltaType.Decimal wider
          && takes(wider, known.precision(), known.scale())
          && !wider.equals(known);
    }
    if (!(from instanceof DeltaType.Primitive known)) {
      return false;
    }
    return switch (known) {
      case BYTE, SHORT, INTEGER ->
          to instanceof DeltaType.Decimal decimal
              ? takes(decimal, BYTE_DIGITS, 0)
              : to == DeltaType.Primitive.DOUBLE || isLarger(known, to);
      case LONG -> to instanceof DeltaType.Decimal decimal && takes(decimal, LONG_DIGITS, 0);
      case FLOAT -> to == DeltaType.Primitive.DOUBLE;
      case DATE -> to == DeltaType.Primitive.TIMESTAMP_NTZ;
      default -> false;
    };
  }

  private static boolean takes(DeltaType.Decimal decimal, int precision, int scale) {
    return decimal.scale() >= scale && decimal.precision() - decimal.scale() >= precision - scale;
  }

  private static boolean isLarger(DeltaType.Primitive from, DeltaType to) {
    List<DeltaType> wholeNumbers =
        List.of(
            DeltaType.Primitive.BYTE,
            DeltaType.Primitive.SHORT,
            DeltaType.Primitive.INTEGER,
            DeltaType.Primitive.LONG);
    return wholeNumbers.indexOf(to) > wholeNumbers.indexOf(from);
  }
}
