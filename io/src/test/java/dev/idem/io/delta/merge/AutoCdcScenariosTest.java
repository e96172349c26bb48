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
package dev.idem.io.delta.merge;

import static dev.idem.io.delta.merge.Arrivals.bySequence;
import static dev.idem.io.delta.merge.Arrivals.delete;
import static dev.idem.io.delta.merge.Arrivals.event;
import static dev.idem.io.delta.merge.Arrivals.history;
import static dev.idem.io.delta.merge.Arrivals.upsert;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.merge.Arrivals.Cut;
import dev.idem.testing.Covers;
import dev.idem.transforms.Runner;
import dev.idem.transforms.changes.ApplyChanges;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The nine scenarios of the public torture test for AUTO CDC: duplicates, order, collisions of
 * sequences, the wrong clock, sparse nulls, what comes after a delete, replays, noise in a history,
 * and two times.
 */
class AutoCdcScenariosTest {

  private static final List<String> ROW = List.of("id", "value");
  private static final List<String> VERSION = List.of("id", "value", "__START_AT", "__END_AT");
  private static final Instant NINE = Instant.parse("2026-10-01T09:00:00Z");
  private static final Instant TEN = Instant.parse("2026-10-01T10:00:00Z");
  private static final Instant ELEVEN = Instant.parse("2026-10-01T11:00:00Z");

  @TempDir Path directory;

  @Covers.Row({8, 18})
  @ParameterizedTest
  @EnumSource
  void duplicatesCollapse(Runner runner) {
    Map<Cut, MergeCounts> counts =
        new Arrivals(directory, runner)
            .endAs(
                bySequence("seq"),
                ROW,
                List.of(upsert(1, 1, "a"), upsert(1, 1, "a"), upsert(1, 2, "b"), upsert(2, 1, "c")),
                "1, b",
                "2, c");

    assertThat(counts.get(Cut.ONE_BATCH), equalTo(new MergeCounts(24 * 2, 0, 24 * 2, 0, 0, 0)));
  }

  @Covers.Row({8, 46})
  @ParameterizedTest
  @EnumSource
  void newestRowStaysWhateverTheOrder(Runner runner) {
    new Arrivals(directory, runner)
        .endAs(
            bySequence("seq"),
            ROW,
            List.of(upsert(1, 9, "b"), upsert(1, 10, "c"), upsert(1, 2, "a"), upsert(2, 1, "x")),
            "1, c",
            "2, x");
  }

  @Covers.Row(8)
  @ParameterizedTest
  @EnumSource
  void lateEventsSplitVersionsOfAHistory(Runner runner) {
    new Arrivals(directory, runner)
        .endAs(
            history("run", "id", "value"),
            VERSION,
            List.of(upsert(1, 10, "a"), upsert(1, 20, "b"), upsert(1, 15, "late"), delete(1, 30)),
            "1, a, 10, 15",
            "1, late, 15, 20",
            "1, b, 20, 30");
  }

  @Covers.Row(8)
  @ParameterizedTest
  @EnumSource
  void collisionOfSequencesHasOneWinnerAndIsCounted(Runner runner) {
    Arrivals arrivals = new Arrivals(directory, runner);
    List<Row> events =
        List.of(
            event(1L, "upsert", 5L, 2L, "left"),
            event(1L, "upsert", 5L, 1L, "right"),
            event(2L, "upsert", 5L, 2L, "x"),
            event(2L, "delete", 5L, 1L, null));

    Map<Cut, MergeCounts> tied = arrivals.endAs(bySequence("seq"), ROW, events, "1, right");
    Map<Cut, MergeCounts> ranked =
        arrivals.endAs(bySequence("seq", "rank"), ROW, events, "1, left", "2, x");

    assertThat("two each", tied.get(Cut.ONE_BATCH).ties(), is(24 * 2L));
    assertThat(ranked.get(Cut.ONE_BATCH).ties(), is(0L));
  }

  /** What arrived last is not the newest: order comes from the source's clock, if it is chosen. */
  @Test
  void sequenceOfTheSourceDecidesAndNotTheTimeOfArrival() {
    Arrivals arrivals = new Arrivals(directory, Runner.DIRECT);
    List<Row> events =
        List.of(
            upsert(1, 1, "placed", TEN),
            upsert(1, 2, "paid", NINE),
            upsert(2, 1, "placed", NINE),
            upsert(2, 2, "paid", TEN));

    arrivals.endAs(bySequence("seq"), ROW, events, "1, paid", "2, paid");
    arrivals.endAs(bySequence("at"), ROW, events, "1, placed", "2, paid");
  }

