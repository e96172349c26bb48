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
package dev.idem.pipelines.job;

import dev.idem.io.delta.maintenance.OptimizeResult;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.io.memory.MemoryTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.beam.sdk.schemas.Schema;

/** The tables of a job, in the order in which a batch is committed to them. */
final class Targets {

  private final List<TargetTable> rows = new ArrayList<>();
  private final TargetTable deadLetters;
  private final TargetTable memory;

  Targets(List<DeltaTarget> given, JobSettings settings) {
    String applicationId = settings.applicationId();
    List<DeltaTarget> targets =
        given.stream()
            .map(target -> target.withHadoopDefaults(settings.hadoopConfiguration()))
            .toList();
    DeltaTarget main = targets.get(0);
    for (DeltaTarget target : targets) {
      rows.add(
          new TargetTable(
              target, StageOutput.Role.ROWS, applicationId, settings.schemaEvolution()));
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

  TargetTable deadLetters() {
    return deadLetters;
  }

  TargetTable memory() {
    return memory;
  }

  /** Returns whether every target can be asked what it holds. */
  boolean allKeepRecords() {
    return rows.stream().allMatch(TargetTable::keepsRecords);
  }

  /** Says which targets cannot be asked what they hold. */
  void sayWhatIsNotAsked(Progress progress) {
    for (TargetTable table : rows) {
      if (!table.keepsRecords()) {
        progress.say(
            "target \""
                + table.name()
                + "\" keeps no record of batches: it is written at least once, and not asked");
      }
    }
  }

  /**
   * Refuses tables that a batch cannot empty: those that keep no record, that other applications
   * write to, or that let no rows leave.
   */
  void requireEmptying() {
    Set<String> own = new TreeSet<>();
    inOrder(true).forEach(table -> own.add(table.sink()));
    for (TargetTable table : inOrder(true)) {
      table.requireEmptying(own);
    }
  }

  /** Returns which dead letters a batch would take through the job again, if there are any. */
  Optional<Redrive> redrive(JobSettings settings, Progress progress) {
    Redrive redrive = new Redrive(settings.redrive().orElseThrow());
    long count = redrive.count(deadLetters, settings.applicationId());
    progress.say(
        "%,d dead letters of application %s have reason \"%s\""
            .formatted(count, settings.applicationId(), redrive.reason()));
    if (count == 0) {
      return Optional.empty();
    }
    deadLetters.requireRemoval();
    return Optional.of(redrive);
  }

  /** Returns the tables in the order of their commits: what others depend on comes first. */
  List<TargetTable> inOrder(boolean withMemory) {
    List<TargetTable> order = new ArrayList<>();
    if (withMemory) {
      order.add(memory);
    }
    order.add(deadLetters);
    order.addAll(rows.subList(1, rows.size()));
    order.add(rows.get(0));
    return order;
  }

  /**
   * Rewrites the small files of partitions that have so many, in every table but the memory, which
   * merges its own.
   *
   * @return what the line of the batch says of it, empty if nothing was rewritten
   */
  String compact(int smallFiles) {
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
   * Refuses a shape whose rows do not fit a table. Once one table has a batch the options that
   * decide the shape are fixed, so this is asked before a batch is planned or staged.
   */
  void requireFit(Shape shape) {
    for (TargetTable table : inOrder(shape.remembers())) {
      table.requireFit(schema(table, shape.rows()));
    }
  }

  /** Returns what rows of a shape would change of the tables' schemas, by table. */
  Map<String, String> schemaChanges(Shape shape) {
    Map<String, String> changes = new TreeMap<>();
    for (TargetTable table : rows) {
      List<String> ofTable = table.schemaChanges(shape.rows());
      if (!ofTable.isEmpty()) {
        changes.put("schema of " + table.name(), String.join(", ", ofTable));
      }
    }
    return changes;
  }

  /** Returns the schema of a table's rows, of which the job decides only those of its targets. */
  Schema schema(TargetTable table, Schema rowSchema) {
    if (table == deadLetters) {
      return DeadLetters.SCHEMA;
    }
    return table == memory ? MemoryTable.SCHEMA : rowSchema;
  }
}
