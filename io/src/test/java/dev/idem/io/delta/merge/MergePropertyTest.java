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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.DeltaLakeIO;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.testing.Covers;
import dev.idem.transforms.Runner;
import dev.idem.transforms.changes.RandomLog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Merges random logs into tables, in random orders, batches and repetitions. */
class MergePropertyTest {

  private static final int LOGS_OF_TABLE = 10;
  private static final int VARIANTS = 4;
  private static final int BATCHES = 3;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  @Covers.Row({7, 8})
  void tablesEndAsTheSortedLogsDo(Runner runner) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int logs = 0;
    for (RandomLog.Rules rules : RandomLog.Rules.values()) {
      // Half of the variants in one run, others in the next.
      for (int variant = random.nextInt(2); variant < VARIANTS; variant += 2) {
        List<RandomLog> together = logs(seed, rules, variant);
        logs += together.size();
        String which = "seed " + seed + " " + rules + " " + variant;
        merge(which, runner, together, random);
      }
    }
    System.out.printf("Seed %d: %d logs on %s.%n", seed, logs, runner);
    assertThat("seed " + seed, logs, greaterThanOrEqualTo(100));
  }

  private void merge(String which, Runner runner, List<RandomLog> logs, Random random) {
    List<Row> changes = new ArrayList<>();
    Set<String> expected = new TreeSet<>();
    for (RandomLog log : logs) {
      log.events.forEach(event -> changes.add(log.row(event)));
      expected.addAll(log.expected());
    }
    Collections.shuffle(changes, random);
    String table = directory.resolve(which.replace(' ', '-')).toString();
    MergeMode mode = random.nextBoolean() ? MergeMode.MERGE_ON_READ : MergeMode.COPY_ON_WRITE;
    RandomLog first = logs.get(0);
    MergeChanges merge =
        DeltaLakeIO.mergeChanges("property")
            .to(table)
            .applying(first.rules.transform(first.variant).withShards(4))
            .withMode(mode);
    int replayed = random.nextInt(BATCHES);
    for (int batch = 0; batch < BATCHES; batch++) {
      int from = changes.size() * batch / BATCHES;
      // Some changes come twice.
      int overlap = random.nextInt(3);
      List<Row> rows =
          changes.subList(Math.max(0, from - overlap), changes.size() * (batch + 1) / BATCHES);
      run(runner, merge.withBatch(batch), rows);
      if (batch == replayed) {
        Set<String> before = lines(table, first);
        run(runner, merge.withBatch(batch), rows);
        assertThat(which + " replayed", lines(table, first), equalTo(before));
      }
    }
    assertThat(which + " " + mode, lines(table, first), equalTo(expected));
    assertThat(which, DeltaRows.read(table).toList().size(), is(expected.size()));
  }

  private static Set<String> lines(String table, RandomLog log) {
    Set<String> lines = new TreeSet<>();
    DeltaRows.read(table)
        .toList()
        .forEach(row -> lines.add(RandomLog.line(row, log.rules.history())));
    return lines;
  }

  private static void run(Runner runner, MergeChanges merge, List<Row> rows) {
    Pipeline pipeline = runner.newPipeline();
    pipeline.apply(Create.of(rows).withRowSchema(RandomLog.SCHEMA)).apply(merge);
    pipeline.run().waitUntilFinish();
  }

  /** Logs of one kind; those that truncate are alone, since a truncate reaches all keys. */
  private static List<RandomLog> logs(long seed, RandomLog.Rules rules, int variant) {
    List<RandomLog> logs = new ArrayList<>();
    for (int number = 0; logs.size() < LOGS_OF_TABLE; number++) {
      RandomLog log = new RandomLog(seed, number);
      if (log.rules == rules && log.variant == variant) {
        if (logs.isEmpty() && log.hasTruncate() && variant == 0) {
          return List.of(log);
        }
        log.events.removeIf(event -> event.op() == RandomLog.Op.TRUNCATE);
        logs.add(log);
      }
    }
    return logs;
  }
}
