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
package dev.idem.it;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;

import dev.idem.it.JobState.Phase;
import dev.idem.pipelines.job.Job;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Kills a job again and again with SIGKILL while a batch is open, at moments found by watching the
 * files, and starts it again. Where a kill hit is read from the files afterwards; one that came too
 * late for its batch does not count, and another is made.
 */
final class Kills {

  private static final int KILLED = 137;

  /** What to wait for before the kill. */
  private enum Aim {
    PLANNED(Phase.READING_OR_WRITING),
    FIRST_DATA_FILE(Phase.READING_OR_WRITING),
    FIRST_COMMIT(Phase.BETWEEN_TARGETS),
    LAST_COMMIT(Phase.BEFORE_COMMITS);

    private final Phase phase;

    Aim(Phase phase) {
      this.phase = phase;
    }
  }

  private final OrdersJob job;
  private final Random random;
  private final int wanted;
  private final int ofEachPhase;
  private final Map<Phase, Integer> hits = new EnumMap<>(Phase.class);

  /**
   * Prepares kills of a job.
   *
   * @param wanted how many kills must hit an open batch
   * @param ofEachPhase how many of them must hit each phase
   */
  Kills(OrdersJob job, long seed, int wanted, int ofEachPhase) {
    this.job = job;
    this.random = new Random(seed);
    this.wanted = wanted;
    this.ofEachPhase = ofEachPhase;
    for (Phase phase : Phase.values()) {
      hits.put(phase, 0);
    }
  }

  /** Kills and restarts, and then lets the job run to its end. */
  void run() throws IOException {
    List<Phase> order = new ArrayList<>();
    for (int attempt = 0; attempt < 3 * wanted && !enough(); attempt++) {
      order.add(kill(aim()));
      job.state().assertWholeBatches();
    }
    System.out.println("killed in " + order + ", together " + hits);
    assertThat("kills that hit an open batch", open(), is(greaterThanOrEqualTo(wanted)));
    for (Phase phase : Phase.values()) {
      if (phase != Phase.NO_BATCH_OPEN) {
        assertThat(phase.toString(), hits.get(phase), is(greaterThanOrEqualTo(ofEachPhase)));
      }
    }
    job.runsHereTo(Job.DONE);
  }

  private boolean enough() {
    return open() >= wanted && lacking().isEmpty();
  }

  private int open() {
    return hits.values().stream().mapToInt(Integer::intValue).sum() - hits.get(Phase.NO_BATCH_OPEN);
  }

  private List<Aim> lacking() {
    List<Aim> lacking = new ArrayList<>();
    for (Aim aim : Aim.values()) {
      if (hits.get(aim.phase) < ofEachPhase) {
        lacking.add(aim);
      }
    }
    return lacking;
  }

  private Aim aim() {
    List<Aim> aims = lacking().isEmpty() ? List.of(Aim.values()) : lacking();
    return aims.get(random.nextInt(aims.size()));
  }

  private Phase kill(Aim aim) {
    JobState state = job.state();
    // A batch that an earlier kill left is run again first, so every start makes headway.
    long batch = state.lastPlanned() + 1 + random.nextInt(2);
    try (JobProcess process = job.start()) {
      boolean reached = process.await(() -> state.isPlanned(batch));
      long before = state.dataFiles();
      reached =
          reached
              && process.awaitClosely(
                  () ->
                      switch (aim) {
                        case PLANNED -> true;
                        case FIRST_DATA_FILE -> state.dataFiles() > before;
                        case FIRST_COMMIT -> JobState.hasCommit(state.memory(), batch);
                        case LAST_COMMIT -> JobState.hasCommit(state.table(), batch);
                      });
      process.kill();
      assertThat(process.output(), process.exitCode(), is(KILLED));
      assertThat(process.output(), reached, is(true));
    }
    Phase hit = state.phase();
    hits.merge(hit, 1, Integer::sum);
    return hit;
  }
}
