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
import dev.idem.io.checkpoint.CheckpointDamage;
import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.Summary;
import dev.idem.io.checkpoint.TargetRecord;
import dev.idem.io.checkpoint.TargetState;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.pipelines.batch.PipelineFunction;
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.pipelines.plan.Planner;
import dev.idem.pipelines.plan.Shape;
import dev.idem.pipelines.source.Source;
import dev.idem.pipelines.targets.AskedTarget;
import dev.idem.pipelines.targets.TargetRecords;
import dev.idem.pipelines.targets.Targets;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.beam.sdk.schemas.Schema;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Finds where a job goes on: asks every target what it holds, compares that with the checkpoint,
 * heals what a crash left, and refuses the rest. Nothing of it reads the source.
 */
final class Resumption {

  /**
   * Where the job goes on.
   *
   * @param last the plan of the last batch that is done
   * @param lastSummary what came out of it
   * @param pending a batch to run again, null if there is none
   * @param held what targets hold of the pending batch, by target name
   * @param shape what the function makes of the schema, null if the schema is not known yet
   * @param notes what the commit of the next batch has to say of lost targets
   */
  record Point(
      Optional<Plan> last,
      Optional<Summary> lastSummary,
      @Nullable Plan pending,
      Map<String, TargetRecords.Held> held,
      @Nullable Shape shape,
      Map<String, String> notes) {}

  private final Checkpoint checkpoint;
  private final JobSettings settings;
  private final Source source;
  private final PipelineFunction function;
  private final Targets targets;
  private final TargetQuestions questions;
  private final Progress progress;

  Resumption(
      Checkpoint checkpoint,
      JobSettings settings,
      Source source,
      PipelineFunction function,
      Targets targets,
      Progress progress) {
    this.checkpoint = checkpoint;
    this.settings = settings;
    this.source = source;
    this.function = function;
    this.targets = targets;
    this.questions = new TargetQuestions(settings, source, targets);
    this.progress = progress;
  }

  Point resume() throws IOException {
    heal();
    while (true) {
      Optional<Plan> planned = lastPlan();
      boolean anew = settings.refresh() && !checkpoint.state().isBegunAnew();
      Shape shape = planned.isEmpty() || anew ? null : shape(planned.get());
      if (shape != null) {
        checkpoint.bind(shape.boundOptions(source));
      }
      List<AskedTarget> asked = questions.asked(shape);
      List<TargetState> states = TargetQuestions.states(asked);
      Agreement.Terms terms = questions.terms(asked, planned, shape, checkpoint.isNew());
      Optional<Agreement.Restart> wanted =
          anew ? Agreement.restart(checkpoint.state(), states, terms) : Optional.empty();
      Agreement.Verdict verdict =
          wanted.isPresent() ? wanted.get() : Agreement.decide(checkpoint.state(), states, terms);
      if (verdict instanceof Agreement.Restart restart) {
        restart(restart, planned);
        continue;
      }
      if (verdict instanceof Agreement.Resume resume) {
        shape(resume.plan()).refuseUnbound(settings.checkpoint(), source, resume.plan());
        String aside = checkpoint.moveAside();
        checkpoint.restore(resume.plan());
        say(resume.lost());
        progress.say(
            "checkpoint moved to "
                + aside
                + " and restored at batch "
                + resume.plan().batch()
                + " from the record of sink \""
                + resume.record().sink()
                + "\"");
        continue;
      }
      return point(verdict, states, shape);
    }
  }

  /*
   * The targets are as they were until the first batch's commits. A crash before the start entry
   * leaves an empty checkpoint, which a job refuses; after it every start goes on with the new life.
   */
  private void restart(Agreement.Restart restart, Optional<Plan> planned) throws IOException {
    Optional<Plan> before = restart.record().map(TargetRecord::plan).or(() -> planned);
    targets.requireEmptying();
    try (Source.Session session = source.connect()) {
      List<Source.Position> starts = planner(session).startsAnew(before);
      boolean untouched =
          checkpoint.isNew()
              && checkpoint.start().isEmpty()
              && checkpoint.metadata().bound().isEmpty();
      if (!untouched) {
        progress.say("checkpoint moved to " + checkpoint.moveAside());
      }
      // The last moment that is still of the earlier life.
      settings.crash().reached(CrashPoint.BEFORE_OFFSETS, restart.last());
      checkpoint.restart(
          planner(session).restart(restart.last(), starts), before.map(Plan::lease).orElse(0L));
    }
    progress.say("begun anew: batch " + (restart.last() + 1) + " empties every table first");
  }

  private Planner planner(Source.Session session) {
    return new Planner(
        session, settings.plan(), checkpoint.epoch(), checkpoint.lease().generation(), null);
  }

