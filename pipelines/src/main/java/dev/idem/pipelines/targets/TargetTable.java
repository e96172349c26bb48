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

import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.Staging;
import dev.idem.io.checkpoint.Summary;
import dev.idem.io.checkpoint.TargetRecord;
import dev.idem.io.checkpoint.TargetState;
import dev.idem.io.delta.error.RestoredTableException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.maintenance.OptimizeResult;
import dev.idem.io.delta.maintenance.OptimizeSpec;
import dev.idem.io.delta.maintenance.TableMaintenance;
import dev.idem.io.delta.merge.BatchMerge;
import dev.idem.io.delta.merge.MergedBatch;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.CommitOutcome;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRecord;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.io.delta.table.TableState;
import dev.idem.io.memory.MemoryTable;
import dev.idem.pipelines.stage.Counts;
import dev.idem.pipelines.stage.StageOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** One Delta table of a job, as the driver commits to it and asks it what it holds. */
public final class TargetTable implements AskedTarget {

  private final DeltaTarget target;
  private final StageOutput.Role role;
  private final String applicationId;
  private final SchemaEvolution evolution;
  private final DeltaTable table;

  /**
   * Makes a table of a job.
   *
   * @param role which of the events' contents it gets
   * @param applicationId names the job to it
   * @param evolution what may be changed of its schema
   */
  public TargetTable(
      DeltaTarget target, StageOutput.Role role, String applicationId, SchemaEvolution evolution) {
    this.target = target;
    this.role = role;
    this.applicationId = applicationId;
    this.evolution = evolution;
    this.table = target.table().evolving(evolution);
  }

  /** Returns what names the table within the job. */
  @Override
  public String name() {
    return target.name();
  }

  /** Returns where the table is. */
  public String path() {
    return target.path();
  }

  /** Returns the name under which the table remembers batches of the job. */
  @Override
  public String sink() {
    return applicationId + "/" + target.name();
  }

  /** Returns whether the table keeps records, so that it can be asked. */
  @Override
  public boolean keepsRecords() {
    return !target.atLeastOnce();
  }

  /** Returns the table as it is, empty if it does not exist. */
  public Optional<TableState> state() {
    return table.state();
  }

  /** Refuses a table with features that the job cannot honour. */
  @Override
  public void refuseUnusable() {
    table.refuseUnusable();
  }

  /** Returns the merge of a batch, empty if rows are not merged but appended. */
  public Optional<BatchMerge> merge(long batch, Schema schema, Staging staging) {
    return role == StageOutput.Role.CHANGES
        ? target
            .merge(applicationId)
            .map(
                merge ->
                    BatchMerge.of(
                        merge.withBatch(batch).evolving(evolution),
                        schema,
                        staging.location(),
                        staging.directory(),
                        staging.prefix(batch)))
        : Optional.empty();
  }

  /** Refuses rows that the table, or a new one, could not take. */
  public void requireFit(Schema schema) {
    if (role == StageOutput.Role.CHANGES) {
      target.merge(applicationId).orElseThrow().withBatch(0).evolving(evolution).requireFit(schema);
      return;
    }
    if (role == StageOutput.Role.NOTHING) {
      return;
    }
    table.requireFit(DeltaSchemas.toJson(schema), target.partitionColumns());
  }

  /**
   * Refuses a table that a batch cannot empty.
   *
   * @param own the sinks of this job, on all its tables
   */
  void requireEmptying(Set<String> own) {
    if (!keepsRecords()) {
      throw TargetErrors.notEmptiedOnce(path());
    }
    if (role == StageOutput.Role.CHANGES) {
      throw TargetErrors.mergedInto(path());
    }
    requireRemoval();
    Set<String> others = new TreeSet<>();
    recordsOfOthers(own).forEach(held -> others.add(held.plan().applicationId()));
    if (!others.isEmpty()) {
      throw TargetErrors.sharedTable(path(), others);
    }
  }