  @Test
  void sparseNullsKeepWhatIsThereIfTheyAreIgnored() {
    Arrivals arrivals = new Arrivals(directory, Runner.DIRECT);
    ApplyChanges rules = bySequence("seq").columns("run", "id", "value", "other");
    List<String> columns = List.of("id", "value", "other");
    List<Row> events =
        List.of(
            upsert(1, 1, "a", "north"),
            upsert(1, 2, "b", (String) null),
            upsert(1, 3, null, "south"),
            upsert(1, 4, null, (String) null));

    arrivals.endAs(rules.ignoreNullUpdates(), columns, events, "1, b, south");
    arrivals.endAs(rules.ignoreNullUpdatesOn("other"), columns, events, "1, null, south");
    arrivals.endAs(rules, columns, events, "1, null, null");
  }

  @Covers.Row({8, 46})
  @ParameterizedTest
  @EnumSource
  void lateEventAfterADeleteDoesNotBringTheRowBack(Runner runner) {
    Arrivals arrivals = new Arrivals(directory, runner);
    List<Row> events =
        List.of(
            upsert(1, 1, "a"), delete(1, 5), upsert(1, 3, "late"), delete(2, 5), upsert(2, 6, "b"));

    arrivals.endAs(bySequence("seq"), ROW, events, "2, b");
    arrivals.endAs(
        history("run", "id", "value"),
        VERSION,
        events,
        "1, a, 1, 3",
        "1, late, 3, 5",
        "2, b, 6, null");
  }

  @Test
  void logThatIsReplayedAsNewBatchesChangesNothing() {
    List<Row> log =
        List.of(
            upsert(1, 1, "a"),
            upsert(2, 1, "x"),
            upsert(1, 2, "b"),
            delete(2, 3),
            upsert(3, 1, "y"));
    Arrivals arrivals = new Arrivals(directory, Runner.DIRECT);
    for (ApplyChanges rules : List.of(bySequence("seq"), history("run", "id", "value"))) {
      Merging table = arrivals.newTable(rules);
      table.run(0, log.subList(0, 3));
      table.run(1, log.subList(3, 5));
      List<String> rows = table.rows();

      MergeOutcome whole = table.run(2, log);
      MergeOutcome part = table.run(3, log.subList(1, 4));

      assertThat(table.rows(), equalTo(rows));
      assertThat(whole.counts(), equalTo(new MergeCounts(0, 0, 5, 0, 0, 0)));
      assertThat(part.counts(), equalTo(new MergeCounts(0, 0, 3, 0, 0, 0)));
    }
  }

  @Test
  void noiseInUntrackedColumnsMakesNoVersions() {
    Arrivals arrivals = new Arrivals(directory, Runner.DIRECT);
    ApplyChanges rules = history("run", "id", "value", "other");
    List<Row> events =
        new ArrayList<>(List.of(upsert(1, 1, "a", "first"), upsert(1, 60, "b", "c")));
    List<String> everyVersion = new ArrayList<>(List.of("1, a, first, 1, 2"));
    for (int seq = 2; seq < 52; seq++) {
      events.add(upsert(1, seq, "a", "noise" + seq));
      everyVersion.add("1, a, noise%d, %d, %d".formatted(seq, seq, seq < 51 ? seq + 1 : 60));
    }
    everyVersion.add("1, b, c, 60, null");
    List<String> columns = List.of("id", "value", "other", "__START_AT", "__END_AT");

    for (ApplyChanges tracked : List.of(rules.trackHistoryOn("value"), rules)) {
      Merging table = arrivals.newTable(tracked);
      table.run(0, events.subList(0, 20));
      table.run(1, events.subList(20, events.size()));
      List<String> expected =
          tracked == rules ? everyVersion : List.of("1, a, noise51, 1, 60", "1, b, c, 60, null");
      assertThat(
          table.rows(columns.toArray(String[]::new)),
          equalTo(expected.stream().map(line -> "[" + line + "]").sorted().toList()));
    }
  }

  /**
   * A history has one time, the sequence. A second one, from when on something holds in the world,
   * is a column like others: a change of it alone makes a version, and a correction that comes late
   * keeps what was known before it.
   */
  @Test
  void secondTimeIsATrackedColumnOfTheHistory() {
    Arrivals arrivals = new Arrivals(directory, Runner.DIRECT);
    List<Row> events =
        List.of(
            upsert(1, 1, "gold", NINE),
            upsert(1, 2, "gold", TEN),
            upsert(1, 3, "silver", ELEVEN),
            upsert(1, 4, "silver", NINE));
    ApplyChanges rules = history("run", "id", "value", "at");
    List<String> columns = List.of("id", "value", "at", "__START_AT", "__END_AT");

    arrivals.endAs(
        rules,
        columns,
        events,
        "1, gold, 2026-10-01T09:00:00Z, 1, 2",
        "1, gold, 2026-10-01T10:00:00Z, 2, 3",
        "1, silver, 2026-10-01T11:00:00Z, 3, 4",
        "1, silver, 2026-10-01T09:00:00Z, 4, null");
    arrivals.endAs(
        rules.trackHistoryExcept("at"),
        columns,
        events,
        "1, gold, 2026-10-01T10:00:00Z, 1, 3",
        "1, silver, 2026-10-01T09:00:00Z, 3, null");
  }
}
