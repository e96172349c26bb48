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
package dev.idem.testing;

import dev.idem.testing.FaultProxy.Action;
import dev.idem.testing.FaultProxy.Chunk;
import dev.idem.testing.FaultProxy.Direction;
import dev.idem.testing.FaultProxy.Phase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * Faults that a seed decides: one or two that end a connection, and up to three delays. A fault
 * waits for the chunk of a number, of a phase and a direction, counted over all connections; once
 * all have been done, everything is forwarded. The kind of the first follows the last digit of the
 * seed, so that ten seeds in a row have three cuts in execute, three before a commit, two behind a
 * commit that was applied, and two half-closes.
 */
final class FaultSchedule implements FaultProxy.Policy {
  static final int MOST_DELAY_MILLIS = 50;
  private static final int EXECUTES = 8;
  private static final int COMMITS = 3;
  private static final String KINDS = "EEECCCUUHH";

  /** A fault that waits for its chunk. */
  private record Planned(Phase phase, Direction direction, int number, Action action) {
    @Override
    public String toString() {
      return "%s at %s %s %d".formatted(action, phase, direction, number);
    }
  }

  private final long seed;
  private final List<Planned> planned = new ArrayList<>();
  private final List<Planned> waiting;
  private final Map<String, Integer> seen = new HashMap<>();

  FaultSchedule(long seed) {
    this.seed = seed;
    Random random = new Random(seed);
    planned.add(hard(KINDS.charAt((int) Math.floorMod(seed, (long) KINDS.length())), random));
    if (random.nextInt(3) == 0) {
      planned.add(hard(KINDS.charAt(random.nextInt(KINDS.length())), random));
    }
    int delays = random.nextInt(4);
    for (int i = 0; i < delays; i++) {
      boolean commit = random.nextBoolean();
      planned.add(
          new Planned(
              commit ? Phase.COMMIT : Phase.EXECUTE,
              either(random),
              random.nextInt(commit ? COMMITS : EXECUTES),
              Action.delay(1 + random.nextInt(MOST_DELAY_MILLIS))));
    }
    waiting = new ArrayList<>(planned);
  }

  private static Planned hard(char kind, Random random) {
    return switch (kind) {
      case 'E' ->
          new Planned(Phase.EXECUTE, either(random), random.nextInt(EXECUTES), Action.cut());
      case 'C' ->
          new Planned(Phase.COMMIT, Direction.TO_SERVER, random.nextInt(COMMITS), Action.cut());
      case 'U' ->
          new Planned(Phase.COMMIT, Direction.TO_CLIENT, random.nextInt(COMMITS), Action.cut());
      default ->
          random.nextInt(3) == 0
              ? new Planned(
                  Phase.COMMIT, Direction.TO_SERVER, random.nextInt(COMMITS), Action.halfClose())
              : new Planned(
                  Phase.EXECUTE, either(random), random.nextInt(EXECUTES), Action.halfClose());
    };
  }

  private static Direction either(Random random) {
    return random.nextBoolean() ? Direction.TO_SERVER : Direction.TO_CLIENT;
  }

  @Override
  public synchronized Action decide(Chunk chunk) {
    boolean answersCommit =
        chunk.phase() == Phase.COMMIT && chunk.direction() == Direction.TO_CLIENT;
    // A refused commit does not count: a fault there would be one in execute.
    if (chunk.phase() == Phase.SESSION || (answersCommit && !chunk.committed())) {
      return Action.forward();
    }
    int number = seen.merge(chunk.phase() + " " + chunk.direction(), 1, Integer::sum) - 1;
    for (Planned one : waiting) {
      if (one.phase() == chunk.phase()
          && one.direction() == chunk.direction()
          && one.number() <= number) {
        waiting.remove(one);
        return one.action();
      }
    }
    return Action.forward();
  }

  /** Returns the seed and the faults, for the messages of tests. */
  @Override
  public String toString() {
    return "seed %d: %s"
        .formatted(seed, planned.stream().map(Planned::toString).collect(Collectors.joining(", ")));
  }
}
