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
package dev.idem.pipelines.backfill;

import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.Staging;
import dev.idem.io.delta.error.OutsideOverwriteException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.table.CommitOutcome;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRecord;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.io.delta.table.TableState;
import dev.idem.pipelines.batch.Batch;
import dev.idem.pipelines.batch.EventTimeRules;
import dev.idem.pipelines.batch.PipelineFunction;
import dev.idem.pipelines.failure.Crash;
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.pipelines.job.Failure;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.plan.OnDataLoss;
import dev.idem.pipelines.plan.PlanSettings;
import dev.idem.pipelines.plan.Planner;
import dev.idem.pipelines.plan.Shape;
import dev.idem.pipelines.runner.BatchRunner;
import dev.idem.pipelines.source.Source;
import dev.idem.pipelines.stage.Counts;
import dev.idem.pipelines.stage.Manifest;
import dev.idem.pipelines.stage.Stage;
import dev.idem.pipelines.stage.StageOutput;
import dev.idem.pipelines.targets.DeltaTarget;
import dev.idem.pipelines.targets.TargetTable;
import dev.idem.transforms.dedup.KeyMemory;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.beam.sdk.schemas.Schema;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Partitions of a Delta Lake table, filled anew from all that a source holds.
 *
 * <p><b>Guarantee.</b> The partitions from one value to another, both included, hold the source's
 * rows and nothing else, in one commit. A row of another partition ends the backfill, by its value,
 * and so does a record that is no row, unless a share of them is allowed: nothing is committed
 * then. With the same input the backfill is done once: run again it finds its record and adds no
 * version. When the source holds more it replaces the partitions again.
 *
 * <p><b>Replay.</b> A crash before the commit leaves files that no commit names; the next run reads
 * the source again. After the commit the next run finds the record. A kill may leave a directory
 * beside the table with the list of an attempt's files, see {@link BackfillStaging}.
 *
 * <p><b>Requirements.</b> A table with partitions that lets rows leave. The job that fills the
 * table may run on: its records and its memory are left alone. What it adds to the partitions
 * before the commit is replaced, what it adds afterwards stays; so backfill partitions that it is
 * done with. The source must hold all rows of the partitions: what its retention took is not
 * missed.
 *
 * <p><b>State and cost.</b> One pass over the source. In the table two transaction ids for each
 * range that was ever backfilled.
 *
 * <pre>{@code
 * int exit =
 *     PartitionBackfill.of(source, "/data/orders", "2026-01-02", "2026-01-03")
 *         .deduplicateBy("event_id")
 *         .run(List.of(), System.out, System.err);
 * }</pre>
 */
public final class PartitionBackfill {

  private static final String TARGET = "table";

  private final Source source;
  private final DeltaTable table;
  private final Map<String, String> hadoopConfiguration;
  private final String from;
  private final String to;
  private final @Nullable String column;
  private final String[] keys;
  private final double maxDeadLetters;
  private final String applicationId;
  private final Crash crash;

  private PartitionBackfill(
      Source source,
      DeltaTable table,
      Map<String, String> hadoopConfiguration,
      String from,
      String to,
      @Nullable String column,
      String[] keys,
      double maxDeadLetters,
      String applicationId,
      Crash crash) {
    this.source = source;
    this.table = table;
    this.hadoopConfiguration = hadoopConfiguration;
    this.from = from;
    this.to = to;
    this.column = column;
    this.keys = keys.clone();
    this.maxDeadLetters = maxDeadLetters;
    this.applicationId = applicationId;
    this.crash = crash;
  }

  /**
   * Returns a backfill of the table's only partition column.
   *
   * @param table a local path, or a URI of a scheme that is supported
   * @param from the first value, in the text form that {@link TableState#partitionValue} takes
   * @param to the last value, which is included
   */
  public static PartitionBackfill of(Source source, String table, String from, String to) {
    return new PartitionBackfill(
        source,
        DeltaTable.at(table, Map.of()),
        Map.of(),
        from,
        to,
        null,
        new String[0],
        0,
        "backfill:" + String.join(",", source.names()),
        Crash.NEVER);
  }

  /** Names the partition column of a table that has several. */
  public PartitionBackfill withPartitionColumn(String name) {
    return new PartitionBackfill(
        source,
        table,
        hadoopConfiguration,
        from,
        to,
        name,
        keys,
        maxDeadLetters,
        applicationId,
        crash);
  }

  /** Lets one event of each key through; the default is every row. */
  public PartitionBackfill deduplicateBy(String... keyColumns) {
    return new PartitionBackfill(
        source,
        table,
        hadoopConfiguration,
        from,
        to,
        column,
        keyColumns,
        maxDeadLetters,
        applicationId,
        crash);
  }