  private Point point(Agreement.Verdict verdict, List<TargetState> states, @Nullable Shape shape)
      throws IOException {
    if (verdict instanceof Agreement.Next next) {
      say(next.lost());
      BatchCommit commit = checkpoint.commit(next.batch() - 1).orElseThrow();
      return new Point(
          checkpoint.plan(next.batch() - 1),
          Optional.of(commit.summary()),
          null,
          Map.of(),
          shape,
          notes(next.lost()));
    }
    if (verdict instanceof Agreement.Finish finish && !targets.allKeepRecords()) {
      // Nobody knows whether the target that keeps no record has the batch: it gets it (again).
      return replay(
          new Agreement.Replay(finish.batch(), states, List.of(), false, finish.lost()), shape);
    }
    if (verdict instanceof Agreement.Finish finish) {
      say(finish.lost());
      TargetRecord record = finish.records().get(finish.records().size() - 1);
      checkpoint.publishCommit(
          new BatchCommit(
              record.summary(),
              settings.applicationId(),
              checkpoint.epoch(),
              record.plan().fingerprint(),
              Map.of(),
              0,
              states.stream().map(TargetState::target).toList(),
              notes(finish.lost())));
      checkpoint.staging().clear(finish.batch());
      progress.finished(finish.batch());
      return new Point(
          Optional.of(record.plan()),
          Optional.of(record.summary()),
          null,
          Map.of(),
          shape,
          Map.of());
    }
    if (verdict instanceof Agreement.Replay replay) {
      return replay(replay, shape);
    }
    return new Point(Optional.empty(), Optional.empty(), null, Map.of(), null, Map.of());
  }

  private Point replay(Agreement.Replay replay, Shape shape) throws IOException {
    say(replay.lost());
    Plan pending = checkpoint.plan(replay.batch()).orElseThrow();
    if (replay.optionsChanged()) {
      targets.requireFit(shape.rows(), shape.remembers());
      pending = replanned(pending, shape);
      checkpoint.replan(pending);
    }
    Map<String, TargetRecords.Held> held = new TreeMap<>();
    for (TargetState state : replay.having()) {
      TargetRecord record = state.last().orElseThrow();
      held.put(state.target(), new TargetRecords.Held(record.plan(), record.summary()));
    }
    boolean first = replay.batch() == 0;
    Optional<BatchCommit> commit = first ? Optional.empty() : checkpoint.commit(replay.batch() - 1);
    return new Point(
        first ? Optional.empty() : checkpoint.plan(replay.batch() - 1),
        commit.map(BatchCommit::summary),
        pending,
        held,
        shape,
        notes(replay.lost()));
  }

  /** The same input under other options; only the driver has seen the plan so far. */
  private Plan replanned(Plan plan, Shape shape) {
    return new Plan(
        plan.applicationId(),
        plan.batch(),
        checkpoint.epoch(),
        checkpoint.lease().generation(),
        plan.clock(),
        plan.source(),
        plan.ranges(),
        plan.watermark(),
        plan.progress(),
        shape.decodedJson(),
        TargetQuestions.withFound(shape.contentOptions(source, settings.eventTime()), plan),
        plan.shards(),
        plan.encoding());
  }

  /** Repairs entries that are damaged; a crash leaves none of those. */
  private void heal() throws IOException {
    Optional<CheckpointDamage> damage = checkpoint.damage();
    while (damage.isPresent()) {
      long batch = damage.get().batch();
      switch (damage.get().kind()) {
        case COMMIT -> {
          checkpoint.dropDamagedCommit(batch);
          progress.say("commits/" + batch + " is damaged; the batch is checked and entered again");
        }
        case PLAN -> {
          checkpoint.replacePlan(
              Agreement.rebuild(batch, TargetQuestions.states(questions.asked(null)))
                  .orElseThrow(damage.get()::cause));
          progress.say("offsets/" + batch + " is damaged; rebuilt from a target's record");
        }
      }
      damage = checkpoint.damage();
    }
  }

  private Optional<Plan> lastPlan() throws IOException {
    OptionalLong last = checkpoint.lastPlanned();
    return last.isPresent() ? checkpoint.plan(last.getAsLong()) : Optional.empty();
  }

  private Shape shape(Plan plan) {
    Schema given = source.givenSchema();
    return Shape.of(
        source,
        function,
        given == null ? DeltaSchemas.parse(plan.schema()) : given,
        settings.plan());
  }

  private void say(List<Agreement.Lost> lost) {
    notes(lost).forEach((what, value) -> progress.say(what + ": " + value));
  }

  private static Map<String, String> notes(List<Agreement.Lost> lost) {
    Map<String, String> notes = new TreeMap<>();
    for (Agreement.Lost each : lost) {
      String target = each.target().target();
      if (each.batches() > 0) {
        notes.put("batches that " + target + " lacks", Long.toString(each.batches()));
      }
      each.target().change().ifPresent(change -> notes.put("change of " + target, change));
    }
    return notes;
  }
}
