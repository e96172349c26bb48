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
package dev.idem.io.checkpoint;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.checkpoint.Agreement.Lost;
import dev.idem.io.checkpoint.Agreement.OnLostCheckpoint;
import dev.idem.io.checkpoint.Agreement.OnLostTarget;
import dev.idem.io.checkpoint.Agreement.Terms;
import dev.idem.io.checkpoint.DisagreementException.Reason;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each refusal with its whole message, each way on with its whole verdict. */
class AgreementTest {

  private static final String SINK = "orders/table";
  private static final Map<String, String> OPTIONS = Map.of("keys", "event_id", "format", "json");
  private static final String WITHOUT_CHECKPOINT =
      "rebuild it from the target's record by --onLostCheckpoint=resume, or, if rows may leave the"
          + " targets and nobody else writes them, begin anew by --onLostCheckpoint=restart: the"
          + " source is read from its beginning, and the first commit empties every target.";
  private static final Terms RESUME =
      new Terms(Map.of(), false, OnLostCheckpoint.RESUME, OnLostTarget.REFUSE, Optional.empty());
  private static final Terms CONTINUE =
      new Terms(Map.of(), false, OnLostCheckpoint.REFUSE, OnLostTarget.CONTINUE, Optional.empty());
  private static final String LOST_TARGET =
      " restore it, or go on without the missing batches by --onLostTarget=continue.";

  private static Plan plan(long batch) {
    return Batches.plan(batch, "e-1", 1);
  }

