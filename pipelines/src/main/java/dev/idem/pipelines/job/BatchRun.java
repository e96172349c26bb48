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

import dev.idem.io.checkpoint.Agreement;
import dev.idem.io.checkpoint.BatchCommit;
import dev.idem.io.checkpoint.Checkpoint;
import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.Summary;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.merge.BatchMerge;
import dev.idem.io.delta.merge.MergedBatch;
import dev.idem.io.delta.table.CommitOutcome;
import dev.idem.io.memory.MemoryTable;
import dev.idem.pipelines.batch.Batch;
import dev.idem.pipelines.batch.PipelineFunction;
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.pipelines.plan.Planner;
import dev.idem.pipelines.plan.Redrive;
import dev.idem.pipelines.plan.Shape;
import dev.idem.pipelines.plan.SourceWatermark;
import dev.idem.pipelines.runner.BatchRunner;
import dev.idem.pipelines.source.Source;
import dev.idem.pipelines.stage.Counts;
import dev.idem.pipelines.stage.Manifest;
import dev.idem.pipelines.stage.MergeStage;
import dev.idem.pipelines.stage.RefuseChanges;
import dev.idem.pipelines.stage.Stage;
import dev.idem.pipelines.stage.StageOutput;
import dev.idem.pipelines.stage.WorkerStage;
import dev.idem.pipelines.targets.TargetRecords;
import dev.idem.pipelines.targets.TargetTable;
import dev.idem.pipelines.targets.Targets;
import dev.idem.pipelines.targets.WorkerTarget;
import dev.idem.transforms.changes.TableMerge;
import dev.idem.transforms.dedup.KeyMemory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;

/** Runs one planned batch: stages it, checks it against what targets hold, and applies it. */
final class BatchRun {

  /** A dead-letter share says something of batches of this size and more. */
  private static final long MIN_RECORDS_FOR_SHARE = 1_000;

  private final Checkpoint checkpoint;
  private final JobSettings settings;
  private final Source source;
  private final PipelineFunction function;
  private final Targets targets;
  private final BatchRunner runner;
  private final MemoryTable memory;
  private final Map<String, Duration> durations = new LinkedHashMap<>();
  private final List<String> skipped = new ArrayList<>();

  BatchRun(
      Checkpoint checkpoint,
      JobSettings settings,
      Source source,
      PipelineFunction function,
      Targets targets,
      BatchRunner runner,
      MemoryTable memory) {
    this.checkpoint = checkpoint;
    this.settings = settings;
    this.source = source;
    this.function = function;
    this.targets = targets;
    this.runner = runner;
    this.memory = memory;
  }

  /**
   * What came of a batch.
   *
   * @param schemaChanges what it changed of targets' schemas, by target
   */
  record Done(
      Summary summary, Duration duration, double commitShare, Map<String, String> schemaChanges) {}

  /**
   * What was found before the batch runs.
   *
   * @param held what targets hold of this very batch, by target name
   * @param readable the plan's ranges as far as the source still has them
   * @param notes what the batch's commit has to say of targets that lost something
   */
  record Found(
      Map<String, TargetRecords.Held> held, List<Plan.Range> readable, Map<String, String> notes) {}

