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

import dev.idem.io.checkpoint.Checkpoint;
import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.Summary;
import dev.idem.io.memory.MemoryTable;
import dev.idem.pipelines.batch.PipelineFunction;
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.pipelines.plan.Planner;
import dev.idem.pipelines.plan.Redrive;
import dev.idem.pipelines.plan.Shape;
import dev.idem.pipelines.runner.BatchRunner;
import dev.idem.pipelines.source.Source;
import dev.idem.pipelines.targets.JobTarget;
import dev.idem.pipelines.targets.TargetRecords;
import dev.idem.pipelines.targets.Targets;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.beam.sdk.schemas.Schema;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Runs batch after batch: finishes what a former run left, then plans and runs new batches until
 * the source is read out or the job is told to stop.
 */
final class BatchLoop {

  private final JobSettings settings;
  private final Source source;
  private final PipelineFunction function;
  private final Targets targets;
  private final BatchRunner runner;
  private final Progress progress;
  private final CountDownLatch stop = new CountDownLatch(1);

  BatchLoop(
      JobSettings settings,
      Source source,
      PipelineFunction function,
      List<JobTarget> targets,
      BatchRunner runner,
      Progress progress) {
    this.settings = settings;
    this.source = source;
    this.function = function;
    this.targets =
        new Targets(
            targets,
            settings.checkpoint(),
            settings.applicationId(),
            settings.hadoopConfiguration(),
            settings.schemaEvolution());
    this.runner = runner;
    this.progress = progress;
  }

