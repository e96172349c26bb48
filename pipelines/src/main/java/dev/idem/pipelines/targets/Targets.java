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
package dev.idem.pipelines.targets;

import dev.idem.io.delta.maintenance.OptimizeResult;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.io.memory.MemoryTable;
import dev.idem.pipelines.stage.DeadLetters;
import dev.idem.pipelines.stage.StageOutput;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.beam.sdk.schemas.Schema;
import org.checkerframework.checker.nullness.qual.Nullable;

/** The tables of a job, in the order in which a batch is committed to them. */
public final class Targets {

  private final List<TargetTable> rows = new ArrayList<>();
  private final List<WorkerTarget> workers = new ArrayList<>();

  /** What merges keep beside their tables, by these. */
  private final Map<TargetTable, TargetTable> changes = new LinkedHashMap<>();

  private final TargetTable deadLetters;
  private final TargetTable memory;

  /**
   * Makes the tables of a job.
   *
   * @param given the main target first
   * @param besides where dead letters and memory are if no target is a Delta table: their paths
   *     begin so
   * @param applicationId names the job to them
   * @param hadoopDefaults settings of file systems, for targets that have none of their own
   * @param evolution what may be changed of the targets' schemas
   */
  public Targets(
      List<JobTarget> given,
      String besides,
      String applicationId,
      Map<String, String> hadoopDefaults,
      SchemaEvolution evolution) {
    List<DeltaTarget> targets = new ArrayList<>();
    for (JobTarget target : given) {
      if (target instanceof DeltaTarget delta) {
        targets.add(delta.withHadoopDefaults(hadoopDefaults));
      } else if (target instanceof JdbcTarget jdbc) {
        workers.add(new JdbcTargetTable(jdbc, applicationId));
      } else if (target instanceof KafkaTarget kafka) {
        workers.add(new KafkaTargetTopic(kafka, applicationId));
      } else if (target instanceof HttpTarget http) {
        workers.add(new HttpTargetServer(http, applicationId));
      }
    }
    DeltaTarget main =
        targets.isEmpty()
            ? DeltaTarget.at("besides", besides).withHadoopDefaults(hadoopDefaults)
            : targets.get(0);
    for (DeltaTarget target : targets) {
      boolean merges = target.merge(applicationId).isPresent();
      StageOutput.Role role = merges ? StageOutput.Role.CHANGES : StageOutput.Role.ROWS;
      TargetTable table = new TargetTable(target, role, applicationId, evolution);
      rows.add(table);
      if (merges) {
        changes.put(
            table,
            new TargetTable(
                target.changes(), StageOutput.Role.NOTHING, applicationId, SchemaEvolution.NONE));
      }
    }
    deadLetters =
        new TargetTable(
            main.beside(StageOutput.DEAD_LETTERS, DeltaTarget.deadLetterPath(main.path())),
            StageOutput.Role.DEAD_LETTERS,
            applicationId,
            SchemaEvolution.NONE);
    memory =
        new TargetTable(
            main.beside(StageOutput.MEMORY, DeltaTarget.memoryPath(main.path(), applicationId)),
            StageOutput.Role.MEMORY,
            applicationId,
            SchemaEvolution.NONE);
  }

  /** Returns the table of what did not become a row. */
  public TargetTable deadLetters() {
    return deadLetters;
  }

  /** Returns the table of what earlier batches remember. */
  public TargetTable memory() {
    return memory;
  }

  /**
   * Returns the table that a merge keeps beside a table, null for one that rows are appended to.
   */
  public @Nullable TargetTable changes(TargetTable table) {
    return changes.get(table);
  }

  /** Returns whether changes are merged into any of the tables. */
  public boolean merges() {
    return !changes.isEmpty();
  }

  /** Returns the targets that workers write to, in the order of their writing. */
  public List<WorkerTarget> workers() {
    return List.copyOf(workers);
  }

