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

import dev.idem.io.checkpoint.DisagreementException.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/*
 * P is the last planned batch, pending unless it is committed; n is the number a target holds, -1
 * for none. Base is what every target must hold: P if that is committed, P-1 while it is pending.
 *
 *   n > P                        the checkpoint is lost or stale
 *   n = P, other plan            the checkpoint is a stale copy, or the target another one
 *   n = last committed, other    the target is another one
 *   n < base                     the target was lost, restored or is another one
 *   base <= n <= P               agreed
 *
 * A life that was begun anew after batch M has no base until batch M+1 is committed: that batch
 * empties every target, whatever of the earlier life it holds, and n > M+1 is ahead.
 *
 * Ahead is looked at before behind: as long as the checkpoint may be stale its P says nothing about
 * who is behind. Nothing here reads or writes.
 */
/**
 * Decides, from what the checkpoint and every target remember, what a job may do at its start.
 *
 * <p><b>Guarantee.</b> A batch is planned only if every target that keeps records holds exactly the
 * batch before it, and replayed only if every one holds that or the batch itself under the same
 * plan. In every other case the result is a {@link DisagreementException}, or what the user asked
 * for by {@link OnLostCheckpoint} and {@link OnLostTarget}; a batch id alone is never taken as
 * proof.
 */
public final class Agreement {

  /** What to do if the checkpoint is lost or stale. */
  public enum OnLostCheckpoint {
    /** End with exit code 3. */
    REFUSE,
    /** Go on from the most advanced target's record. */
    RESUME,
    /** Begin anew: empty the targets and read the source from its beginning. */
    RESTART
  }

  /** What to do if a target lost batches. */
  public enum OnLostTarget {
    /** End with exit code 3. */
    REFUSE,
    /** Go on with the next batch and count those that the target lacks. */
    CONTINUE
  }

  /**
   * What the user said, and what was found beside the job's own records.
   *
   * @param otherApplications by target, the ids of all applications, other sinks of this one
   *     included, that wrote the target from the same source
   * @param explicitApplicationId whether the application id was given and not derived
   * @param options the options that decide content as given now, empty to use the plan's
   */
  public record Terms(
      Map<String, Set<String>> otherApplications,
      boolean explicitApplicationId,
      OnLostCheckpoint onLostCheckpoint,
      OnLostTarget onLostTarget,
      Optional<Map<String, String>> options) {

    /** The terms of a job that was given nothing and found nothing. */
    public static Terms strict() {
      return new Terms(
          Map.of(), false, OnLostCheckpoint.REFUSE, OnLostTarget.REFUSE, Optional.empty());
    }
  }

  /**
   * A target that went on without batches it lost.
   *
   * @param batches how many are gone together with their record; 0 if only rows were taken back,
   *     see {@link TargetState#change}
   */
  public record Lost(TargetState target, long batches) {}

  /** What the job does next. */
  public sealed interface Verdict {}

  /** The first batch, 0, is planned. */
  public record Start() implements Verdict {}

  /**
   * The next batch is planned.
   *
   * @param lost the targets that lack earlier batches
   */
  public record Next(long batch, List<Lost> lost) implements Verdict {}

  /**
   * The pending batch is run again.
   *
   * @param having the targets that have it; they are left out
   * @param lacking the targets that lack it
   * @param optionsChanged options that decide content differ from the plan's, and no target has the
   *     batch, so it may be planned anew, see {@link Checkpoint#replan}
   * @param lost the targets that lack earlier batches
   */
  public record Replay(
      long batch,
      List<TargetState> having,
      List<TargetState> lacking,
      boolean optionsChanged,
      List<Lost> lost)
      implements Verdict {}

  /**
   * Every target has the pending batch: its commit is written from the records, without reading the
   * source.
   *
   * @param records each target's record, in the order of the targets
   */
  public record Finish(long batch, List<TargetRecord> records, List<Lost> lost)
      implements Verdict {}

  /**
   * The checkpoint is moved aside and restored from the most advanced record; then the job asks
   * again.
   *
   * @param record the record; its plan becomes {@code offsets/N} as it is
   * @param lacking the targets that lack the record's batch
   * @param lost the targets that lack earlier batches
   */
  public record Resume(TargetRecord record, List<TargetState> lacking, List<Lost> lost)
      implements Verdict {
    /** Returns the plan to restore. */
    public Plan plan() {
      return record.plan();
    }
  }