  /** Runs the batch and enters it as done. */
  Done run(Plan plan, Shape shape, Found found) throws IOException, InterruptedException {
    Map<String, TargetRecords.Held> held = found.held();
    skipped.addAll(held.keySet());
    Map<TargetTable, StageOutput> outputs = outputs(shape, held);
    Map<WorkerTarget, StageOutput> workers = workers(shape, held);
    Optional<Redrive> redrive = Redrive.of(plan);
    if (redrive.isPresent()) {
      // Dead letters stay until what became of them is in the other tables.
      outputs.put(targets.deadLetters(), outputs.remove(targets.deadLetters()));
    }
    Map<String, String> schemaChanges = targets.schemaChanges(shape.rows());
    Staged staged = timed("stage", () -> stage(plan, shape, outputs, workers, found));
    settings.crash().reached(CrashPoint.AFTER_WRITE, plan.batch());
    Map<String, String> notes = new TreeMap<>(found.notes());
    notes.putAll(schemaChanges);
    String positions =
        timed(
            "verdict",
            () -> {
              requireSameContent(plan, staged.manifest(), held, notes, !workers.isEmpty());
              return source.follow(
                  plan.options().getOrDefault(Planner.POSITIONS, ""),
                  staged.manifest().positions(),
                  notes::put);
            });
    Map<TargetTable, MergedBatch> merged =
        targets.merges()
            ? timed("merge", () -> merge(plan, shape, staged.manifest(), outputs))
            : Map.of();
    settings.crash().reached(CrashPoint.BEFORE_TARGET_COMMIT, plan.batch());
    if (!workers.isEmpty()) {
      timed("write", () -> write(plan, shape, staged.manifest(), outputs, workers));
      requireSameContent(plan, staged.manifest(), held, notes, false);
    }
    Summary summary =
        summary(plan, staged.manifest(), held, positions).withCounts(counts(merged.values()));
    timed("apply", () -> apply(plan, summary, staged, outputs, workers, merged));
    settings.crash().reached(CrashPoint.BEFORE_COMMITS, plan.batch());
    Duration duration = durations.values().stream().reduce(Duration.ZERO, Duration::plus);
    BatchCommit commit =
        new BatchCommit(
            summary,
            settings.applicationId(),
            plan.epoch(),
            plan.fingerprint(),
            durations,
            (double) durations.get("apply").toNanos() / duration.toNanos(),
            List.copyOf(skipped),
            notes);
    checkpoint.publishCommit(commit);
    settings.crash().reached(CrashPoint.AFTER_COMMITS, plan.batch());
    checkpoint.staging().clear(plan.batch());
    for (MergedBatch batch : merged.values()) {
      batch.keepUpBeside();
    }
    return new Done(summary, duration, commit.commitShare(), schemaChanges);
  }

  private interface Step<T> {
    T take() throws IOException, InterruptedException;
  }

  private <T> T timed(String phase, Step<T> step) throws IOException, InterruptedException {
    long begun = System.nanoTime();
    T result = step.take();
    durations.put(phase, Duration.ofNanos(System.nanoTime() - begun));
    return result;
  }

  /**
   * What a batch will commit.
   *
   * @param merged what becomes of the memory's older files
   */
  private record Staged(Manifest manifest, MemoryTable.Maintenance merged) {}

  /** Returns what is written for each table, in the order of the commits. */
  private Map<TargetTable, StageOutput> outputs(Shape shape, Map<String, TargetRecords.Held> held) {
    Map<TargetTable, StageOutput> outputs = new LinkedHashMap<>();
    for (TargetTable table : targets.inOrder(shape.remembers())) {
      outputs.put(
          table,
          table.output(
              targets.schema(table, shape.rows()),
              held.containsKey(table.name()),
              shape.keyColumns()));
    }
    return outputs;
  }

  private Map<WorkerTarget, StageOutput> workers(
      Shape shape, Map<String, TargetRecords.Held> held) {
    Map<WorkerTarget, StageOutput> outputs = new LinkedHashMap<>();
    for (WorkerTarget target : targets.workers()) {
      boolean has = held.containsKey(target.name());
      // What the target refused is not known without it, and the dead letters may still lack that.
      boolean toldAll = has && held.containsKey(targets.deadLetters().name());
      outputs.put(target, target.output(shape.rows(), toldAll));
    }
    return outputs;
  }

