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
import static org.hamcrest.Matchers.is;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
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
      TableMerge merge = merge(log);
      for (int order = 0; order < ORDERS; order++) {
        assertThat(
            "seed " + seed + " log " + number + " " + log.rules + " order " + order,
            applied(log, merge, random),
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
        stored.read(stored.versions(history), bySequence(stored.hidden(history, Map.of())), read);
        assertThat(
            "seed " + seed + " log " + number,
            List.copyOf(read.changes()),
            equalTo(List.copyOf(history.changes())));
      }
    }
  }

  private static TableMerge merge(RandomLog log) {
    TableMerge merge = TableMerge.of(log.rules.transform(log.variant), RandomLog.SCHEMA);
    return merge.storedAs(merge.changeSchema());
  }

  private static Map<Row, Change> bySequence(List<Change> changes) {
    Map<Row, Change> bySequence = new HashMap<>();
    changes.forEach(change -> bySequence.put(change.sequence(), change));
    return bySequence;
  }

  private static Set<String> applied(RandomLog log, TableMerge merge, Random random) {
    List<Row> shuffled = new ArrayList<>(log.events.stream().map(log::row).toList());
    Collections.shuffle(shuffled, random);
    MergedTable table = new MergedTable(merge);
    for (int start = 0; start < shuffled.size(); ) {
      int end = start + 1 + random.nextInt(shuffled.size() - start);
      List<Row> batch = shuffled.subList(start, end);
      table.merge(batch);
      if (random.nextBoolean()) {
        assertThat("a replay writes", table.merge(batch), is(false));
      }
      start = random.nextInt(4) == 0 ? Math.max(start + 1, end - 3) : end;
    }
    return table.lines();
  }
}
