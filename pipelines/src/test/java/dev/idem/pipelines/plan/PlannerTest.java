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
package dev.idem.pipelines.plan;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.Summary;
import dev.idem.pipelines.batch.EventTimeRules;
import dev.idem.pipelines.failure.JobRefusedException;
import dev.idem.pipelines.source.Source;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.schemas.Schema;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.junit.jupiter.api.Test;

class PlannerTest {

  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  private final FakeSession session = new FakeSession();

  private static final class FakeSession implements Source.Session {
    final List<Source.Position> limits = new ArrayList<>();
    final List<Source.Position> earliest = new ArrayList<>();
    final List<Plan> verified = new ArrayList<>();

    void partition(int number, long first, long end) {
      earliest.add(new Source.Position("t", number, first, -1));
      limits.add(new Source.Position("t", number, end, 7));
    }

    @Override
    public Map<String, String> identity() {
      return Map.of("cluster", "c");
    }

    @Override
    public List<Source.Position> limits() {
      return List.copyOf(limits);
    }

    @Override
    public List<Source.Position> starts(List<Source.Position> all) {
      return earliest(all);
    }

    @Override
    public List<Source.Position> earliest(List<Source.Position> some) {
      return earliest.stream()
          .filter(each -> some.stream().anyMatch(one -> one.partition() == each.partition()))
          .toList();
    }

    @Override
    public void verify(Plan last, List<Source.Position> all) {
      verified.add(last);
    }

    @Override
    public Optional<Schema> schema(List<Plan.Range> first, List<Source.Position> all) {
      throw new UnsupportedOperationException("not asked for by the planner");
    }

    @Override
    public void close() {}
  }

  private Planner planner() {
    return planner(null, Long.MAX_VALUE, OnDataLoss.FAIL);
  }

  private Planner planner(
      @Nullable List<Source.Position> fixedLimits, long maxRecordsPerBatch, OnDataLoss onDataLoss) {
    Duration delay = Duration.ofMinutes(5);
    return new Planner(
        session,
        new PlanSettings(
            "app",
            maxRecordsPerBatch,
            new EventTimeRules(delay, delay, delay, delay),
            onDataLoss,
            Clock.fixed(NOON, ZoneOffset.UTC)),
        "epoch",
        3,
        fixedLimits);
  }

  private Plan plan(Planner planner, Optional<Plan> last, Optional<Summary> summary) {
    return planner.plan(planner.input(last), last, summary, "schema", Map.of("o", "v"));
  }

  private Plan first(Planner planner) {
    return plan(planner, Optional.empty(), Optional.empty());
  }

  @Test
  void firstPlanReadsFromTheStartAndHoldsAllThatDecides() {
    session.partition(0, 5, 15);

    Plan plan = first(planner());

    assertThat(
        plan,
        is(
            new Plan(
                "app",
                0,
                "epoch",
                3,
                NOON,
                Map.of("cluster", "c"),
                List.of(new Plan.Range("t", 0, 5, 15, 7)),
                Optional.empty(),
                List.of(new Plan.Progress("t", 0, Optional.empty(), Optional.empty())),
                "schema",
                Map.of("o", "v", "first:t-0", "5"),
                1,
                RowEncoding.VERSION)));
    assertThat(session.verified, is(List.of()));
  }

  @Test
  void nextPlanGoesOnWhereTheLastEnded() {
    session.partition(0, 0, 10);
    Planner planner = planner(null, 4, OnDataLoss.FAIL);
    Plan first = first(planner);
    Summary summary =
        new Summary(
            0,
            Map.of(),
            Map.of(),
            List.of(new Plan.Progress("t", 0, Optional.of(NOON), Optional.of(NOON))),
            Optional.empty(),
            "here");

    Plan second = plan(planner, Optional.of(first), Optional.of(summary));

    assertThat(first.ranges(), contains(new Plan.Range("t", 0, 0, 4, -1)));
    assertThat(second.batch(), is(1L));
    assertThat(second.options().get(Planner.POSITIONS), is("here"));
    assertThat(second.ranges(), contains(new Plan.Range("t", 0, 4, 8, -1)));
    assertThat(second.watermark(), is(Optional.of(NOON.minus(Duration.ofMinutes(5)))));
    assertThat(session.verified, contains(first));
  }

  @Test
  void newPartitionIsReadFromItsStart() {
    session.partition(0, 0, 10);
    Plan first = first(planner());
    session.partition(1, 2, 6);

    assertThat(
        planner().input(Optional.of(first)).ranges(),
        contains(new Plan.Range("t", 0, 10, 10, 7), new Plan.Range("t", 1, 2, 6, 7)));
  }

  @Test
  void jobThatEndsReadsNothingBeyondItsLimits() {
    session.partition(0, 0, 10);
    Planner planner = planner(session.limits(), Long.MAX_VALUE, OnDataLoss.FAIL);
    session.limits.set(0, new Source.Position("t", 0, 20, 7));
    Plan first = first(planner);

    assertThat(first.ranges().get(0).end(), is(10L));
    assertThat(planner.input(Optional.of(first)).isEmpty(), is(true));
  }

  @Test
  void offsetsThatAreGoneAreRefusedOrCounted() {
    session.partition(0, 0, 40);
    Plan first = first(planner());
    session.limits.set(0, new Source.Position("t", 0, 100, 7));
    session.earliest.set(0, new Source.Position("t", 0, 55, -1));

    JobRefusedException refused =
        assertThrows(JobRefusedException.class, () -> planner().input(Optional.of(first)));
    Planner.Input input =
        planner(null, Long.MAX_VALUE, OnDataLoss.CONTINUE).input(Optional.of(first));

    assertThat(refused.getMessage(), containsString("t-0 must still have offset 40"));
    assertThat(refused.getMessage(), containsString("is: 55"));
    assertThat(input.ranges(), contains(new Plan.Range("t", 0, 55, 100, 7)));
    assertThat(input.lost(), is(Map.of("lost:t-0", "15")));
  }

  @Test
  void pendingPlanIsReadAsFarAsItIsStillThere() {
    session.partition(0, 0, 40);
    session.partition(1, 0, 10);
    Plan first = first(planner());
    session.earliest.set(0, new Source.Position("t", 0, 15, -1));

    assertThrows(JobRefusedException.class, () -> planner().readable(first));
    assertThat(
        planner(null, Long.MAX_VALUE, OnDataLoss.CONTINUE).readable(first),
        contains(new Plan.Range("t", 0, 15, 40, 7), new Plan.Range("t", 1, 0, 10, 7)));
    session.earliest.set(0, new Source.Position("t", 0, 70, -1));
    assertThat(
        planner(null, Long.MAX_VALUE, OnDataLoss.CONTINUE).readable(first).get(0),
        is(new Plan.Range("t", 0, 40, 40, 7)));
  }

  @Test
  void emptyTopicGivesNothingToRead() {
    session.partition(0, 0, 0);

    assertThat(planner().input(Optional.empty()).isEmpty(), is(true));
  }

  @Test
  void shardsFollowTheSizeAndAreAPowerOfTwo() {
    assertThat(Planner.shards(0), is(1));
    assertThat(Planner.shards(131_071), is(1));
    assertThat(Planner.shards(131_072), is(2));
    assertThat(Planner.shards(65_536 * 7), is(4));
    assertThat(Planner.shards(Long.MAX_VALUE), is(1024));
  }
}