  /** Returns what rows would change of the table's schema, as a user reads it. */
  List<String> schemaChanges(Schema schema) {
    if (role == StageOutput.Role.CHANGES) {
      return List.of();
    }
    return table.schemaChanges(DeltaSchemas.toJson(schema));
  }

  /** Returns what the table says of the last batch it holds of this job. */
  @Override
  public TargetState targetState() {
    boolean exists = table.state().isPresent();
    Optional<TargetRecord> last =
        exists
            ? table
                .record(sink())
                .map(record -> TargetRecords.held(record.body()))
                .map(
                    held ->
                        new TargetRecord(sink(), held.plan().batch(), held.plan(), held.summary()))
            : Optional.empty();
    return new TargetState(name(), sink(), exists, last, change());
  }

  private Optional<String> change() {
    try {
      table.refuseRestored(sink());
      return Optional.empty();
    } catch (RestoredTableException e) {
      return Optional.of(e.getMessage());
    }
  }

  /** Returns the last record of every sink that is not among {@code own}. */
  @Override
  public List<TargetRecords.Held> recordsOfOthers(Set<String> own) {
    return table.sinks().stream()
        .filter(sink -> !own.contains(sink))
        .flatMap(sink -> table.record(sink).stream())
        .map(DeltaRecord::body)
        .filter(TargetRecords::isOfAJob)
        .map(TargetRecords::held)
        .toList();
  }

  /** Returns the settings of the table's file system. */
  public Map<String, String> hadoopConfiguration() {
    return target.hadoopConfiguration();
  }

  /**
   * Returns the output of the stage that is written for this table.
   *
   * @param keys the columns by which its rows are unique; none if they are not known to be
   */
  public StageOutput output(Schema schema, boolean held, List<String> keys) {
    if (role == StageOutput.Role.CHANGES || role == StageOutput.Role.NOTHING) {
      // Workers write its files when they merge.
      return new StageOutput(name(), role, schema, MemoryTable.files(path(), Map.of()), held);
    }
    DataFileSpec files =
        role == StageOutput.Role.MEMORY
            ? MemoryTable.files(target.path(), target.hadoopConfiguration())
            : table.fitted(
                DataFileSpec.of(target.path(), DeltaSchemas.toJson(schema))
                    .withPartitionColumns(target.partitionColumns())
                    .withHadoopConfiguration(target.hadoopConfiguration()));
    // One column of a composite key may well have few values.
    if (role == StageOutput.Role.ROWS && keys.size() == 1) {
      files = files.withoutDictionary(keys.get(0));
    }
    return new StageOutput(name(), role, schema, files, held);
  }

  /**
   * Commits a batch.
   *
   * @param files how its files were written
   */
  public CommitOutcome commit(
      Plan plan,
      Summary summary,
      DataFileSpec files,
      List<DataFile> add,
      List<DataFile> remove,
      boolean gaps) {
    return commit(plan, summary, files, add, remove, gaps, null);
  }

  /** Commits a batch whose changes were merged. */
  public CommitOutcome commit(Plan plan, Summary summary, MergedBatch merged, boolean gaps) {
    CommitOutcome outcome =
        commit(plan, summary, merged.rowSpec(), List.of(), List.of(), gaps, merged);
    if (outcome instanceof CommitOutcome.AlreadyCommitted) {
      merged.discard(table);
    }
    return outcome;
  }

  private CommitOutcome commit(
      Plan plan,
      Summary summary,
      DataFileSpec files,
      List<DataFile> add,
      List<DataFile> remove,
      boolean gaps,
      @Nullable MergedBatch merged) {
    Summary.Output output = summary.outputs().get(name());
    if (!keepsRecords()) {
      return new CommitOutcome.Committed(
          table.append(files.schemaJson(), files.partitionColumns(), add));
    }
    DeltaCommit commit =
        DeltaCommit.of(
                sink(),
                plan.batch(),
                plan.fingerprint(),
                output.content().toString(),
                files.schemaJson())
            .withPartitionColumns(files.partitionColumns())
            .withEpoch(plan.epoch())
            .withBody(TargetRecords.body(plan, summary))
            .withFiles(add)
            .withRemovedFiles(remove)
            .withParameters(parameters(plan, merged))
            .withMetrics(metrics(summary));
    if (plan.restarts()) {
      // A table may lack the last batch of the earlier life, or be a new one.
      return table.commit(commit.overwriting(PartitionPredicate.everything()));
    }
    DeltaCommit next = gaps ? commit : commit.withoutGaps();
    return merged == null
        ? table.commit(next)
        : table.commit(next.withMetrics(metrics(summary, merged)), merged.filePlan());
  }

