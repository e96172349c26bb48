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
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.pipelines.job.Job;
import dev.idem.testing.Covers;
import dev.idem.testing.KafkaBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What jobs remember of earlier batches: enough to find every copy, and no more. */
class MemoryIT {

  private static final String TOPIC = "memory";
  private static final Orders ORDERS = Orders.of(29, 20_000, 2_000).withDeadLetters(900, 1_300);
  private static final String SMALL_TOPIC = "small-memory";
  private static final Orders SMALL = Orders.of(31, 2_000, 800);

  @TempDir private Path directory;

  @BeforeAll
  static void send() {
    ORDERS.sendTo(KafkaBroker.shared(), TOPIC);
    SMALL.sendTo(KafkaBroker.shared(), SMALL_TOPIC);
  }

  private OrdersJob job(String topic, JobRunner runner) {
    return OrdersJob.of(directory, KafkaBroker.shared(), topic, runner)
        .with("--watermarkDelay=60s");
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row({2, 17})
  void copiesInLaterBatchesAreFoundWhileOldKeysAreForgotten(JobRunner runner) {
    OrdersJob job = job(TOPIC, runner);

    job.runsHereTo(Job.DONE, "--maxRecordsPerBatch=500");

    JobState state = job.state();
    KillIT.assertExact(state, ORDERS, 60_000);
    assertThat(state.total("conflicts"), is((long) ORDERS.refused().get("conflict").size()));
    JobState.Memory memory = state.memoryContent();
    System.out.println(runner + ": " + memory + " of " + ORDERS.events() + " keys sent");
    assertThat(memory.keys(), is(lessThan(ORDERS.events() * 6 / 10)));
    assertThat(memory.filesOfAShard(), is(lessThanOrEqualTo(3)));
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row(24)
  void anotherBatchSizeAtEveryStartGivesTheSameTable(JobRunner runner) {
    OrdersJob job = job(TOPIC, runner);

    job.runsTo(CrashPoint.EXIT_CODE, "--maxRecordsPerBatch=1000", "--crashAt=after-offsets:3");
    job.runsTo(CrashPoint.EXIT_CODE, "--maxRecordsPerBatch=6000", "--crashAt=between-targets:4");
    job.runsHereTo(Job.DONE, "--maxRecordsPerBatch=2000");

    KillIT.assertExact(job.state(), ORDERS, 60_000);
    assertThat(
        "records of the batches that were planned before the crashes",
        job.state().summaries().subList(0, 5).stream()
            .map(summary -> summary.counts().get("read"))
            .toList(),
        is(List.of(1_000L, 1_000L, 1_000L, 1_000L, 6_000L)));
  }

  @ParameterizedTest
  @EnumSource
  void fourApplicationsAppendingOneTopicToOneTableGiveFourTimesTheRows(JobRunner runner) {
    List<OrdersJob> jobs = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      jobs.add(
          OrdersJob.of(directory, KafkaBroker.shared(), SMALL_TOPIC, runner, "application-" + i)
              .with("--keys=event_id", "--maxRecordsPerBatch=1000"));
    }

    jobs.forEach(job -> job.runsHereTo(Job.DONE));

    assertThat(
        TableContent.of(jobs.get(0).state().table(), SMALL.expected(), 4),
        is(TableContent.exactly(SMALL.expected(), 4)));
    for (OrdersJob job : jobs) {
      assertThat(job.state().total("duplicates"), is((long) SMALL.deliveredAgain().size()));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row(5)
  void aRecordDeliveredAgainIsTwoRowsWithoutKeysAndOneWithThem(JobRunner runner) {
    OrdersJob without =
        OrdersJob.of(directory, KafkaBroker.shared(), SMALL_TOPIC, runner, "keeps-copies");
    OrdersJob with =
        OrdersJob.of(directory.resolve("with"), KafkaBroker.shared(), SMALL_TOPIC, runner);

    without.runsHereTo(Job.DONE, "--maxRecordsPerBatch=1000");
    with.runsHereTo(Job.DONE, "--maxRecordsPerBatch=1000");

    assertThat(
        TableContent.of(with.state().table(), SMALL.expected(), 1),
        is(TableContent.exactly(SMALL.expected(), 1)));
    assertThat(
        TableContent.of(without.state().table(), SMALL.expected(), 1),
        is(
            new TableContent(
                SMALL.records().size(),
                SMALL.events(),
                new TreeSet<>(),
                new TreeSet<>(),
                new TreeSet<>(),
                SMALL.deliveredAgain())));
  }

  @Test
  void whatWasMergedLeavesTheDiskWhateverCrashes() {
    EventJob job = EventJob.in(directory).with("--watermarkDelay", "5s");
    job.send(0, 120);
    // Of two batches that follow each other, one merges.
    for (String point :
        List.of("between-targets:4", "between-targets:5", "after-commits:8", "after-commits:9")) {
      job.crash(point);
    }

    job.run().done();

    assertThat(job.rows(), is(EventJob.events(0, 120)));
    DeltaTable memory = DeltaTable.at(job.memory().toString(), Map.of());
    List<String> held = memory.files().stream().map(DataFile::path).sorted().toList();
    assertThat(held.size(), is(lessThanOrEqualTo(3)));
    assertThat(
        Listing.of(job.memory()).stream()
            .map(file -> file.getFileName().toString())
            .filter(name -> name.endsWith(".parquet"))
            .toList(),
        is(held));
  }

  @ParameterizedTest
  @EnumSource
  void aPartitionWithTheOlderHalfMakesNothingLate(JobRunner runner) {
    String topic = "older-half-" + runner;
    List<Orders.Sent> records = SMALL.records();
    List<Orders.Sent> halves = new ArrayList<>();
    for (int i = 0; i < records.size(); i++) {
      Orders.Sent sent = records.get(i);
      halves.add(new Orders.Sent(i < records.size() / 2 ? 0 : 1, sent.key(), sent.value(), null));
    }
    KafkaBroker.shared().createTopic(topic, 2, Map.of());
    Orders.send(KafkaBroker.shared(), topic, halves);
    OrdersJob job = job(topic, runner).with("--maxRecordsPerBatch=" + records.size() / 10);

    job.runsHereTo(Job.DONE);

    KillIT.assertExact(job.state(), SMALL, 60_000);
  }
}
