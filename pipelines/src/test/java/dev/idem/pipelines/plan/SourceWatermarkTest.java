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
import static org.hamcrest.Matchers.is;

import dev.idem.io.checkpoint.Plan;
import dev.idem.pipelines.batch.EventTimeRules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.junit.jupiter.api.Test;

class SourceWatermarkTest {

  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final EventTimeRules RULES =
      new EventTimeRules(
          Duration.ofMinutes(1),
          Duration.ofMinutes(1),
          Duration.ofMinutes(5),
          Duration.ofMinutes(2));

  /** A partition whose greatest event time is so many minutes after noon, null for none. */
  private static Plan.Progress partition(int number, @Nullable Integer greatest, Instant readAt) {
    return new Plan.Progress(
        "t",
        number,
        Optional.ofNullable(greatest).map(minutes -> at(minutes)),
        Optional.ofNullable(readAt));
  }

  private static Instant at(int minutes) {
    return NOON.plus(Duration.ofMinutes(minutes));
  }

  private static Optional<Instant> next(
      Instant previous, Set<Integer> unread, Instant clock, Plan.Progress... partitions) {
    return SourceWatermark.next(
        Optional.ofNullable(previous),
        List.of(partitions),
        each -> unread.contains(each.partition()),
        RULES,
        clock);
  }

  @Test
  void slowestPartitionDecides() {
    assertThat(
        next(null, Set.of(0, 1), at(0), partition(0, 10, at(0)), partition(1, 5, at(0))),
        is(Optional.of(at(4))));
  }

  @Test
  void watermarkNeverGoesBack() {
    assertThat(next(at(8), Set.of(0), at(0), partition(0, 5, at(0))), is(Optional.of(at(8))));
  }

  @Test
  void unreadPartitionWithoutAnEventTimeHoldsTheWatermark() {
    assertThat(
        next(at(1), Set.of(1), at(0), partition(0, 10, at(0)), partition(1, null, null)),
        is(Optional.of(at(1))));
    assertThat(
        next(null, Set.of(1), at(0), partition(0, 10, at(0)), partition(1, null, null)),
        is(Optional.empty()));
  }

  @Test
  void emptyPartitionHoldsNothingAtOnce() {
    assertThat(
        next(null, Set.of(0), at(0), partition(0, 10, at(0)), partition(1, null, null)),
        is(Optional.of(at(9))));
  }

  @Test
  void partitionThatIsReadOutHoldsTheWatermarkUntilItIsIdle() {
    Plan.Progress ahead = partition(0, 10, at(0));
    Plan.Progress readOut = partition(1, 3, at(0));

    assertThat(next(null, Set.of(0), at(2).minusMillis(1), ahead, readOut), is(Optional.of(at(2))));
    assertThat(next(null, Set.of(0), at(2), ahead, readOut), is(Optional.of(at(9))));
  }

  @Test
  void partitionWithUnreadRecordsIsNeverIdle() {
    assertThat(
        next(null, Set.of(0, 1), at(60), partition(0, 10, at(0)), partition(1, 3, at(0))),
        is(Optional.of(at(2))));
  }

  @Test
  void watermarkStaysWhenAllPartitionsAreIdle() {
    assertThat(next(at(1), Set.of(), at(60), partition(0, 10, at(0))), is(Optional.of(at(1))));
  }
}