  /** Returns the tables that rows, or changes, go to; the main one first. */
  public List<TargetTable> rows() {
    return List.copyOf(rows);
  }

  /** Returns whether every target can be asked what it holds. */
  public boolean allKeepRecords() {
    return all().allMatch(AskedTarget::keepsRecords);
  }

  private Stream<AskedTarget> all() {
    return Stream.concat(rows.stream(), workers.stream());
  }

  /** Returns the targets that can be asked what they hold, in the order of their commits. */
  public List<AskedTarget> asked(boolean withMemory) {
    return Stream.concat(workers.stream(), inOrder(withMemory).stream())
        .filter(AskedTarget::keepsRecords)
        .toList();
  }

  /** Says which targets cannot be asked what they hold. */
  public void sayWhatIsNotAsked(Consumer<String> progress) {
    all()
        .filter(target -> !target.keepsRecords())
        .forEach(
            target ->
                progress.accept(
                    "target \""
                        + target.name()
                        + "\" keeps no record of batches: it is written at least once, and not"
                        + " asked"));
  }

  /**
   * Refuses tables that a batch cannot empty: those that keep no record, that other applications
   * write to, or that let no rows leave.
   */
  public void requireEmptying() {
    if (!workers.isEmpty()) {
      throw TargetErrors.notEmptied(workers.get(0).name());
    }
    Set<String> own = new TreeSet<>();
    inOrder(true).forEach(table -> own.add(table.sink()));
    for (TargetTable table : inOrder(true)) {
      table.requireEmptying(own);
    }
  }

  /** Returns the tables in the order of their commits: what others depend on comes first. */
  public List<TargetTable> inOrder(boolean withMemory) {
    List<TargetTable> order = new ArrayList<>();
    if (withMemory) {
      order.add(memory);
    }
    order.addAll(changes.values());
    order.add(deadLetters);
    if (!rows.isEmpty()) {
      order.addAll(rows.subList(1, rows.size()));
      order.add(rows.get(0));
    }
    return order;
  }

  /**
   * Rewrites the small files of partitions that have so many, in every table but the memory, which
   * merges its own.
   *
   * @return what the line of the batch says of it, empty if nothing was rewritten
   */
  public String compact(int smallFiles) {
    long removed = 0;
    long added = 0;
    long yielded = 0;
    for (TargetTable table : inOrder(false)) {
      OptimizeResult result = table.compact(smallFiles);
      removed += result.removedFiles();
      added += result.addedFiles();
      yielded += result.yielded();
    }
    return (removed == 0
            ? ""
            : String.format(Locale.ROOT, ", compacted %,d files into %,d", removed, added))
        + (yielded == 0
            ? ""
            : String.format(Locale.ROOT, ", left %,d groups of files to other writers", yielded));
  }

  /**
   * Refuses rows that do not fit a table. Once one table has a batch the options that decide the
   * rows are fixed, so this is asked before a batch is planned or staged.
   */
  public void requireFit(Schema rowSchema, boolean withMemory) {
    for (TargetTable table : inOrder(withMemory)) {
      table.requireFit(schema(table, rowSchema));
    }
    workers.forEach(target -> target.requireFit(rowSchema));
  }

  /** Returns what rows would change of the tables' schemas, by table. */
  public Map<String, String> schemaChanges(Schema rowSchema) {
    Map<String, String> changes = new TreeMap<>();
    for (TargetTable table : rows) {
      List<String> ofTable = table.schemaChanges(rowSchema);
      if (!ofTable.isEmpty()) {
        changes.put("schema of " + table.name(), String.join(", ", ofTable));
      }
    }
    return changes;
  }

  /** Returns the schema of a table's rows, of which the job decides only those of its targets. */
  public Schema schema(TargetTable table, Schema rowSchema) {
    if (table == deadLetters) {
      return DeadLetters.SCHEMA;
    }
    return table == memory ? MemoryTable.SCHEMA : rowSchema;
  }
}
