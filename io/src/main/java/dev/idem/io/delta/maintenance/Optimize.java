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
package dev.idem.io.delta.maintenance;

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.file.PartitionFilter;
import dev.idem.io.delta.file.RowReading;
import dev.idem.io.delta.kernel.KernelCommit;
import dev.idem.io.delta.kernel.KernelConflictException;
import dev.idem.io.delta.kernel.KernelFile;
import dev.idem.io.delta.kernel.KernelScan;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.delta.schema.BeamTypes;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.TableSchema;
import dev.idem.io.delta.table.LogFiles;
import dev.idem.io.delta.table.TableChecks;
import dev.idem.io.delta.table.TableErrors;
import dev.idem.io.file.Storage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.beam.sdk.schemas.Schema;

/*
 * Rows may only be moved if the files they are in are still the table's when the commit takes
 * effect, with the same rows deleted: else a row that was deleted or moved meanwhile would be back.
 * Kernel's own retries do not ask that of files that were rewritten before they began, so every
 * commit is made as the version right after one that was looked at, and fails if that is taken.
 * Whoever took it is never asked to yield.
 */
/** One run of {@link TableMaintenance#optimize}. */
final class Optimize {

  private static final int ROUNDS = 20;

  private final Storage storage;
  private final KernelTable table;
  private final Map<String, String> hadoopConfiguration;
  private final OptimizeSpec spec;
  private final KernelSnapshot planned;
  private final TableSchema schema;
  private final Optional<Clustering> clustering;
  private final FileGroups plan;

  /** The files to rewrite that the version still has which was looked at last. */
  private Set<String> held = new HashSet<>();

  private long lookedAt;

  private Optimize(
      Storage storage,
      KernelTable table,
      Map<String, String> hadoopConfiguration,
      OptimizeSpec spec,
      KernelSnapshot planned) {
    this.storage = storage;
    this.table = table;
    this.hadoopConfiguration = hadoopConfiguration;
    this.spec = spec;
    this.planned = planned;
    this.schema = TableSchema.of(planned.schemaJson(), planned.partitionColumns());
    this.clustering =
        spec.clusterBy().isEmpty()
            ? Optional.empty()
            : Optional.of(Clustering.of(storage.path(""), schema, spec.clusterBy()));
    PartitionFilter wanted =
        PartitionFilter.of(
            storage.path(""), schema.columns(), planned.partitionColumns(), spec.partitions());
    this.plan = FileGroups.of(planned, wanted, spec, clustering);
    this.lookedAt = planned.version();
    plan.groups().forEach(group -> group.files().forEach(file -> held.add(file.identity())));
  }

  static Optimize of(
      Storage storage,
      KernelTable table,
      Map<String, String> hadoopConfiguration,
      OptimizeSpec spec) {
    KernelSnapshot planned =
        TableChecks.load(table, storage.path(""))
            .orElseThrow(() -> TableErrors.noTable(storage.path("")));
    // It carries no batch id that the table could forget.
    TableChecks.refuseUnusable(planned, storage.path(""), Optional.of(Duration.ZERO));
    TableChecks.refuseRowIds(planned, storage.path(""));
    return new Optimize(storage, table, hadoopConfiguration, spec, planned);
  }

  OptimizeResult run() {
    if (spec.dryRun()) {
      return new OptimizeResult(
          plan.files(),
          plan.bytes(),
          plan.groups().stream().mapToLong(group -> group.files().size()).sum(),
          plan.groups().stream().mapToLong(FileGroups.Group::bytes).sum(),
          plan.groups().size(),
          0,
          0,
          0);
    }
    KernelScan scan = planned.scan(schema.data().stream().map(DeltaColumn::name).toList());
    Schema rows = BeamTypes.schema(schema.data());
    RowReading reading = RowReading.of(rows, schema.data());
    long removedFiles = 0;
    long removedBytes = 0;
    long addedFiles = 0;
    long addedBytes = 0;
    long commits = 0;
    for (FileGroups.Group group : plan.groups()) {
      Optional<List<DataFile>> added =
          isHeld(group) ? rewrite(group, scan, reading) : Optional.empty();
      if (added.isPresent() && commit(group, added.get())) {
        commits++;
        removedFiles += group.files().size();
        removedBytes += group.bytes();
        addedFiles += added.get().size();
        addedBytes += bytes(added.get());
      }
    }
    return new OptimizeResult(
        plan.files(),
        plan.bytes(),
        removedFiles,
        removedBytes,
        addedFiles,
        addedBytes,
        commits,
        plan.groups().size() - commits);
  }

