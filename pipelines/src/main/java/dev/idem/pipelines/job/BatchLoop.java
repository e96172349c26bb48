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

import dev.idem.io.checkpoint.BatchCommit;
import dev.idem.io.checkpoint.Checkpoint;
import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.Summary;
import dev.idem.io.delta.DeltaSchemas;
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
 * Runs batch after batch: agrees with the targets, finishes what a former run left, then plans and
 * runs new batches until the source is read out or the job is told to stop.
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
      List<DeltaTarget> targets,
      BatchRunner runner,
      Progress progress) {
    this.settings = settings;
    this.source = source;
    this.function = function;
    this.targets = new Targets(targets, settings.applicationId());
    this.runner = runner;
    this.progress = progress;
  }

  void run() throws IOException, InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    Shutdown.onSignal(stop, ended, settings.shutdownTimeout());
    try (Checkpoint checkpoint =
        Checkpoint.open(settings.checkpoint(), settings.applicationId(), settings.clock())) {
      run(checkpoint);
    } finally {
      ended.countDown();
    }
    progress.end();
    if (settings.crash().point() != null) {
      throw JobErrors.crashPointNotReached(settings.crash());
    }
  }

  private void run(Checkpoint checkpoint) throws IOException, InterruptedException {
    targets.rowTables().stream()
        .filter(table -> !table.keepsRecords())
        .forEach(
            table ->
                progress.say(
                    "target \""
                        + table.name()
                        + "\" keeps no record of batches: it is written at least once and not asked"));
    Start start = new Agreed(checkpoint, targets, settings, source).start();
    Optional<Plan> last = start.last();
    Optional<Summary> lastSummary = start.lastSummary();
    if (start.finish().isPresent()) {
      TargetTable.Held held = start.finish().get();
      checkpoint.publishCommit(
          new BatchCommit(
              held.summary(),
              settings.applicationId(),
              held.plan().epoch(),
              held.plan().fingerprint(),
              Map.of(),
              0,
              targets.inOrder(true).stream().map(TargetTable::name).toList(),
              Map.of()));
      progress.finished(held.plan().batch());
    }
    try (Source.Session session = source.connect()) {
      boolean ends = settings.interval().isEmpty();
      Planner planner =
          new Planner(
              session,
              settings,
              checkpoint.epoch(),
              checkpoint.lease().generation(),
              ends ? session.limits() : null);
      Plan pending = start.pending().orElse(null);
      while (stop.getCount() > 0) {
        Plan plan = pending;
        boolean replay = plan != null;
        Shape shape;
        if (plan == null) {
          settings.crash().reached(CrashPoint.BEFORE_OFFSETS, last.map(p -> p.batch() + 1).orElse(0L));
          Planner.Input input = planner.input(last);
          if (input.isEmpty()) {
            if (ends || stop.await(settings.interval().get().toMillis(), TimeUnit.MILLISECONDS)) {
              break;
            }
            continue;
          }
          Schema decoded = decodedSchema(session, input, last);
          shape = shape(decoded, session, input);
          if (last.isEmpty()) {
            checkpoint.bind(boundOptions(shape));
          }
          plan = planner.plan(input, last, lastSummary, DeltaSchemas.toJson(decoded), contentOptions(shape));
          checkpoint.publishPlan(plan);
          settings.crash().reached(CrashPoint.AFTER_OFFSETS, plan.batch());
        } else {
          shape = null;
        }
        pending = null;
      }
    }
  }
}