  private static Map<String, String> parameters(Plan plan, @Nullable MergedBatch merged) {
    Map<String, String> parameters = offsets(plan);
    if (merged != null) {
      parameters.putAll(merged.parameters());
    }
    return parameters;
  }

  /** What leaves the table with a batch, and what it holds of the same files instead. */
  public record Rewritten(List<DataFile> add, List<DataFile> remove) {}

  /** Writes the files anew that hold such rows, without them. */
  public Rewritten without(Predicate<Row> rows, DataFileSpec files) throws IOException {
    List<DataFile> remove = new ArrayList<>();
    List<DataFile> add = new ArrayList<>();
    try (DataFileWriter writer = DataFileWriter.open(files)) {
      for (DataFile file : table.files()) {
        List<Row> content =
            DeltaRows.read(path())
                .withHadoopConfiguration(hadoopConfiguration())
                .fromFiles(each -> each.path().equals(file.path()))
                .toList();
        if (content.stream().anyMatch(rows)) {
          remove.add(file);
          for (Row row : content) {
            if (!rows.test(row)) {
              writer.write(row);
            }
          }
        }
      }
      add.addAll(writer.finish());
    }
    return new Rewritten(add, remove);
  }

  /** Refuses a table that lets no rows leave. */
  public void requireRemoval() {
    table.refuseUnusable();
    table.requireOverwrite(PartitionPredicate.everything());
  }

  /** Rewrites the small files of partitions that have so many; call it between two batches. */
  OptimizeResult compact(int smallFiles) {
    return TableMaintenance.at(target.path(), target.hadoopConfiguration())
        .optimize(OptimizeSpec.ofDefaults().withMinInputFiles(smallFiles));
  }

  /** Deletes the files that the commit of a batch removed; call it once no replay is possible. */
  public void discardRemoved(long batch) {
    table.discardRemoved(sink(), batch);
  }

  /** What {@code DESCRIBE HISTORY} shows of the batch's input. */
  public static Map<String, String> offsets(Plan plan) {
    Map<String, String> offsets = new TreeMap<>();
    plan.ranges()
        .forEach(
            range ->
                offsets.put(
                    "offsets:" + range.topic() + "-" + range.partition(),
                    range.start() + ".." + range.end()));
    return offsets;
  }

  /**
   * What {@code DESCRIBE HISTORY} shows of the batch: what was read is rows, duplicates, dead
   * letters and what was left out. Late rows and conflicts are dead letters.
   */
  private static Map<String, String> metrics(Summary summary, MergedBatch merged) {
    Map<String, String> metrics = metrics(summary);
    metrics.putAll(merged.metrics());
    return metrics;
  }

  private static Map<String, String> metrics(Summary summary) {
    Map<String, Long> counts = summary.counts();
    Map<String, String> metrics = new TreeMap<>();
    Map.of(
            "numRecordsRead", Counts.READ,
            "numDuplicates", Counts.DUPLICATES,
            "numLate", Counts.LATE,
            "numConflicts", Counts.CONFLICTS,
            "numFiltered", Counts.FILTERED)
        .forEach((metric, count) -> metrics.put(metric, "" + counts.getOrDefault(count, 0L)));
    metrics.put("numDeadLetters", "" + summary.outputs().get(StageOutput.DEAD_LETTERS).rows());
    return metrics;
  }
}