  private Staged stage(
      Plan plan,
      Shape shape,
      Map<TargetTable, StageOutput> outputs,
      Map<WorkerTarget, StageOutput> workers,
      Found found)
      throws IOException, InterruptedException {
    List<StageOutput> all = new ArrayList<>(outputs.values());
    all.addAll(workers.values());
    if (!shape.remembers()
        || plan.restarts()
        || found.held().containsKey(targets.memory().name())) {
      return new Staged(runPipeline(plan, shape, all, found), MemoryTable.Maintenance.NONE);
    }
    // Beside the workers, since it takes nothing from this batch, and committing stays short.
    Beside<MemoryTable.Maintenance> merge =
        Beside.start("merge-memory", () -> memory.maintain(plan.batch(), plan.watermark()));
    try {
      return new Staged(runPipeline(plan, shape, all, found), merge.result());
    } finally {
      merge.end();
    }
  }

  private Manifest runPipeline(Plan plan, Shape shape, List<StageOutput> outputs, Found found)
      throws IOException {
    Batch batch =
        new Batch(
            plan,
            source.rowSchema(shape.decoded()),
            // What an earlier life remembers leaves the memory with this batch.
            shape.remembers() && !plan.restarts()
                ? memory.before(plan.batch(), plan.watermark())
                : KeyMemory.none(),
            settings.eventTime());
    Manifest manifest =
        new Stage(runner, checkpoint.staging(), settings.crash())
            .run(
                batch,
                pipeline ->
                    changes(
                        plan, shape, function.apply(batch, events(pipeline, plan, shape, found))),
                outputs);
    long lost = plan.size() - found.readable().stream().mapToLong(Plan.Range::size).sum();
    if (lost > 0) {
      manifest.count(Counts.LOST, lost);
    }
    return manifest;
  }

  /** Makes dead letters of rows that a target would have to merge, but that are no changes. */
  private PCollection<Event> changes(Plan plan, Shape shape, PCollection<Event> events) {
    List<TableMerge> merges = new ArrayList<>();
    targets
        .rows()
        .forEach(
            table -> merge(plan, shape, table).ifPresent(merge -> merges.add(merge.changes())));
    targets.workers().forEach(target -> target.changes(shape.rows()).ifPresent(merges::add));
    return merges.isEmpty()
        ? events
        : events
            .apply("RefuseChanges", ParDo.of(new RefuseChanges(merges)))
            .setCoder(events.getCoder());
  }

  private Optional<BatchMerge> merge(Plan plan, Shape shape, TargetTable table) {
    return table.merge(plan.batch(), shape.rows(), checkpoint.staging());
  }

  private static Map<String, Long> counts(Collection<MergedBatch> merged) {
    Map<String, Long> counts = new TreeMap<>();
    for (MergedBatch batch : merged) {
      counts.merge(Counts.UPSERTED, batch.counts().upserted(), Long::sum);
      counts.merge(Counts.DELETED, batch.counts().deleted(), Long::sum);
      counts.merge(Counts.STALE, batch.counts().stale(), Long::sum);
      counts.merge(Counts.TIES, batch.counts().ties(), Long::sum);
      counts.merge(Counts.FOLDED, batch.counts().folded(), Long::sum);
      counts.merge(Counts.SUSPECTED_LATE, batch.counts().suspectedLate(), Long::sum);
    }
    return counts;
  }

  /** Merges the staged changes into the tables that lack the batch; nothing is committed. */
  private Map<TargetTable, MergedBatch> merge(
      Plan plan, Shape shape, Manifest manifest, Map<TargetTable, StageOutput> outputs)
      throws IOException {
    Map<TargetTable, MergedBatch> merged = new LinkedHashMap<>();
    for (TargetTable table : targets.rows()) {
      Optional<BatchMerge> merge = merge(plan, shape, table);
      if (merge.isPresent() && !outputs.get(table).held()) {
        merged.put(
            table,
            new MergeStage(runner, checkpoint.staging(), settings.plan().clock())
                .run(
                    plan.batch(),
                    merge.get(),
                    shape.rows(),
                    manifest.outputs().get(table.name()).changes()));
      }
    }
    return merged;
  }

  private PCollection<Event> events(Pipeline pipeline, Plan plan, Shape shape, Found found) {
    return Redrive.of(plan)
        .map(
            redrive -> redrive.read(pipeline, targets.deadLetters(), source, plan, shape.decoded()))
        .orElseGet(() -> source.read(pipeline, plan.withRanges(found.readable()), shape.decoded()));
  }

