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
import dev.idem.io.delta.kernel.KernelSnapshot;
import io.delta.kernel.exceptions.KernelException;
import java.util.List;
import java.util.Map;

/** What a table must and must not have to be written to. */
final class TableChecks {

  private static final JsonMapper JSON = new JsonMapper();

  private static final Map<String, String> FIELD_FEATURES =
      Map.of(
          "delta.generationExpression", "generatedColumns",
          "delta.identity.start", "identityColumns",
          "delta.identity.step", "identityColumns",
          "delta.invariants", "invariants",
          "CURRENT_DEFAULT", "allowColumnDefaults",
          "__CHAR_VARCHAR_TYPE_STRING", "char/varchar");

  private static final Map<String, String> NOT_OVERWRITTEN =
      Map.of(
          "delta.appendOnly", "An overwrite would take rows out of it.",
          "delta.enableChangeDataFeed",
              "Its readers would not be told of rows that an overwrite takes out.");

  private TableChecks() {}

  /** Refuses tables whose features would not be honoured. */
  static void refuseUnusable(KernelSnapshot snapshot, String table) {
    Map<String, String> properties = snapshot.properties();
    for (String property : properties.keySet()) {
      if (property.startsWith("delta.constraints.")) {
        throw DeltaErrors.unusable(
            table, "checkConstraints", "CHECK constraints are not evaluated here.", null);
      }
    }
    if (properties.containsKey("delta.setTransactionRetentionDuration")) {
      throw DeltaErrors.unusable(
          table,
          "delta.setTransactionRetentionDuration",
          "The table would forget batch ids, and a later replay would write its rows again.",
          null);
    }
    refuseFieldFeatures(snapshot.schemaJson(), table);
    try {
      SchemaJson.read(snapshot.schemaJson());
    } catch (IllegalArgumentException e) {
      throw DeltaErrors.unusable(table, "column type", e.getMessage(), e);
    }
    try {
      snapshot.requireWritable();
    } catch (KernelException | UnsupportedOperationException e) {
      throw DeltaErrors.unusable(table, feature(snapshot), String.valueOf(e.getMessage()), e);
    }
  }

  private static String feature(KernelSnapshot snapshot) {
    return String.join(", ", new java.util.TreeSet<>(snapshot.features()));
  }

  private static void refuseFieldFeatures(String schemaJson, String table) {
    JsonNode fields;
    try {
      fields = JSON.readTree(schemaJson).path("fields");
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Schema must be JSON in table \"" + table + "\".", e);
    }
    for (JsonNode field : fields.findParents("metadata")) {
      FIELD_FEATURES.forEach(
          (key, feature) -> {
            if (field.path("metadata").has(key)) {
              throw DeltaErrors.unusable(
                  table,
                  feature,
                  "Column \"" + field.path("name").asText() + "\" has it and it is not applied.",
                  null);
            }
          });
    }
  }

  /**
   * Returns which files an overwrite replaces, and refuses tables that do not let rows leave.
   *
   * @throws IllegalArgumentException if the predicate is not one on the table's partition columns
   */
  static PartitionFilter overwrite(
      KernelSnapshot snapshot, String table, PartitionPredicate partitions) {
    for (Map.Entry<String, String> refused : NOT_OVERWRITTEN.entrySet()) {
      if (Boolean.parseBoolean(snapshot.properties().get(refused.getKey()))) {
        throw DeltaErrors.unusable(table, refused.getKey(), refused.getValue(), null);
      }
    }
    return PartitionFilter.of(
        table, SchemaJson.read(snapshot.schemaJson()), snapshot.partitionColumns(), partitions);
  }

  /** Refuses a schema of which no table can be made. */
  static void requireCreatable(String table, String schemaJson, List<String> partitionColumns) {
    try {
      TableSchema.of(schemaJson, partitionColumns).requireNames();
    } catch (IllegalArgumentException e) {
      throw DeltaErrors.notCreatable(table, e);
    }
  }

  /** Refuses files whose schema or partitioning is not the table's, by the names of the columns. */
  static void requireFit(
      KernelSnapshot snapshot, String table, String schemaJson, List<String> partitionColumns) {
    SchemaFit.require(table, SchemaJson.read(snapshot.schemaJson()), SchemaJson.read(schemaJson));
    List<String> wanted = snapshot.partitionColumns();
    if (!wanted.equals(partitionColumns)) {
      String column =
          wanted.stream()
              .filter(c -> !partitionColumns.contains(c))
              .findFirst()
              .orElseGet(() -> partitionColumns.isEmpty() ? "" : partitionColumns.get(0));
      throw DeltaErrors.partitioning(table, column, wanted, partitionColumns);
    }
  }
}