  void run() throws IOException, InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    TerminationSignal.stopOn(stop, ended, settings.shutdownTimeout());
    try (@Nullable Checkpoint checkpoint = LeaseWait.open(settings, progress, this::stops)) {
      if (checkpoint != null) {
        targets.sayWhatIsNotAsked(progress::say);
        Resumption resumption =
            new Resumption(checkpoint, settings, source, function, targets, progress);
        run(checkpoint, resumption.resume());
      }
    } finally {
      ended.countDown();
    }
    progress.end();
    settings.crash().requireReached();
  }

  private void run(Checkpoint checkpoint, Resumption.Point point)
      throws IOException, InterruptedException {
    try (Source.Session session = source.connect()) {
      boolean ends = settings.interval().isEmpty();
      List<Source.Position> limits = session.limits();
      Planner planner =
          new Planner(
              session,
              settings.plan(),
              checkpoint.epoch(),
              checkpoint.lease().generation(),
              ends ? limits : null);
      Optional<Plan> last = point.last();
      Optional<Summary> lastSummary = point.lastSummary();
      @Nullable Shape shape = point.shape();
      Map<String, String> notes = point.notes();
      // A former run may have ended between the last batch's entry and this.
      last.ifPresent(plan -> targets.memory().discardRemoved(plan.batch()));
      if (point.pending() != null) {
        session.verify(point.pending(), limits);
        targets.requireFit(shape.rows(), shape.remembers());
        BatchRun.Found found =
            found(session, point.held(), planner.readable(point.pending()), notes);
        Summary summary = run(checkpoint, point.pending(), shape, found, limits);
        notes = Map.of();
        last = Optional.of(point.pending());
        lastSummary = Optional.of(summary);
      }
      if (settings.redrive().isPresent()) {
        boolean wasPending = point.pending() != null && Redrive.of(point.pending()).isPresent();
        if (!wasPending) {
          redrive(checkpoint, planner, last, lastSummary, shape, notes);
        }
        return;
      }
      if (last.isEmpty() && (session.startsMove() || checkpoint.state().isBegunAnew())) {
        last = Optional.of(start(checkpoint, planner, limits));
      }
      while (stop.getCount() > 0) {
        settings
            .crash()
            .reached(CrashPoint.BEFORE_OFFSETS, last.map(plan -> plan.batch() + 1).orElse(0L));
        Planner.Input input = planner.input(last);
        boolean first = shape == null;
        if (first) {
          shape = Shape.of(session, input, source, function, settings.plan());
        }
        if (shape == null || input.isEmpty()) {
          if (ends || stops(settings.interval().orElseThrow())) {
            return;
          }
          continue;
        }
        Optional<Schema> changed = session.changedSchema(input.ranges(), shape.decoded());
        if (changed.isPresent()) {
          shape = Shape.of(source, function, changed.get(), settings.plan());
        }
        targets.requireFit(shape.rows(), shape.remembers());
        if (first) {
          checkpoint.bind(shape.boundOptions(source));
        }
        Plan plan =
            planner.plan(
                input,
                last,
                lastSummary,
                shape.decodedJson(),
                shape.contentOptions(source, settings.eventTime()));
        checkpoint.publishPlan(plan);
        settings.crash().reached(CrashPoint.AFTER_OFFSETS, plan.batch());
        BatchRun.Found fresh = found(session, Map.of(), plan.ranges(), notes);
        lastSummary = Optional.of(run(checkpoint, plan, shape, fresh, input.limits()));
        notes = Map.of();
        last = Optional.of(plan);
      }
    }
  }

  /** Takes dead letters through the job again, as a batch of their own. */
  private void redrive(
      Checkpoint checkpoint,
      Planner planner,
      Optional<Plan> last,
      Optional<Summary> lastSummary,
      @Nullable Shape shape,
      Map<String, String> notes)
      throws IOException, InterruptedException {
    Optional<Redrive> redrive =
        last.flatMap(
            plan ->
                Redrive.of(
                    settings.redrive().orElseThrow(),
                    settings.applicationId(),
                    targets.deadLetters(),
                    progress::say));
    if (redrive.isEmpty()) {
      return;
    }
    targets.requireFit(shape.rows(), shape.remembers());
    Map<String, String> options =
        redrive.get().in(shape.contentOptions(source, settings.eventTime()));
    Planner.Input nothing = planner.nothing(last.orElseThrow());
    Plan plan = planner.plan(nothing, last, lastSummary, shape.decodedJson(), options);
    source.decodingAgain(plan, shape.decoded());
    checkpoint.publishPlan(plan);
    settings.crash().reached(CrashPoint.AFTER_OFFSETS, plan.batch());
    run(
        checkpoint,
        plan,
        shape,
        new BatchRun.Found(Map.of(), plan.ranges(), notes),
        nothing.limits());
  }

  private BatchRun.Found found(
      Source.Session session,
      Map<String, TargetRecords.Held> held,
      List<Plan.Range> readable,
      Map<String, String> notes) {
    Map<String, String> all = new TreeMap<>(notes);
    session
        .notes(readable)
        .forEach(
            (what, value) -> {
              progress.say(what + ": " + value);
              all.put(what, value);
            });
    return new BatchRun.Found(held, readable, all);
  }

  /** What comes in after the first start is read, also if that start found nothing to read. */
  private static Plan start(Checkpoint checkpoint, Planner planner, List<Source.Position> limits)
      throws IOException {
    if (checkpoint.start().isEmpty()) {
      checkpoint.publishStart(planner.start(limits));
    }
    return checkpoint.start().orElseThrow();
  }

  /** Waits, and returns true at once if the job is told to stop. */
  private boolean stops(Duration time) throws InterruptedException {
    return stop.await(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  private Summary run(
      Checkpoint checkpoint,
      Plan plan,
      Shape shape,
      BatchRun.Found found,
      List<Source.Position> limits)
      throws IOException, InterruptedException {
    MemoryTable memory =
        MemoryTable.at(
            targets.memory().path(), checkpoint.epoch(), targets.memory().hadoopConfiguration());
    BatchRun.Done done =
        new BatchRun(checkpoint, settings, source, function, targets, runner, memory)
            .run(plan, shape, found);
    // The batch is done: what is rewritten now is no part of it, and may be left to other writers.
    String compacted =
        settings.compactSmallFiles() > 0 ? targets.compact(settings.compactSmallFiles()) : "";
    progress.batch(plan, done, lag(plan, limits), compacted);
    targets.memory().discardRemoved(plan.batch());
    return done.summary();
  }

  private static long lag(Plan plan, List<Source.Position> limits) {
    long ends = plan.ranges().stream().mapToLong(Plan.Range::end).sum();
    return Math.max(0, limits.stream().mapToLong(Source.Position::offset).sum() - ends);
  }
}
