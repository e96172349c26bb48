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
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import dev.idem.io.checkpoint.Agreement.OnLostCheckpoint;
import dev.idem.io.checkpoint.Agreement.OnLostTarget;
import dev.idem.io.checkpoint.Agreement.Terms;
import dev.idem.io.checkpoint.Agreement.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every combination of a checkpoint up to batch 2 and two targets up to batch 3, against the rules
 * of the protocol stated one by one, as sentences about all targets, without an order of cases.
 */
class AgreementRulesTest {

  private static final long LAST = 3;

  /**
   * What a target holds; {@code foreign} marks another plan than the checkpoint's of that batch.
   */
  private record Held(long number, boolean foreign) {}

  /** Where the checkpoint is: the last batch planned, or -1, and whether it is committed. */
  private record At(long planned, boolean committed) {}

  private enum User {
    STRICT(false, false),
    RESUME(true, false),
    CONTINUE(false, true),
    BOTH(true, true);

    private final boolean resume;
    private final boolean goOn;

    User(boolean resume, boolean goOn) {
      this.resume = resume;
      this.goOn = goOn;
    }

    Terms terms() {
      return new Terms(
          Map.of(),
          false,
          resume ? OnLostCheckpoint.RESUME : OnLostCheckpoint.REFUSE,
          goOn ? OnLostTarget.CONTINUE : OnLostTarget.REFUSE,
          Optional.empty());
    }
  }

  @ParameterizedTest
  @EnumSource
  void decisionFollowsTheRulesInEveryCombination(User user) {
    Map<String, Integer> seen = new TreeMap<>();
    for (At at : positions()) {
      for (Held first : holdings()) {
        for (Held second : holdings()) {
          String expected = rules(at, List.of(first, second), user);
          String actual = decide(at, List.of(first, second), user);
          assertThat(user + " " + at + " " + first + " " + second, actual, is(expected));
          seen.merge(expected.split(" ", -1)[0], 1, Integer::sum);
        }
      }
    }

    Set<String> always = Set.of("start", "next", "replay", "finish", "refused");
    for (String outcome : always) {
      assertThat(outcome, seen.getOrDefault(outcome, 0), greaterThan(0));
    }
    assertThat(seen.containsKey("resume"), is(user.resume));
    assertThat(seen.values().stream().mapToInt(Integer::intValue).sum(), is(7 * 9 * 9));
  }

  private static List<At> positions() {
    List<At> all = new ArrayList<>(List.of(new At(-1, true)));
    for (long batch = 0; batch < LAST; batch++) {
      all.add(new At(batch, false));
      all.add(new At(batch, true));
    }
    return all;
  }

  private static List<Held> holdings() {
    List<Held> all = new ArrayList<>(List.of(new Held(-1, false)));
    for (long batch = 0; batch <= LAST; batch++) {
      all.add(new Held(batch, false));
      all.add(new Held(batch, true));
    }
    return all;
  }

  /* The rules, said once more. */
  private static String rules(At at, List<Held> targets, User user) {
    long mustHold = at.committed() ? at.planned() : at.planned() - 1;
    long top = targets.stream().mapToLong(Held::number).max().orElseThrow();
    Predicate<Held> known =
        t -> t.number() == at.planned() || (!at.committed() && t.number() == at.planned() - 1);
    Predicate<Held> contradicts = t -> t.foreign() && t.number() >= 0 && known.test(t);
    boolean ahead = top > at.planned();
    boolean wrongTarget =
        targets.stream().anyMatch(contradicts.and(t -> t.number() < at.planned()));
    boolean wrongCheckpoint =
        targets.stream().anyMatch(contradicts.and(t -> t.number() == at.planned()));
    long firstWrong =
        targets.stream().filter(contradicts).map(Held::number).findFirst().orElse(-1L);

    if (ahead || (wrongCheckpoint && (!wrongTarget || firstWrong == at.planned()))) {
      boolean onePlan =
          targets.stream().filter(t -> t.number() == top).map(Held::foreign).distinct().count()
              == 1;
      boolean noneLost = targets.stream().allMatch(t -> t.number() >= top - 1);
      return user.resume && onePlan && (noneLost || user.goOn) ? "resume " + top : "refused";
    }
    if (wrongTarget) {
      return "refused";
    }
    if (!user.goOn && targets.stream().anyMatch(t -> t.number() < mustHold)) {
      return "refused";
    }
    if (at.planned() < 0) {
      return "start";
    }
    if (at.committed()) {
      return "next " + (at.planned() + 1);
    }
    long having = targets.stream().filter(t -> t.number() == at.planned()).count();
    return having == targets.size()
        ? "finish " + at.planned()
        : "replay " + at.planned() + " " + having;
  }

  private static String decide(At at, List<Held> targets, User user) {
    CheckpointState checkpoint =
        new CheckpointState(
            Batches.APPLICATION,
            "e-1",
            optional(at.planned()),
            optional(at.committed() ? at.planned() : at.planned() - 1),
            at.committed() ? Optional.empty() : Optional.of(plan(at.planned(), false)),
            Optional.of(at.committed() ? at.planned() : at.planned() - 1)
                .filter(batch -> batch >= 0)
                .map(batch -> plan(batch, false).fingerprint()));
    List<TargetState> states = targets.stream().map(AgreementRulesTest::state).toList();
    try {
      Verdict verdict = Agreement.decide(checkpoint, states, user.terms());
      if (verdict instanceof Agreement.Next next) {
        return "next " + next.batch();
      } else if (verdict instanceof Agreement.Replay replay) {
        return "replay " + replay.batch() + " " + replay.having().size();
      } else if (verdict instanceof Agreement.Finish finish) {
        return "finish " + finish.batch();
      } else if (verdict instanceof Agreement.Resume resume) {
        return "resume " + resume.plan().batch();
      }
      return "start";
    } catch (DisagreementException e) {
      return "refused";
    }
  }

  private static OptionalLong optional(long batch) {
    return batch < 0 ? OptionalLong.empty() : OptionalLong.of(batch);
  }

  private static Plan plan(long batch, boolean foreign) {
    return Batches.plan(batch, foreign ? "e-2" : "e-1", 1);
  }

  private static TargetState state(Held held) {
    Optional<TargetRecord> record =
        Optional.of(held)
            .filter(h -> h.number() >= 0)
            .map(
                h ->
                    new TargetRecord(
                        "orders/t",
                        h.number(),
                        plan(h.number(), h.foreign()),
                        Batches.summary(h.number())));
    return new TargetState("/t", "orders/t", true, record);
  }
}
