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
import dev.idem.io.checkpoint.CheckpointState;
import dev.idem.io.checkpoint.CheckpointView;
import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.TargetRecord;
import dev.idem.io.checkpoint.TargetState;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.pipelines.batch.PipelineFunction;
import dev.idem.pipelines.plan.Planner;
import dev.idem.pipelines.plan.Redrive;
import dev.idem.pipelines.plan.Shape;
import dev.idem.pipelines.source.Source;
import dev.idem.pipelines.targets.AskedTarget;
import dev.idem.pipelines.targets.JobTarget;
import dev.idem.pipelines.targets.Targets;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.beam.sdk.schemas.Schema;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Says what a start would do next, and refuses what it would refuse, without a lease, an entry or a
 * pipeline: the source is asked for its offsets, and for the first records if the schema is
 * inferred.
 */
final class DryRun {

  /** The epoch and the lease of a plan that is made to be shown. */
  private static final String NO_EPOCH = "";

  private static final long NO_LEASE = 0;

  private final JobSettings settings;
  private final Source source;
  private final PipelineFunction function;
  private final Targets targets;
  private final TargetQuestions questions;
  private final Progress progress;

  DryRun(
      JobSettings settings,
      Source source,
      PipelineFunction function,
      List<JobTarget> targets,
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
    this.questions = new TargetQuestions(settings, source, this.targets);
    this.progress = progress;
  }

  void run() throws IOException {
    progress.say("dry run: nothing is written, and no lease is taken");
    progress.say("application id: " + settings.applicationId());
    Optional<CheckpointView> view =
        CheckpointView.find(settings.checkpoint(), settings.hadoopConfiguration());
    CheckpointState state =
        view.isPresent()
            ? view.get().state(settings.applicationId())
            : new CheckpointState(
                settings.applicationId(),
                NO_EPOCH,
                OptionalLong.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty());
    sayCheckpoint(view, state);
    Optional<Plan> planned =
        state.lastPlanned().isPresent()
            ? plan(view.orElseThrow(), state.lastPlanned().getAsLong())
            : Optional.empty();
    boolean anew = settings.refresh() && !state.isBegunAnew();
    @Nullable Shape shape = planned.isPresent() && !anew ? shape(planned.get()) : null;
    if (shape != null) {
      view.orElseThrow().refuseUnbound(shape.boundOptions(source));
    }
    targets.sayWhatIsNotAsked(progress::say);
    List<AskedTarget> asked = questions.asked(shape);
    List<TargetState> states = TargetQuestions.states(asked);
    states.forEach(this::sayTarget);
    Agreement.Terms terms = questions.terms(asked, planned, shape, state.isNew());
    Optional<Agreement.Restart> wanted =
        anew ? Agreement.restart(state, states, terms) : Optional.empty();
    Agreement.Verdict verdict =
        wanted.isPresent() ? wanted.get() : Agreement.decide(state, states, terms);
    say(verdict, view, shape, planned);
  }

  private void say(
      Agreement.Verdict verdict,
      Optional<CheckpointView> view,
      @Nullable Shape shape,
      Optional<Plan> planned)
      throws IOException {
    if (verdict instanceof Agreement.Restart restart) {
      sayRestart(restart, planned);
    } else if (verdict instanceof Agreement.Resume resume) {
      shape(resume.plan()).refuseUnbound(settings.checkpoint(), source, resume.plan());
      progress.say(
          "the checkpoint would be moved aside and restored at batch " + resume.plan().batch());
    } else if (verdict instanceof Agreement.Finish finish && targets.allKeepRecords()) {
      progress.say("batch " + finish.batch() + " is in every target and would be entered as done");
    } else if (verdict instanceof Agreement.Replay || verdict instanceof Agreement.Finish) {
      Plan pending = planned.orElseThrow();
      if (shape != null) {
        targets.requireFit(shape.rows(), shape.remembers());
      }
      progress.say("batch " + pending.batch() + " was planned and would be run again");
      sayPlan(pending, shape);
    } else if (settings.redrive().isPresent()) {
      planned
          .flatMap(
              last ->
                  Redrive.of(
                      settings.redrive().orElseThrow(),
                      settings.applicationId(),
                      targets.deadLetters(),
                      progress::say))
          .ifPresent(
              redrive ->
                  progress.say(
                      "batch "
                          + (planned.orElseThrow().batch() + 1)
                          + " would take them through the job again"));
    } else {
      sayNext(view, shape, planned);
    }
  }

