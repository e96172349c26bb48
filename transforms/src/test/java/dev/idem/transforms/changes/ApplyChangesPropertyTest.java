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
package dev.idem.transforms.changes;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;

/** Compares random logs in random orders, batches and repetitions with the sorted log. */
class ApplyChangesPropertyTest {
  private static final int LOGS = 1_000;
  private static final int ORDERS = 20;
  private static final int LEAST_OF_EACH_KIND = 200;

  @Test
  void everyOrderBatchingAndReplayGivesTheStateOfTheSortedLog() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int ties = 0;
    int truncates = 0;
    int late = 0;
    int partial = 0;
    for (int number = 0; number < LOGS; number++) {
      RandomLog log = new RandomLog(seed, number);
      ties += log.hasTie() ? 1 : 0;
      truncates += log.hasTruncate() ? 1 : 0;
      late += log.hasDeleteBeforeLateInsert() ? 1 : 0;
      partial += log.rules.partial() ? 1 : 0;
      Set<String> expected = log.expected();
      ChangeLayout layout = log.rules.transform(log.variant).layout(RandomLog.SCHEMA);
      for (int order = 0; order < ORDERS; order++) {
        assertThat(
            "seed " + seed + " log " + number + " " + log.rules + " order " + order,
            applied(log, layout, random),
            equalTo(expected));
      }
    }
    System.out.printf(
        "Seed %d: %d logs, %d with a tie, %d with a truncate, %d with a delete before a late insert,"
            + " %d with partial updates.%n",
        seed, LOGS, ties, truncates, late, partial);
    for (int kind : List.of(ties, truncates, late, partial)) {
      assertThat("seed " + seed, kind, greaterThanOrEqualTo(LEAST_OF_EACH_KIND));
    }
  }

  @Test
  void historyIsReadFromItsRowsAsItWasAfterEveryChange() {
    long seed = new Random().nextLong();
    for (int number = 0; number < LOGS / 2; number++) {
      RandomLog log = new RandomLog(seed, number);
      ChangeLayout layout = log.rules.transform(log.variant).layout(RandomLog.SCHEMA);
      if (!layout.hasHistory()) {
        continue;
      }
      HistoryRows stored = layout.historyRows();
      Map<Row, KeyHistory> histories = new HashMap<>();
      for (Row row : log.events.stream().map(log::row).toList()) {
        Row key = layout.key(row);
        KeyHistory history = histories.computeIfAbsent(key, layout::history);
        history.add(layout.change(row));
        KeyHistory read = layout.history(key);
        stored.read(stored.versions(history), stored.hidden(history), read);
        assertThat(
            "seed " + seed + " log " + number,
            List.copyOf(read.changes()),
            equalTo(List.copyOf(history.changes())));
      }
    }
  }

  private static Set<String> applied(RandomLog log, ChangeLayout layout, Random random) {
    List<Row> shuffled = new ArrayList<>(log.events.stream().map(log::row).toList());
    Collections.shuffle(shuffled, random);
    Map<Row, KeyState> states = new HashMap<>();
    Map<Row, KeyHistory> histories = new HashMap<>();
    Row truncated = null;
    for (int start = 0; start < shuffled.size(); ) {
      int end = start + 1 + random.nextInt(shuffled.size() - start);
      for (int attempts = 1 + random.nextInt(2); attempts > 0; attempts--) {
        truncated = batch(shuffled.subList(start, end), layout, states, histories, truncated);
      }
      start = random.nextInt(4) == 0 ? Math.max(start + 1, end - 3) : end;
    }
    TreeSet<String> lines = new TreeSet<>();
    states.forEach(
        (key, state) -> {
          if (state.isLive()) {
            lines.add(RandomLog.line(layout.row(key, state), false));
          }
        });
    histories.forEach(
        (key, history) ->
            layout
                .historyRows()
                .versions(history)
                .forEach(row -> lines.add(RandomLog.line(row, true))));
    return lines;
  }

  /** Does with the batch and what is known what the transform and a target do. */
  private static Row batch(
      List<Row> rows,
      ChangeLayout layout,
      Map<Row, KeyState> states,
      Map<Row, KeyHistory> histories,
      Row truncatedBefore) {
    ChangeMerge merge = layout.merge();
    Map<Row, List<Change>> byKey = new HashMap<>();
    Row truncated = truncatedBefore;
    for (Row row : rows) {
      if (layout.isTruncate(row)) {
        truncated = merge.greater(truncated, layout.sequence(row));
      } else {
        byKey.computeIfAbsent(layout.key(row), any -> new ArrayList<>()).add(layout.change(row));
      }
    }
    for (Map.Entry<Row, List<Change>> keyed : byKey.entrySet()) {
      if (layout.hasHistory()) {
        KeyHistory history = histories.computeIfAbsent(keyed.getKey(), layout::history);
        keyed.getValue().forEach(history::add);
      } else {
        KeyState reduced = Reduction.of(merge, keyed.getValue()).state();
        states.merge(keyed.getKey(), reduced, merge::merge);
      }
    }
    if (truncated != null) {
      KeyState nothing = merge.state(Change.delete(truncated));
      states.replaceAll((key, state) -> merge.merge(state, nothing));
    }
    // What is live is known from its row when the next batch comes.
    states.replaceAll(
        (key, state) ->
            state.isLive() ? layout.guarded().state(layout.guarded().toRow(key, state)) : state);
    histories.replaceAll(
        (key, history) -> {
          HistoryRows stored = layout.historyRows();
          KeyHistory read = layout.history(key);
          stored.read(stored.versions(history), stored.hidden(history), read);
          return read;
        });
    return truncated;
  }
}
