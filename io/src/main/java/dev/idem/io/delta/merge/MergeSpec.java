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
package dev.idem.io.delta.merge;

import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.SchemaJson;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.io.delta.table.TableState;
import dev.idem.io.file.Storage;
import dev.idem.transforms.changes.TableMerge;
import java.io.IOException;
import java.io.Serializable;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.beam.sdk.schemas.Schema;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * What all steps of a merge have to know.
 *
 * @param merge how changes are merged, in the types of the table
 * @param rows how the files of the table are written
 * @param beside how the files of the table beside it are written, which keeps changes that its rows
 *     do not tell of
 * @param sink the sink id, {@code application/sink}
 * @param batch the batch id
 * @param plan the fingerprint of all that decides the batch's changes, or null to take their
 *     content
 * @param mode how rows leave the table
 * @param retention for how long changes are kept beside the table
 * @param shards the number of shards of the changes, a power of two
 * @param evolution what the merge may change of the table's schema, besides adding its own columns
 * @param staging where changes are while they are merged
 */
record MergeSpec(
    TableMerge merge,
    DataFileSpec rows,
    DataFileSpec beside,
    String sink,
    long batch,
    @Nullable String plan,
    MergeMode mode,
    Duration retention,
    int shards,
    SchemaEvolution evolution,
    Staging staging)
    implements Serializable {

  private static final String OURS = "_idem_";

  /**
   * A directory for files that only the merge itself needs.
   *
   * @param location where the directory is
   * @param directory its name there
   * @param prefix what the names of files begin with
   */
  record Staging(String location, String directory, String prefix) implements Serializable {

    /** Returns the directory in a table in which no reader looks for rows. */
    static Staging in(String table) {
      return new Staging(table, DeltaTable.MERGE_DIRECTORY, "");
    }
  }

  /** Returns the storage of the files that only the merge itself needs. */
  Storage stagingStorage() {
    return Storage.at("Staging directory", staging.location(), rows.hadoopConfiguration());
  }

  /** Returns the name of a new file there. */
  String newStagingFile(String kind) throws IOException {
    stagingStorage().createDirectories(staging.directory());
    return staging.directory() + staging.prefix() + UUID.randomUUID() + "." + kind;
  }

  /** Returns the storage of the table. */
  Storage storage() {
    return Storage.at("Table path", rows.tablePath(), rows.hadoopConfiguration());
  }

  KernelTable rowTable(Clock clock) {
    return KernelTable.at(storage(), rows.hadoopConfiguration(), clock);
  }

  KernelTable besideTable(Clock clock) {
    return KernelTable.at(
        Storage.at("Table path", beside.tablePath(), beside.hadoopConfiguration()),
        beside.hadoopConfiguration(),
        clock);
  }

  /** Returns the table, which gets the columns of a merge if it lacks them. */
  DeltaTable commitTable() {
    return DeltaTable.at(rows.tablePath(), rows.hadoopConfiguration())
        .evolving(evolution(evolution));
  }

  /** Returns the table beside it. */
  DeltaTable commitBeside() {
    return DeltaTable.at(beside.tablePath(), beside.hadoopConfiguration());
  }

  /** Returns what may be changed of a schema if our own columns may be added besides. */
  static SchemaEvolution evolution(SchemaEvolution chosen) {
    return chosen == SchemaEvolution.NONE ? SchemaEvolution.ADD : chosen;
  }

  /**
   * Returns how to write rows so that they fit the table, which has to have all their columns but
   * ours, unless the schema may be changed, and no others, and has to let rows leave.
   */
  static DataFileSpec fitted(DeltaTable table, DataFileSpec rows, SchemaEvolution evolution) {
    Optional<TableState> state = table.state();
    if (state.isEmpty()) {
      return rows;
    }
    List<String> partitions =
        rows.partitionColumns().isEmpty()
            ? state.get().partitionColumns()
            : rows.partitionColumns();
    List<DeltaColumn> columns = SchemaJson.read(state.get().schemaJson());
    List<DeltaColumn> given = SchemaJson.read(rows.schemaJson());
    for (DeltaColumn column : columns) {
      if (given.stream().noneMatch(own -> own.name().equals(column.name()))) {
        throw MergeErrors.otherColumns(rows.tablePath(), column.name());
      }
    }
    for (DeltaColumn column : given) {
      if (evolution == SchemaEvolution.NONE
          && !column.name().startsWith(OURS)
          && columns.stream().noneMatch(known -> known.name().equals(column.name()))) {
        throw MergeErrors.noColumn(rows.tablePath(), column.name());
      }
    }
    DataFileSpec fitted = table.fitted(rows.withPartitionColumns(partitions));
    table.requireFit(fitted.schemaJson(), fitted.partitionColumns());
    table.requireOverwrite(PartitionPredicate.everything());
    return fitted;
  }

  /** Returns the columns of a Delta schema that a Beam schema has, in its order. */
  static List<DeltaColumn> columns(Schema schema, DataFileSpec spec) {
    List<DeltaColumn> all = SchemaJson.read(spec.schemaJson());
    return schema.getFieldNames().stream()
        .map(name -> all.stream().filter(c -> c.name().equals(name)).findFirst().orElseThrow())
        .toList();
  }

  /** Returns the key columns of the table. */
  List<DeltaColumn> keyColumns() {
    return columns(merge.rowSchema(), rows).stream()
        .filter(column -> merge.keys().contains(column.name()))
        .toList();
  }
}