  /** Allows a share of records that are no rows, from 0 to 1, and leaves them out. Default: 0. */
  public PartitionBackfill withMaxDeadLetters(double share) {
    return new PartitionBackfill(
        source, table, hadoopConfiguration, from, to, column, keys, share, applicationId, crash);
  }

  /** Names the backfill to the table. Default: made of the names of what is read. */
  public PartitionBackfill withApplicationId(String id) {
    return new PartitionBackfill(
        source, table, hadoopConfiguration, from, to, column, keys, maxDeadLetters, id, crash);
  }

  /**
   * Passes settings to Hadoop's file systems; secrets among them are {@code ${env:NAME}} or {@code
   * ${file:PATH}}, followed where a file is opened. Those of the source are its own.
   */
  public PartitionBackfill withHadoopConfiguration(Map<String, String> configuration) {
    DeltaTable reached = DeltaTable.at(table.path(), configuration);
    Map<String, String> copy = Map.copyOf(configuration);
    return new PartitionBackfill(
        source, reached, copy, from, to, column, keys, maxDeadLetters, applicationId, crash);
  }

  /** Halts the JVM at a crash point, as a power cut would; a test aid. */
  public PartitionBackfill crashAt(String point) {
    return new PartitionBackfill(
        source,
        table,
        hadoopConfiguration,
        from,
        to,
        column,
        keys,
        maxDeadLetters,
        applicationId,
        Crash.parse(point));
  }

  /**
   * Runs the backfill.
   *
   * @param beam Beam's own options
   * @return the exit code, as of {@link Job}
   */
  public int run(List<String> beam, PrintStream out, PrintStream err) {
    try (BatchRunner runner = BatchRunner.of(beam.toArray(String[]::new))) {
      BatchRunner.refuseUnknown(beam);
      Optional<Planned> planned = plan(out);
      if (planned.isPresent()) {
        run(planned.get(), runner, out);
      }
      crash.requireReached();
      return Job.DONE;
    } catch (Exception e) {
      return Failure.report(e, err);
    }
  }

  /** Says what {@link #run} would do, and refuses what it would refuse; nothing is written. */
  public int dryRun(PrintStream out, PrintStream err) {
    try {
      say(out, "dry run: nothing is written");
      plan(out)
          .ifPresent(
              planned ->
                  say(
                      out,
                      "partitions with "
                          + planned.partitions()
                          + " would be replaced, which hold "
                          + table.files(planned.partitions()).size()
                          + " files now"));
      return Job.DONE;
    } catch (Exception e) {
      return Failure.report(e, err);
    }
  }

  /**
   * What is to be done.
   *
   * @param fingerprint of all that decides the rows, and neither of the time nor of the number
   */
  private record Planned(
      String sink,
      Plan plan,
      String fingerprint,
      PartitionPredicate partitions,
      Shape shape,
      TargetTable target,
      PipelineFunction function) {}

  /** Asks the table and the source; empty if the backfill is done already. */
  private Optional<Planned> plan(PrintStream out) throws IOException {
    TableState state = table.state().orElseThrow(() -> BackfillErrors.noTable(table.path()));
    String partitionColumn = partitionColumn(state);
    PartitionPredicate partitions =
        PartitionPredicate.between(
            partitionColumn,
            value(state, partitionColumn, "--from", from),
            value(state, partitionColumn, "--to", to));
    table.refuseUnusable();
    table.requireOverwrite(partitions);
    String sink =
        applicationId + "/" + (partitionColumn + "=" + from + ".." + to).replace("#", "%23");
    PlanSettings settings = settings();
    PipelineFunction function =
        (batch, events) ->
            keys.length == 0
                ? events
                : events.apply("DeduplicateByKeys", batch.deduplicateBy(keys));
    try (Source.Session session = source.connect()) {
      Planner.Input input =
          new Planner(session, settings, "", 0, session.limits()).input(Optional.empty());
      @Nullable Shape shape = Shape.of(session, input, source, function, settings);
      if (shape == null) {
        throw BackfillErrors.nothingToBackfillFrom(source.names());
      }
      TargetTable target =
          new TargetTable(
              DeltaTarget.at(TARGET, table.path())
                  .withHadoopConfiguration(hadoopConfiguration)
                  .withPartitionColumns(state.partitionColumns().toArray(String[]::new)),
              StageOutput.Role.ROWS,
              applicationId,
              SchemaEvolution.NONE);
      target.requireFit(shape.rows());
      for (Plan.Range range : input.ranges()) {
        say(out, source.describe(range));
      }
      Optional<DeltaRecord> last = table.record(sink);
      long batch = last.map(record -> record.batch() + 1).orElse(0L);
      String fingerprint = plan(session, input, shape, settings, 0, Instant.EPOCH).fingerprint();
      if (last.isPresent() && last.get().plan().equals(fingerprint)) {
        say(
            out,
            "partitions with "
                + partitions
                + " hold this input already; nothing is written. To replace them again give another"
                + " --applicationId.");
        return Optional.empty();
      }
      Plan plan = plan(session, input, shape, settings, batch, settings.clock().instant());
      return Optional.of(new Planned(sink, plan, fingerprint, partitions, shape, target, function));
    }
  }