  private static CheckpointState fresh() {
    return new CheckpointState(
        "orders",
        "e-1",
        OptionalLong.empty(),
        OptionalLong.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static CheckpointState committed(long batch) {
    return new CheckpointState(
        "orders",
        "e-1",
        OptionalLong.of(batch),
        OptionalLong.of(batch),
        Optional.empty(),
        Optional.of(plan(batch).fingerprint()));
  }

  private static CheckpointState pending(long batch) {
    return new CheckpointState(
        "orders",
        "e-1",
        OptionalLong.of(batch),
        batch == 0 ? OptionalLong.empty() : OptionalLong.of(batch - 1),
        Optional.of(plan(batch)),
        batch == 0 ? Optional.empty() : Optional.of(plan(batch - 1).fingerprint()));
  }

  private static TargetState at(long batch) {
    return holding(plan(batch));
  }

  private static TargetState holding(Plan plan) {
    return new TargetState("/t", SINK, true, Optional.of(record(plan)));
  }

  private static TargetRecord record(Plan plan) {
    return new TargetRecord(SINK, plan.batch(), plan, Batches.summary(plan.batch()));
  }

  private static TargetState none(boolean exists) {
    return new TargetState("/t", SINK, exists, Optional.empty());
  }

  private static Agreement.Verdict decide(
      CheckpointState checkpoint, Terms terms, TargetState... targets) {
    return Agreement.decide(checkpoint, List.of(targets), terms);
  }

  private static void refuses(
      Reason reason,
      String message,
      CheckpointState checkpoint,
      Terms terms,
      TargetState... targets) {
    var e = assertThrows(DisagreementException.class, () -> decide(checkpoint, terms, targets));
    assertThat(e.getMessage(), is(message));
    assertThat(e.reason(), is(reason));
    assertThat(e.target(), is("/t"));
    assertThat(e.ours(), is(checkpoint.lastPlanned()));
  }

  private static Terms others(boolean explicit, String... ids) {
    return new Terms(
        Map.of("/t", Set.of(ids)),
        explicit,
        OnLostCheckpoint.REFUSE,
        OnLostTarget.REFUSE,
        Optional.empty());
  }

  private static Terms options(Map<String, String> options) {
    return new Terms(
        Map.of(), false, OnLostCheckpoint.REFUSE, OnLostTarget.REFUSE, Optional.of(options));
  }

  private static CheckpointState begunAnewAfter(long batch) {
    return new CheckpointState(
        "orders",
        "e-1",
        OptionalLong.empty(),
        OptionalLong.empty(),
        Optional.empty(),
        Optional.empty(),
        OptionalLong.of(batch));
  }

  private static CheckpointState restarting(long batch) {
    return new CheckpointState(
        "orders",
        "e-1",
        OptionalLong.of(batch),
        OptionalLong.empty(),
        Optional.of(restartedAt(batch)),
        Optional.empty());
  }

  private static Plan restartedAt(long batch) {
    Plan plan = plan(batch);
    return new Plan(
        plan.applicationId(),
        plan.batch(),
        plan.epoch(),
        plan.lease(),
        plan.clock(),
        plan.source(),
        plan.ranges(),
        plan.watermark(),
        plan.progress(),
        plan.schema(),
        Map.of(Plan.RESTARTED_AT, Long.toString(batch)),
        plan.shards(),
        plan.encoding());
  }

  @Test
  void lostCheckpointIsBegunAnewAfterTheHighestBatchThatIsKnown() {
    Terms terms =
        new Terms(Map.of(), false, OnLostCheckpoint.RESTART, OnLostTarget.REFUSE, Optional.empty());

    assertThat(
        decide(fresh(), terms, at(4), at(5), none(false)),
        is(new Agreement.Restart(5, Optional.of(record(plan(5))))));
    assertThat(decide(committed(5), terms, at(5)), is(new Agreement.Next(6, List.of())));
    assertThat(
        Agreement.restart(committed(7), List.of(at(7), none(true)), Terms.strict()),
        is(Optional.of(new Agreement.Restart(7, Optional.of(record(plan(7)))))));
    assertThat(
        Agreement.restart(pending(8), List.of(at(7)), Terms.strict()).orElseThrow().last(), is(8L));
    assertThat(
        Agreement.restart(fresh(), List.of(none(false)), Terms.strict()), is(Optional.empty()));
  }

  @Test
  void lifeThatWasBegunAnewAsksForNothingOfTheEarlierOne() {
    assertThat(
        decide(begunAnewAfter(5), Terms.strict(), at(4), at(5), none(false)),
        is(new Agreement.Start()));
    assertThat(begunAnewAfter(5).isBegunAnew(), is(true));
    assertThat(restarting(6).isBegunAnew(), is(true));
    assertThat(committed(6).isBegunAnew(), is(false));
    var ahead =
        assertThrows(
            DisagreementException.class, () -> decide(begunAnewAfter(5), Terms.strict(), at(6)));
    assertThat(ahead.reason(), is(Reason.CHECKPOINT_LOST));
    TargetState has = holding(restartedAt(6));
    assertThat(
        decide(restarting(6), Terms.strict(), at(4), has, none(false)),
        is(new Agreement.Replay(6, List.of(has), List.of(at(4), none(false)), false, List.of())));
    assertThat(
        decide(fresh(), RESUME, has, at(4)),
        is(new Agreement.Resume(record(restartedAt(6)), List.of(at(4)), List.of())));
  }

  @Test
  void firstBatchStartsOnTargetsWithoutRecords() {
    assertThat(decide(fresh(), Terms.strict(), none(false), none(true)), is(new Agreement.Start()));
    assertThat(decide(fresh(), Terms.strict()), is(new Agreement.Start()));
  }

  @Test
  void deletedOrMovedCheckpointIsRefused() {
    refuses(
        Reason.CHECKPOINT_LOST,
        "Target \"/t\" must hold nothing that this checkpoint has not planned, but was: ahead of"
            + " it, because the checkpoint was lost or is another one (sink \"orders/table\":"
            + " target at batch 4, checkpoint at no batch). Give the --checkpoint that wrote it, "
            + WITHOUT_CHECKPOINT,
        fresh(),
        Terms.strict(),
        at(4));
  }

  @Test
  void oldCopyOfTheCheckpointIsRefused() {
    refuses(
        Reason.CHECKPOINT_STALE,
        "Target \"/t\" must hold nothing that this checkpoint has not planned, but was: ahead of"
            + " it, because the checkpoint is an old copy (sink \"orders/table\": target at batch"
            + " 14, checkpoint at batch 4). Give the newest copy of the --checkpoint, "
            + WITHOUT_CHECKPOINT,
        committed(4),
        Terms.strict(),
        at(14));
  }

  @Test
  void targetAheadUnderAnotherLifeMeansALostCheckpoint() {
    var e =
        assertThrows(
            DisagreementException.class,
            () -> decide(pending(4), Terms.strict(), holding(Batches.plan(5, "e-2", 1))));
    assertThat(e.reason(), is(Reason.CHECKPOINT_LOST));
    assertThat(e.theirs(), is(OptionalLong.of(5)));
  }

  @Test
  void deletedTargetIsRefused() {
    refuses(
        Reason.TARGET_MISSING,
        "Target \"/t\" must hold the batches that the checkpoint has done, but was: absent (sink"
            + " \"orders/table\": target at no batch, checkpoint at batch 4). It was deleted, or"
            + " another place is given: give the place written so far,"
            + LOST_TARGET,
        committed(4),
        Terms.strict(),
        none(false));
  }

  @Test
  void targetElsewhereWithoutRecordIsRefused() {
    refuses(
        Reason.TARGET_WITHOUT_RECORD,
        "Target \"/t\" must hold the batches that the checkpoint has done, but was: without any"
            + " record of this sink (sink \"orders/table\": target at no batch, checkpoint at batch"
            + " 4). It was created anew, or another place is given: give the place written so far,"
            + LOST_TARGET,
        committed(4),
        Terms.strict(),
        none(true));
  }

  @Test
  void targetBehindIsRefused() {
    refuses(
        Reason.TARGET_BEHIND,
        "Target \"/t\" must hold the batches that the checkpoint has done, but was: behind (sink"
            + " \"orders/table\": target at batch 2, checkpoint at batch 4). It was restored or"
            + " replaced by an old copy: bring it back, or go on without the missing batches by"
            + " --onLostTarget=continue.",
        committed(4),
        Terms.strict(),
        at(2));
  }

  @Test
  void restoredTargetIsRefusedAlthoughItsNumberIsRight() {
    TargetState restored =
        new TargetState(
            "/t",
            SINK,
            true,
            Optional.of(record(plan(4))),
            Optional.of("restored to version 3 by version 9"));

    refuses(
        Reason.TARGET_CHANGED,
        "Target \"/t\" must be changed by nothing that takes rows back, but was: restored to"
            + " version 3 by version 9 (sink \"orders/table\": target at batch 4, checkpoint at"
            + " batch 4). Undo that change, or go on without the missing batches by"
            + " --onLostTarget=continue.",
        committed(4),
        Terms.strict(),
        restored);
    assertThat(
        decide(committed(4), CONTINUE, restored),
        is(new Agreement.Next(5, List.of(new Lost(restored, 0)))));
  }

  @Test
  void recordOfAnotherSinkIsRefused() {
    TargetRecord other = new TargetRecord("orders/audit", 4, plan(4), Batches.summary(4));

    refuses(
        Reason.TARGET_SWAPPED,
        "Target \"/t\" must hold records of this application and sink, but was: under sink"
            + " \"orders/audit\" of application \"orders\" (sink \"orders/table\": target at batch"
            + " 4, checkpoint at batch 4). Give the target that this job wrote so far.",
        committed(4),
        CONTINUE,
        new TargetState("/t", SINK, true, Optional.of(other)));
  }

  @Test
  void batchUnderAnotherPlanIsRefusedWhetherPendingOrCommitted() {
    Plan other = Batches.plan(4, "e-1", 9);
    String message =
        "Target \"/t\" must hold its last batch under the checkpoint's plan, but was: under another"
            + " plan (fingerprint "
            + other.fingerprint()
            + ") (sink \"orders/table\": target at batch 4, checkpoint at batch %d). Give the"
            + " target and the --checkpoint that belong together; if the checkpoint is an old copy,"
            + " rebuild it by --onLostCheckpoint=resume.";

    refuses(Reason.OTHER_PLAN, message.formatted(4), pending(4), CONTINUE, holding(other));
    refuses(Reason.OTHER_PLAN, message.formatted(4), committed(4), CONTINUE, holding(other));
    refuses(Reason.OTHER_PLAN, message.formatted(5), pending(5), RESUME, holding(other));
  }

  @Test
  void optionsOfAPendingBatchMayChangeOnlyWhileNoTargetHasIt() {
    Terms changed = options(Map.of("keys", "event_id", "format", "avro"));

    refuses(
        Reason.OPTIONS_CHANGED,
        "Target \"/t\" must get the pending batch under the options that it was planned with, but"
            + " was: given others although it has the batch: --format was \"json\" and is \"avro\""
            + " (sink \"orders/table\": target at batch 4, checkpoint at batch 4). Start once with"
            + " the former options, which ends the batch, and change them then.",
        pending(4),
        changed,
        at(4),
        at(3));
    assertThat(
        decide(pending(4), changed, at(3)),
        is(new Agreement.Replay(4, List.of(), List.of(at(3)), true, List.of())));
    assertThat(
        decide(pending(4), options(OPTIONS), at(3)),
        is(new Agreement.Replay(4, List.of(), List.of(at(3)), false, List.of())));
    assertThat(decide(committed(4), changed, at(4)), is(new Agreement.Next(5, List.of())));
  }

  @Test
  void targetOfOtherApplicationsNeedsAnExplicitApplicationId() {
    refuses(
        Reason.OTHER_APPLICATION,
        "Target \"/t\" must be written by no other application from the same source, but was:"
            + " written by [audit, nightly] (sink \"orders/table\": target at no batch, checkpoint"
            + " at no batch). If this is that job, give its --checkpoint or its --applicationId; if"
            + " a second job is meant, give it an --applicationId of its own.",
        fresh(),
        others(false, "nightly", "audit"),
        none(true));
    assertThat(decide(fresh(), others(true, "nightly"), none(true)), is(new Agreement.Start()));
  }

  @Test
  void sinkRenamedWithTheCheckpointLostIsRefusedEvenWithAnExplicitId() {
    refuses(
        Reason.OTHER_SINK,
        "Target \"/t\" must be written by this application through one sink, but was: written by"
            + " \"orders\" through a sink of another name (sink \"orders/table\": target at no"
            + " batch, checkpoint at no batch). Give the sink its former name, or the job an"
            + " --applicationId of its own.",
        fresh(),
        others(true, "orders"),
        none(true));
  }

  @Test
  void targetsUnderDifferentPlansCannotBeResumedFrom() {
    Plan other = Batches.plan(4, "e-2", 1);

    refuses(
        Reason.TARGETS_DISAGREE,
        "Target \"/t\" must hold its last batch under the same plan as \"/t\", but was: under"
            + " another plan (fingerprint "
            + other.fingerprint()
            + ") (sink \"orders/table\": target at batch 4, checkpoint at no batch). Give the"
            + " targets that were written by one job; none of them can be resumed from.",
        fresh(),
        RESUME,
        at(4),
        holding(other));
  }

  @Test
  void lostCheckpointResumesFromTheMostAdvancedRecord() {
    assertThat(
        decide(fresh(), RESUME, at(3), at(4)),
        is(new Agreement.Resume(record(plan(4)), List.of(at(3)), List.of())));
    assertThat(
        decide(fresh(), RESUME, none(true), at(0)),
        is(new Agreement.Resume(record(plan(0)), List.of(none(true)), List.of())));
    assertThat(
        decide(committed(4), RESUME, at(14)),
        is(new Agreement.Resume(record(plan(14)), List.of(), List.of())));
    assertThat(((Agreement.Resume) decide(fresh(), RESUME, at(4))).plan(), is(plan(4)));
  }

  @Test
  void resumeDoesNotHideALostTarget() {
    var e = assertThrows(DisagreementException.class, () -> decide(fresh(), RESUME, at(2), at(4)));
    Terms both =
        new Terms(
            Map.of(), false, OnLostCheckpoint.RESUME, OnLostTarget.CONTINUE, Optional.empty());

    assertThat(e.reason(), is(Reason.TARGET_BEHIND));
    assertThat(
        decide(fresh(), both, at(2), at(4)),
        is(new Agreement.Resume(record(plan(4)), List.of(at(2)), List.of(new Lost(at(2), 1)))));
  }

  @Test
  void resumedCheckpointAgreesWithItsTargets() {
    Plan lost = Batches.plan(4, "e-0", 3);
    CheckpointState restored =
        new CheckpointState(
            "orders",
            "e-1",
            OptionalLong.of(4),
            OptionalLong.empty(),
            Optional.of(lost),
            Optional.empty());

    assertThat(
        decide(restored, Terms.strict(), holding(lost)),
        is(new Agreement.Finish(4, List.of(record(lost)), List.of())));
  }

  @Test
  void lostTargetGoesOnAndItsMissingBatchesAreCounted() {
    assertThat(
        decide(committed(4), CONTINUE, at(4), none(false)),
        is(new Agreement.Next(5, List.of(new Lost(none(false), 5)))));
    assertThat(
        decide(pending(4), CONTINUE, at(4), at(1)),
        is(
            new Agreement.Replay(
                4, List.of(at(4)), List.of(at(1)), false, List.of(new Lost(at(1), 2)))));
  }

  @Test
  void batchThatEveryTargetHasIsFinishedFromTheRecords() {
    assertThat(
        decide(pending(4), Terms.strict(), at(4), at(4)),
        is(new Agreement.Finish(4, List.of(record(plan(4)), record(plan(4))), List.of())));
  }

  @Test
  void batchesWithoutRecordingTargetsAreReplayedByTheCheckpointAlone() {
    assertThat(
        decide(pending(4), Terms.strict()),
        is(new Agreement.Replay(4, List.of(), List.of(), false, List.of())));
    assertThat(decide(committed(4), Terms.strict()), is(new Agreement.Next(5, List.of())));
  }

  @Test
  void damagedPlanIsRebuiltFromATargetThatHasTheBatch() {
    assertThat(Agreement.rebuild(4, List.of(at(3), at(4))), is(Optional.of(plan(4))));
    assertThat(Agreement.rebuild(4, List.of(at(3), none(true))), is(Optional.empty()));
    assertThrows(
        DisagreementException.class,
        () -> Agreement.rebuild(4, List.of(at(4), holding(Batches.plan(4, "e-2", 1)))));
  }
}