  /** Writes the staged rows to the targets that workers write to; what they refuse is added. */
  private Void write(
      Plan plan,
      Shape shape,
      Manifest manifest,
      Map<TargetTable, StageOutput> outputs,
      Map<WorkerTarget, StageOutput> workers)
      throws IOException {
    for (Map.Entry<WorkerTarget, StageOutput> each : workers.entrySet()) {
      WorkerTarget target = each.getKey();
      if (each.getValue().held()) {
        continue;
      }
      checkpoint.lease().assertHeld();
      manifest.add(
          new WorkerStage(runner, checkpoint.staging())
              .run(
                  plan,
                  target.name(),
                  target.open(plan, checkpoint.lease().generation(), shape.rows()),
                  shape.rows(),
                  manifest.outputs().get(target.name()).changes(),
                  outputs.get(targets.deadLetters())));
      if (!skipped.contains(target.name())) {
        settings.crash().reached(CrashPoint.AFTER_TARGET_WRITE, plan.batch());
      }
    }
    return null;
  }

  /**
   * Decides whether the batch may be committed.
   *
   * @param refusedUnknown whether targets have still to say which rows they refuse, so that the
   *     dead letters are not all there
   */
  private void requireSameContent(
      Plan plan,
      Manifest manifest,
      Map<String, TargetRecords.Held> held,
      Map<String, String> notes,
      boolean refusedUnknown) {
    long read = manifest.count(Counts.READ);
    long rejected = manifest.count(Counts.REJECTED);
    long letters = manifest.count(Counts.INVALID) + rejected;
    // A quotient is rounded as the option was, so that a share that is just met is not exceeded.
    // Dead letters that are some again are where they were.
    boolean first = Redrive.of(plan).isEmpty();
    if (first
        && read >= MIN_RECORDS_FOR_SHARE
        && (double) letters / read > settings.maxDeadLetters()) {
      throw JobErrors.tooManyDeadLetters(
          plan.batch(), letters, rejected, read, settings.maxDeadLetters());
    }
    Map<String, Summary.Output> outputs = outputs(manifest);
    held.forEach(
        (target, record) ->
            record
                .summary()
                .outputs()
                .forEach(
                    (output, before) -> {
                      Summary.Output now = outputs.get(output);
                      boolean later = refusedUnknown && output.equals(StageOutput.DEAD_LETTERS);
                      if (later || before.equals(now)) {
                        return;
                      }
                      if (source.isRepeatable()
                          && settings.onChangedContent() == JobSettings.OnChangedContent.REFUSE) {
                        throw JobErrors.changedContent(plan.batch(), target, output, before, now);
                      }
                      notes.put(
                          "changed content of " + output,
                          before.content() + " then " + now.content());
                    }));
  }

  private static Map<String, Summary.Output> outputs(Manifest manifest) {
    Map<String, Summary.Output> outputs = new TreeMap<>();
    manifest
        .outputs()
        .forEach(
            (name, written) ->
                outputs.put(name, new Summary.Output(written.rows(), written.content())));
    return outputs;
  }

  /** Returns what came of the batch; of what a target holds, what it remembers. */
  private Summary summary(
      Plan plan, Manifest manifest, Map<String, TargetRecords.Held> held, String positions) {
    Map<String, Summary.Output> outputs = outputs(manifest);
    held.forEach((target, record) -> outputs.put(target, record.summary().outputs().get(target)));
    return summaryOf(plan, manifest, outputs, positions);
  }

  private Summary summaryOf(
      Plan plan, Manifest manifest, Map<String, Summary.Output> outputs, String positions) {
    Map<String, Long> counts = new TreeMap<>(manifest.counts());
    plan.options()
        .forEach(
            (name, value) -> {
              if (name.startsWith(Planner.LOST)) {
                counts.merge(Counts.LOST, Long.parseLong(value), Long::sum);
              }
            });
    List<Plan.Progress> progress = progress(plan, manifest);
    return new Summary(
        plan.batch(),
        outputs,
        counts,
        progress,
        SourceWatermark.next(
            plan.watermark(), progress, unread -> true, settings.eventTime(), plan.clock()),
        positions);
  }