  private String partitionColumn(TableState state) {
    List<String> columns = state.partitionColumns();
    if (column == null ? columns.size() != 1 : !columns.contains(column)) {
      throw BackfillErrors.partitionColumn(table.path(), columns, column);
    }
    return column == null ? columns.get(0) : column;
  }

  private static Object value(TableState state, String column, String option, String text) {
    try {
      return state.partitionValue(column, text);
    } catch (IllegalArgumentException e) {
      throw BackfillErrors.rangeValue(option, column, e);
    }
  }

  private PlanSettings settings() {
    // Without a watermark nothing is late and no key is forgotten, however long these are.
    Duration any = Duration.ofMinutes(5);
    return new PlanSettings(
        applicationId,
        Long.MAX_VALUE,
        new EventTimeRules(any, any, any, any),
        OnDataLoss.FAIL,
        Clock.systemUTC());
  }

  private Plan plan(
      Source.Session session,
      Planner.Input input,
      Shape shape,
      PlanSettings settings,
      long batch,
      Instant clock) {
    Map<String, String> options = new TreeMap<>(shape.contentOptions(source, settings.eventTime()));
    options.put("maxDeadLetters", Double.toString(maxDeadLetters));
    return new Plan(
        applicationId,
        batch,
        "",
        0,
        clock,
        session.identity(),
        input.ranges(),
        Optional.empty(),
        List.of(),
        shape.decodedJson(),
        options,
        Planner.shards(session.records(input.ranges())),
        RowEncoding.VERSION);
  }

  private void run(Planned planned, BatchRunner runner, PrintStream out)
      throws IOException, InterruptedException {
    Plan plan = planned.plan();
    Staging staging = BackfillStaging.beside(table.path(), hadoopConfiguration);
    Schema rows = source.rowSchema(planned.shape().decoded());
    Batch batch = new Batch(plan, rows, KeyMemory.none(), settings().eventTime());
    StageOutput output =
        planned.target().output(planned.shape().rows(), false, planned.shape().keyColumns());
    Manifest manifest;
    try {
      manifest =
          new Stage(runner, staging, crash)
              .run(
                  batch,
                  pipeline ->
                      planned
                          .function()
                          .apply(batch, source.read(pipeline, plan, planned.shape().decoded())),
                  List.of(output));
    } finally {
      staging.delete(plan.batch());
    }
    crash.reached(CrashPoint.AFTER_WRITE, plan.batch());
    Manifest.Written written = manifest.outputs().get(TARGET);
    List<DataFile> files = written.files();
    long read = manifest.count(Counts.READ);
    long refused = manifest.count(Counts.INVALID) + manifest.count(Counts.CONFLICTS);
    if (read == 0) {
      // Offsets of aborted transactions, or of a compacted topic, are no reason to empty
      // partitions.
      throw BackfillErrors.nothingToBackfillFrom(source.names());
    }
    if ((double) refused / read > maxDeadLetters) {
      table.discard(files);
      throw BackfillErrors.notAllRows(refused, read, maxDeadLetters);
    }
    crash.reached(CrashPoint.BEFORE_TARGET_COMMIT, plan.batch());
    CommitOutcome outcome = commit(planned, output, written, files);
    crash.reached(CrashPoint.AFTER_TARGET_COMMIT, plan.batch());
    say(
        out,
        "read %,d, rows %,d, duplicates %,d, left out %,d; version %d has them as partitions with %s"
            .formatted(
                read,
                written.rows(),
                manifest.count(Counts.DUPLICATES),
                refused,
                outcome.version(),
                planned.partitions()));
  }

  private CommitOutcome commit(
      Planned planned, StageOutput output, Manifest.Written written, List<DataFile> files) {
    DeltaCommit commit =
        DeltaCommit.of(
                planned.sink(),
                planned.plan().batch(),
                planned.fingerprint(),
                written.content().toString(),
                output.files().schemaJson())
            .withPartitionColumns(output.files().partitionColumns())
            .withParameters(TargetTable.offsets(planned.plan()))
            .withFiles(files)
            .overwriting(planned.partitions());
    try {
      CommitOutcome outcome = table.commit(commit);
      if (outcome instanceof CommitOutcome.AlreadyCommitted) {
        table.discard(files);
      }
      return outcome;
    } catch (OutsideOverwriteException e) {
      table.discard(files);
      throw e;
    }
  }

  private static void say(PrintStream out, String line) {
    out.println(line);
    out.flush();
  }
}