  /** Writes the rows of a group into new files, or returns nothing if the group has changed. */
  private Optional<List<DataFile>> rewrite(
      FileGroups.Group group, KernelScan scan, RowReading reading) {
    try (DataFileWriter writer = DataFileWriter.inPartition(files(group), values(group))) {
      if (clustering.isPresent()) {
        clustering.get().sort(rows -> read(group, scan, rows), spec.sortMemory(), writer::write);
      } else {
        read(group, scan, values -> writer.write(reading.row(values)));
      }
      List<DataFile> added = writer.finish();
      long rows = added.stream().mapToLong(DataFile::rows).sum();
      if (group.rows() >= 0 && rows != group.rows()) {
        throw MaintenanceErrors.otherRows(storage.path(""), group.rows(), rows);
      }
      return Optional.of(added);
    } catch (NoSuchFileException e) {
      look();
      if (isHeld(group)) {
        throw TableErrors.vacuumed(storage.path(""), planned.version(), e);
      }
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Files must be rewritten in table \"" + storage.path("") + "\".", e);
    }
  }

  /** Returns the partition values of a group in the order of the table's columns. */
  private Map<String, String> values(FileGroups.Group group) {
    Map<String, String> ordered = new LinkedHashMap<>();
    for (DeltaColumn column : schema.partition()) {
      ordered.put(column.physicalName(), group.partition().get(column.physicalName()));
    }
    return ordered;
  }

  private static void read(FileGroups.Group group, KernelScan scan, Clustering.Rows<Object[]> rows)
      throws IOException {
    for (KernelFile file : group.files()) {
      scan.read(
          file,
          values -> {
            try {
              rows.take(values);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  /* A group that fits one file becomes one, also if its rows take more bytes than before. */
  private DataFileSpec files(FileGroups.Group group) {
    boolean one = group.bytes() <= spec.targetFileSize();
    return new DataFileSpec(
        storage.path(""),
        planned.schemaJson(),
        planned.partitionColumns(),
        one ? 2 * spec.targetFileSize() : spec.targetFileSize(),
        hadoopConfiguration,
        false);
  }

  /** Returns false if the group was left as it is; then its new files are deleted. */
  private boolean commit(FileGroups.Group group, List<DataFile> added) {
    KernelConflictException unknown = null;
    for (int round = 0; round < ROUNDS; round++) {
      KernelSnapshot latest = look();
      if (unknown != null && holds(latest, added)) {
        return true;
      }
      if (!isHeld(group)) {
        break;
      }
      try {
        lookedAt = latest.optimize(commitOf(group, added));
        return true;
      } catch (KernelConflictException e) {
        if (e.kind() == KernelConflictException.Kind.UNKNOWN) {
          unknown = e;
        }
      }
    }
    if (unknown != null) {
      throw MaintenanceErrors.unknownRewrite(storage.path(""), unknown);
    }
    LogFiles.delete(storage, added.stream().map(DataFile::path).toList());
    return false;
  }

  /** Looks which of the files to rewrite the table still has. */
  private KernelSnapshot look() {
    KernelSnapshot latest = TableChecks.load(table, storage.path("")).orElseThrow();
    if (!latest.isDefinedAs(planned)) {
      held.clear();
    } else if (latest.version() != lookedAt) {
      Set<String> found = new HashSet<>();
      latest.forEachFile(
          file -> {
            if (held.contains(file.identity())) {
              found.add(file.identity());
            }
          });
      held = found;
    }
    lookedAt = latest.version();
    return latest;
  }

  private boolean isHeld(FileGroups.Group group) {
    return group.files().stream().allMatch(file -> held.contains(file.identity()));
  }

  private static boolean holds(KernelSnapshot snapshot, List<DataFile> added) {
    Set<String> paths = new HashSet<>();
    added.forEach(file -> paths.add(file.path()));
    snapshot.forEachFile(file -> paths.remove(file.path()));
    return !added.isEmpty() && paths.isEmpty();
  }

  private KernelCommit commitOf(FileGroups.Group group, List<DataFile> added) {
    List<KernelCommit.Action> actions = new ArrayList<>();
    group.files().forEach(file -> actions.add(new KernelCommit.Action(file, false, false)));
    Map<String, String> tags = clustering.map(by -> by.tags(planned.version())).orElse(Map.of());
    added.forEach(
        file ->
            actions.add(
                new KernelCommit.Action(LogFiles.kernelFile(file).withTags(tags), true, false)));
    Map<String, String> parameters = new TreeMap<>();
    clustering.ifPresent(by -> parameters.put("clusterBy", by.names().toString()));
    parameters.put("predicate", spec.partitions().toString());
    parameters.put("targetFileSize", Long.toString(spec.targetFileSize()));
    Map<String, String> metrics = new TreeMap<>();
    metrics.put("numRemovedFiles", Integer.toString(group.files().size()));
    metrics.put("numRemovedBytes", Long.toString(group.bytes()));
    metrics.put("numAddedFiles", Integer.toString(added.size()));
    metrics.put("numAddedBytes", Long.toString(bytes(added)));
    return new KernelCommit(
        Optional.empty(), List.of(), actions, Optional.empty(), true, parameters, metrics, "");
  }

  private static long bytes(List<DataFile> files) {
    return files.stream().mapToLong(DataFile::size).sum();
  }
}