  private static List<Plan.Progress> progress(Plan plan, Manifest manifest) {
    Map<Manifest.Partition, Plan.Range> ranges = new HashMap<>();
    plan.ranges()
        .forEach(
            range -> ranges.put(new Manifest.Partition(range.topic(), range.partition()), range));
    return plan.progress().stream()
        .map(
            before -> {
              Manifest.Partition partition =
                  new Manifest.Partition(before.topic(), before.partition());
              Optional<java.time.Instant> greatest = before.greatest();
              Long seen = manifest.greatest().get(partition);
              if (seen != null && (greatest.isEmpty() || greatest.get().toEpochMilli() < seen)) {
                greatest = Optional.of(java.time.Instant.ofEpochMilli(seen));
              }
              boolean read = ranges.get(partition).size() > 0;
              return new Plan.Progress(
                  before.topic(),
                  before.partition(),
                  greatest,
                  read ? Optional.of(plan.clock()) : before.readAt());
            })
        .toList();
  }

  private Void apply(
      Plan plan,
      Summary summary,
      Staged staged,
      Map<TargetTable, StageOutput> outputs,
      Map<WorkerTarget, StageOutput> workers,
      Map<TargetTable, MergedBatch> merged)
      throws IOException {
    Map<TargetTable, MergedBatch> besides = new HashMap<>();
    merged.forEach((table, batch) -> besides.put(targets.changes(table), batch));
    List<TargetTable> missing = new ArrayList<>(outputs.keySet());
    missing.removeIf(table -> outputs.get(table).held());
    boolean gaps = settings.onLostTarget() == Agreement.OnLostTarget.CONTINUE;
    Optional<Redrive> redrive = Redrive.of(plan);
    for (Map.Entry<WorkerTarget, StageOutput> each : workers.entrySet()) {
      if (!each.getValue().held()) {
        checkpoint.lease().assertHeld();
        each.getKey().close(plan, checkpoint.lease().generation(), summary);
        if (!skipped.contains(each.getKey().name())) {
          settings.crash().reached(CrashPoint.BETWEEN_TARGETS, plan.batch());
        }
      }
    }
    for (int i = 0; i < missing.size(); i++) {
      TargetTable table = missing.get(i);
      List<DataFile> add = staged.manifest().outputs().get(table.name()).files();
      List<DataFile> remove = List.of();
      if (table == targets.memory()) {
        add.addAll(staged.merged().add());
        remove = staged.merged().remove();
      } else if (table == targets.deadLetters() && redrive.isPresent()) {
        TargetTable.Rewritten rest =
            table.without(
                row -> redrive.get().takes(row, plan.applicationId()), outputs.get(table).files());
        add.addAll(rest.add());
        remove = rest.remove();
      }
      DataFileSpec files = outputs.get(table).files();
      MergedBatch beside = besides.get(table);
      if (beside != null) {
        add = beside.besideFiles();
        files = beside.besideSpec();
      }
      checkpoint.lease().assertHeld();
      MergedBatch own = merged.get(table);
      CommitOutcome outcome =
          own == null
              ? table.commit(plan, summary, files, add, remove, gaps)
              : table.commit(plan, summary, own, gaps);
      if (outcome instanceof CommitOutcome.AlreadyCommitted) {
        // A former holder of the lease, stopped for a while, went on with the same plan and
        // content.
        skipped.add(table.name());
      }
      if (i < missing.size() - 1) {
        settings.crash().reached(CrashPoint.BETWEEN_TARGETS, plan.batch());
      }
    }
    settings.crash().reached(CrashPoint.AFTER_TARGET_COMMIT, plan.batch());
    return null;
  }
}