  private void sayRestart(Agreement.Restart restart, Optional<Plan> planned) {
    targets.requireEmptying();
    try (Source.Session session = source.connect()) {
      List<Source.Position> starts =
          new Planner(session, settings.plan(), NO_EPOCH, NO_LEASE, null)
              .startsAnew(restart.record().map(TargetRecord::plan).or(() -> planned));
      progress.say(
          "the checkpoint would be moved aside and the job begun anew: batch "
              + (restart.last() + 1)
              + " would empty every table of the job");
      for (Source.Position start : starts) {
        progress.say(
            "  %s-%d: from offset %d".formatted(start.topic(), start.partition(), start.offset()));
      }
    }
  }

  private void sayNext(Optional<CheckpointView> view, @Nullable Shape known, Optional<Plan> last)
      throws IOException {
    try (Source.Session session = source.connect()) {
      Planner planner = new Planner(session, settings.plan(), NO_EPOCH, NO_LEASE, session.limits());
      Optional<Plan> before =
          last.or(
              () ->
                  view.flatMap(CheckpointView::start)
                      .filter(start -> session.startsMove() || start.batch() >= 0));
      Planner.Input input = planner.input(before);
      @Nullable Shape shape =
          known != null ? known : Shape.of(session, input, source, function, settings.plan());
      if (shape == null || input.isEmpty()) {
        progress.say("there is nothing to read: no batch would be planned");
        return;
      }
      targets.requireFit(shape.rows(), shape.remembers());
      Plan next =
          planner.plan(
              input,
              before,
              last.flatMap(plan -> commit(view.orElseThrow(), plan.batch()))
                  .map(BatchCommit::summary),
              shape.decodedJson(),
              shape.contentOptions(source, settings.eventTime()));
      progress.say("batch " + next.batch() + " would be planned");
      sayPlan(next, shape);
      targets
          .schemaChanges(shape.rows())
          .forEach((what, change) -> progress.say(what + ": " + change));
    }
  }

  private void sayPlan(Plan plan, @Nullable Shape shape) {
    for (Plan.Range range : plan.ranges()) {
      progress.say("  " + source.describe(range));
    }
    progress.say("  watermark: " + plan.watermark().map(Object::toString).orElse("none"));
    if (shape != null) {
      progress.say("  schema: " + DeltaSchemas.toJson(shape.rows()));
    }
  }

  private void sayCheckpoint(Optional<CheckpointView> view, CheckpointState state) {
    if (view.isEmpty()) {
      progress.say("checkpoint: absent; it would be created");
      return;
    }
    progress.say(
        "checkpoint: last planned batch "
            + number(state.lastPlanned())
            + ", last committed "
            + number(state.lastCommitted()));
    view.get()
        .holder()
        .filter(holder -> !holder.released())
        .ifPresent(
            holder ->
                progress.say(
                    "lease: held by " + holder.owner() + "; while it lives a start is refused"));
  }

  private void sayTarget(TargetState state) {
    progress.say(
        "target "
            + state.target()
            + ": "
            + (state.exists()
                ? state
                    .last()
                    .map(last -> "holds batch " + last.batch())
                    .orElse("holds no batch of this application")
                : "absent; it would be created"));
  }

  private static String number(OptionalLong batch) {
    return batch.isPresent() ? Long.toString(batch.getAsLong()) : "none";
  }

  private Shape shape(Plan plan) {
    Schema given = source.givenSchema();
    return Shape.of(
        source,
        function,
        given == null ? DeltaSchemas.parse(plan.schema()) : given,
        settings.plan());
  }

  private static Optional<Plan> plan(CheckpointView view, long batch) {
    return view.batches().stream()
        .filter(each -> each.batch() == batch)
        .findFirst()
        .flatMap(CheckpointView.Batch::plan);
  }

  private static Optional<BatchCommit> commit(CheckpointView view, long batch) {
    return view.batches().stream()
        .filter(each -> each.batch() == batch)
        .findFirst()
        .flatMap(CheckpointView.Batch::commit);
  }
}
