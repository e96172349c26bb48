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
import dev.idem.io.delta.file.PartitionFilter;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.delta.schema.SchemaFit;
import dev.idem.io.delta.schema.SchemaJson;
import dev.idem.io.delta.schema.TableSchema;
import io.delta.kernel.exceptions.KernelException;
import io.delta.kernel.exceptions.UnsupportedProtocolVersionException;
import io.delta.kernel.exceptions.UnsupportedTableFeatureException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** What a table must and must not have to be written to. */
public final class TableChecks {

  private static final JsonMapper JSON = new JsonMapper();

  private static final Map<String, String> FIELD_FEATURES =
      Map.of(
          "delta.generationExpression", "generatedColumns",
          "delta.identity.start", "identityColumns",
          "delta.identity.step", "identityColumns",
          "delta.invariants", "invariants",
          "CURRENT_DEFAULT", "allowColumnDefaults",
          "__CHAR_VARCHAR_TYPE_STRING", "char/varchar");

  private static final Map<String, String> KEEPS_ROWS =
      Map.of(
          "delta.appendOnly", "The commit would take rows out of it.",
          "delta.enableChangeDataFeed",
              "Its readers would not be told of rows that the commit takes out.");

  private TableChecks() {}

  /** Returns the current snapshot; refuses a table that cannot even be read, by its feature. */
  public static Optional<KernelSnapshot> load(KernelTable kernel, String table) {
    try {
      return kernel.load();
    } catch (UnsupportedTableFeatureException | UnsupportedProtocolVersionException e) {
      throw TableErrors.unusable(table, feature(e), String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Refuses tables whose features would not be honoured.
   *
   * @param transactionRetention for how long a table must keep batch ids; empty for ever
   */
  public static void refuseUnusable(
      KernelSnapshot snapshot, String table, Optional<Duration> transactionRetention) {
    Map<String, String> properties = snapshot.properties();
    for (String property : properties.keySet()) {
      if (property.startsWith("delta.constraints.")) {
        throw TableErrors.unusable(
            table, "checkConstraints", "CHECK constraints are not evaluated here.", null);
      }
    }
    snapshot
        .transactionRetention()
        .filter(
            kept ->
                transactionRetention.isEmpty() || kept.compareTo(transactionRetention.get()) < 0)
        .ifPresent(
            kept -> {
              throw TableErrors.transactionRetention(table, kept, transactionRetention);
            });
    refuseFieldFeatures(snapshot.schemaJson(), table);
    try {
      SchemaJson.read(snapshot.schemaJson());
    } catch (IllegalArgumentException e) {
      throw TableErrors.unusable(table, "column type", e.getMessage(), e);
    }
    try {
      snapshot.requireWritable();
    } catch (UnsupportedTableFeatureException e) {
      throw TableErrors.unusable(table, feature(e), String.valueOf(e.getMessage()), e);
    } catch (KernelException | UnsupportedOperationException e) {
      String features = String.join(", ", new TreeSet<>(snapshot.features()));
      throw TableErrors.unusable(table, features, String.valueOf(e.getMessage()), e);
    }
  }

  private static String feature(KernelException e) {
    return e instanceof UnsupportedTableFeatureException unsupported
        ? String.join(", ", new TreeSet<>(unsupported.getUnsupportedFeatures()))
        : "protocol version";
  }

  /** Refuses tables that promise ids of rows, which rows would lose if they moved. */
  public static void refuseRowIds(KernelSnapshot snapshot, String table) {
    if (Boolean.parseBoolean(snapshot.properties().get("delta.enableRowTracking"))) {
      throw TableErrors.unusable(
          table, "rowTracking", "Rows that are rewritten would get other ids.", null);
    }
  }

  /** Refuses to take rows out of a table that does not let them leave. */
  static void refuseRemoval(KernelSnapshot snapshot, String table) {
    for (Map.Entry<String, String> refused : KEEPS_ROWS.entrySet()) {
      if (Boolean.parseBoolean(snapshot.properties().get(refused.getKey()))) {
        throw TableErrors.unusable(table, refused.getKey(), refused.getValue(), null);
      }
    }
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
              throw TableErrors.unusable(
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
    refuseRemoval(snapshot, table);
    return PartitionFilter.of(
        table, SchemaJson.read(snapshot.schemaJson()), snapshot.partitionColumns(), partitions);
  }

  /** Refuses a schema of which no table can be made. */
  static void requireCreatable(String table, String schemaJson, List<String> partitionColumns) {
    try {
      TableSchema.of(schemaJson, partitionColumns).requireNames();
    } catch (IllegalArgumentException e) {
      throw TableErrors.notCreatable(table, e);
    }
  }

  /**
   * Refuses files whose schema or partitioning is not the table's, by the names of the columns.
   *
   * @param evolved the table's schema as it will be with the files
   */
  static void requireFit(
      KernelSnapshot snapshot,
      EvolvedSchema evolved,
      String table,
      String schemaJson,
      List<String> partitionColumns) {
    SchemaFit.require(table, evolved.columns(), SchemaJson.read(schemaJson));
    List<String> wanted = snapshot.partitionColumns();
    if (!wanted.equals(partitionColumns)) {
      String column =
          wanted.stream()
              .filter(c -> !partitionColumns.contains(c))
              .findFirst()
              .orElseGet(() -> partitionColumns.isEmpty() ? "" : partitionColumns.get(0));
      throw TableErrors.partitioning(table, column, wanted, partitionColumns);
    }
  }
}