  /**
   * The checkpoint is moved aside and the job begins anew at the beginning of its source; the batch
   * after {@code last} empties every target in its commit. Then the job asks again.
   *
   * @param last the last batch that the checkpoint or a target knows; numbers never start again
   * @param record the most advanced record, empty if no target has one
   */
  public record Restart(long last, Optional<TargetRecord> record) implements Verdict {}

  private final CheckpointState checkpoint;
  private final List<TargetState> targets;
  private final Terms terms;
  private final long planned;
  private final boolean pending;

  private Agreement(CheckpointState checkpoint, List<TargetState> targets, Terms terms) {
    this.checkpoint = checkpoint;
    this.targets = targets;
    this.terms = terms;
    this.planned = checkpoint.lastPlanned().orElse(-1);
    this.pending = checkpoint.pending().isPresent();
  }

  /**
   * Returns what the job does next.
   *
   * @param targets the answers of all targets that keep records, in the order of their commits
   * @throws DisagreementException if going on would risk a loss or a duplicate
   */
  public static Verdict decide(CheckpointState checkpoint, List<TargetState> targets, Terms terms) {
    return new Agreement(checkpoint, List.copyOf(targets), terms).decide();
  }

  /**
   * Returns how a job begins anew by wish; empty if neither the checkpoint nor a target holds
   * anything.
   *
   * @throws DisagreementException if a target belongs to another application or sink
   */
  public static Optional<Restart> restart(
      CheckpointState checkpoint, List<TargetState> targets, Terms terms) {
    Agreement agreement = new Agreement(checkpoint, List.copyOf(targets), terms);
    targets.forEach(agreement::requireOwnRecord);
    return Optional.of(agreement.restart()).filter(restart -> restart.last() >= 0);
  }

  private Restart restart() {
    Optional<TargetState> ahead = mostAdvanced();
    long known = Math.max(planned, checkpoint.restartedAfter().orElse(-1));
    return new Restart(
        Math.max(known, ahead.map(TargetState::number).orElse(-1L)),
        ahead.flatMap(TargetState::last));
  }

  /**
   * Returns the plan of a batch as a target's record has it, to replace a damaged {@code
   * offsets/N}; empty if no target has the batch.
   *
   * @throws DisagreementException if two targets have it under different plans
   */
  public static Optional<Plan> rebuild(long batch, List<TargetState> targets) {
    List<TargetState> having = targets.stream().filter(t -> t.number() == batch).toList();
    requireOnePlan(having, -1);
    return having.stream().findFirst().map(Agreement::planOf);
  }

  private Verdict decide() {
    for (TargetState target : targets) {
      requireOwnRecord(target);
    }
    return checkpoint.isNew() ? decideNew() : decideKnown();
  }

  private Verdict decideNew() {
    OptionalLong before = checkpoint.restartedAfter();
    Optional<TargetState> ahead = mostAdvanced().filter(t -> t.number() > before.orElse(-1));
    if (ahead.isPresent()) {
      return goOnOr(Reason.CHECKPOINT_LOST, ahead.get());
    }
    if (before.isPresent()) {
      return new Start();
    }
    for (TargetState target : targets) {
      Set<String> ids = terms.otherApplications().getOrDefault(target.target(), Set.of());
      if (ids.contains(checkpoint.applicationId())) {
        throw refuse(Reason.OTHER_SINK, target, checkpoint.applicationId());
      }
      if (!ids.isEmpty() && !terms.explicitApplicationId()) {
        throw refuse(Reason.OTHER_APPLICATION, target, new TreeSet<>(ids).toString());
      }
    }
    return new Start();
  }

  private Verdict decideKnown() {
    Optional<TargetState> ahead = mostAdvanced().filter(t -> t.number() > planned);
    if (ahead.isPresent()) {
      boolean sameLife = planOf(ahead.get()).epoch().equals(checkpoint.epoch());
      return goOnOr(sameLife ? Reason.CHECKPOINT_STALE : Reason.CHECKPOINT_LOST, ahead.get());
    }
    for (TargetState target : targets) {
      Optional<String> ours = fingerprint(target.number());
      if (ours.isPresent() && !ours.get().equals(planOf(target).fingerprint())) {
        if (target.number() == planned) {
          return goOnOr(Reason.OTHER_PLAN, target);
        }
        throw refuse(Reason.OTHER_PLAN, target, "");
      }
    }
    boolean restarts = checkpoint.pending().map(Plan::restarts).orElse(false);
    List<Lost> lost = restarts ? List.of() : lost(pending ? planned - 1 : planned);
    if (!pending) {
      return new Next(planned + 1, lost);
    }
    List<TargetState> having = targets.stream().filter(t -> t.number() == planned).toList();
    List<TargetState> lacking = targets.stream().filter(t -> t.number() < planned).toList();
    Optional<String> changed = changedOption();
    if (changed.isPresent() && !having.isEmpty()) {
      throw refuse(Reason.OPTIONS_CHANGED, having.get(0), changed.get());
    }
    if (lacking.isEmpty() && !having.isEmpty()) {
      return new Finish(planned, having.stream().map(t -> t.last().orElseThrow()).toList(), lost);
    }
    return new Replay(planned, having, lacking, changed.isPresent(), lost);
  }

  /** Returns the fingerprint of our plan of a batch, empty if the checkpoint does not know it. */
  private Optional<String> fingerprint(long batch) {
    if (batch < 0) {
      return Optional.empty();
    }
    if (pending && batch == planned) {
      return checkpoint.pending().map(Plan::fingerprint);
    }
    return batch == checkpoint.lastCommitted().orElse(-1)
        ? checkpoint.committedFingerprint()
        : Optional.empty();
  }

  private Verdict goOnOr(Reason reason, TargetState ahead) {
    return switch (terms.onLostCheckpoint()) {
      case REFUSE -> throw refuse(reason, ahead, "");
      case RESUME -> resume();
      case RESTART -> restart();
    };
  }

  private Verdict resume() {
    TargetRecord record = mostAdvanced().orElseThrow().last().orElseThrow();
    long batch = record.batch();
    requireOnePlan(targets.stream().filter(t -> t.number() == batch).toList(), planned);
    List<TargetState> lacking = targets.stream().filter(t -> t.number() < batch).toList();
    return new Resume(record, lacking, record.plan().restarts() ? List.of() : lost(batch - 1));
  }

  /** Returns the targets that hold less than {@code base}, or refuses them. */
  private List<Lost> lost(long base) {
    List<Lost> lost = new ArrayList<>();
    for (TargetState target : targets) {
      boolean behind = target.number() < base;
      if (!behind && target.change().isEmpty()) {
        continue;
      }
      if (terms.onLostTarget() == OnLostTarget.REFUSE) {
        throw refuse(lossOf(target), target, target.change().orElse(""));
      }
      lost.add(new Lost(target, Math.max(0, base - target.number())));
    }
    return List.copyOf(lost);
  }

  private static Reason lossOf(TargetState target) {
    if (!target.exists()) {
      return Reason.TARGET_MISSING;
    }
    if (target.change().isPresent()) {
      return Reason.TARGET_CHANGED;
    }
    return target.last().isPresent() ? Reason.TARGET_BEHIND : Reason.TARGET_WITHOUT_RECORD;
  }

  private Optional<String> changedOption() {
    if (!pending || terms.options().isEmpty()) {
      return Optional.empty();
    }
    Map<String, String> planned = checkpoint.pending().orElseThrow().options();
    Map<String, String> given = terms.options().get();
    TreeSet<String> names = new TreeSet<>(planned.keySet());
    names.addAll(given.keySet());
    for (String name : names) {
      String before = planned.get(name);
      String now = given.get(name);
      if (before == null || !before.equals(now)) {
        return Optional.of("--%s was %s and is %s".formatted(name, quoted(before), quoted(now)));
      }
    }
    return Optional.empty();
  }

  private static String quoted(String value) {
    return value == null ? "absent" : "\"" + value + "\"";
  }

  private void requireOwnRecord(TargetState target) {
    if (target.last().isEmpty()) {
      return;
    }
    TargetRecord record = target.last().get();
    String application = record.plan().applicationId();
    if (!record.sink().equals(target.sink()) || !application.equals(checkpoint.applicationId())) {
      throw refuse(
          Reason.TARGET_SWAPPED,
          target,
          "sink \"%s\" of application \"%s\"".formatted(record.sink(), application));
    }
  }

  private static void requireOnePlan(List<TargetState> having, long ours) {
    for (TargetState target : having) {
      TargetState first = having.get(0);
      if (!planOf(target).fingerprint().equals(planOf(first).fingerprint())) {
        throw CheckpointErrors.disagreement(
            Reason.TARGETS_DISAGREE, target, ours, "\"" + first.target() + "\"");
      }
    }
  }

  private Optional<TargetState> mostAdvanced() {
    return targets.stream()
        .filter(target -> target.last().isPresent())
        .max(Comparator.comparingLong(TargetState::number));
  }

  private static Plan planOf(TargetState target) {
    return target.last().orElseThrow().plan();
  }

  private DisagreementException refuse(Reason reason, TargetState target, String detail) {
    return CheckpointErrors.disagreement(reason, target, planned, detail);
  }
}
