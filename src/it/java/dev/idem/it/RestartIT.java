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

import dev.idem.io.checkpoint.Summary;
import dev.idem.io.kafka.KafkaConfig;
import dev.idem.pipelines.event.MapRows;
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.source.KafkaSource;
import dev.idem.pipelines.targets.DeltaTarget;
import dev.idem.testing.Covers;
import dev.idem.testing.KafkaBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Starts a job again: after a crash, after its end, and after a pause of its source. */
class RestartIT {

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource
  @Covers.Row({4, 6, 68})
  void aThousandRecordsAndARestartAreAThousandDifferentRows(JobRunner runner) {
    Orders orders = Orders.of(41, 1_000, 0);
    String topic = "thousand-" + runner;
    orders.sendTo(KafkaBroker.shared(), topic);
    OrdersJob job = OrdersJob.of(directory, KafkaBroker.shared(), topic, runner);

    job.runsTo(CrashPoint.EXIT_CODE, "--maxRecordsPerBatch=300", "--crashAt=mid-write:2");
    job.runsHereTo(Job.DONE, "--maxRecordsPerBatch=300");

    assertThat(
        TableContent.of(job.state().table(), orders.expected(), 1),
        is(TableContent.exactly(orders.expected(), 1)));
    job.state().assertContiguous();
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row({1, 48})
  void twoBoundedRunsAreOneAndRunningAgainAddsNothing(JobRunner runner) throws IOException {
    Orders orders = Orders.of(43, 2_000, 300);
    String topic = "two-runs-" + runner;
    List<Orders.Sent> records = orders.records();
    KafkaBroker.shared().createTopic(topic, 2, Map.of());
    OrdersJob job =
        OrdersJob.of(directory, KafkaBroker.shared(), topic, runner)
            .with("--maxRecordsPerBatch=500");
    JobState state = job.state();

    Orders.send(KafkaBroker.shared(), topic, records.subList(0, 900));
    job.runsHereTo(Job.DONE);
    long first = state.lastPlanned();
    Orders.send(KafkaBroker.shared(), topic, records.subList(900, records.size()));
    job.runsHereTo(Job.DONE);
    long second = state.lastPlanned();
    job.runsHereTo(Job.DONE);
    long third = state.lastPlanned();
    Files.delete(job.checkpoint().resolve("commits").resolve(Long.toString(third)));
    job.runsHereTo(Job.DONE);

    assertThat(List.of(first, second, third, state.lastPlanned()), is(List.of(1L, 4L, 4L, 4L)));
    KillIT.assertExact(state, orders, 300_000);
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row({28, 40})
  void nineEventsAreEighteenRowsInAPlainAppendAndNineInOurs(JobRunner runner) {
    Orders orders = Orders.of(47, 9, 0);
    String topic = "nine-" + runner;
    orders.sendTo(KafkaBroker.shared(), topic);
    OrdersJob plain =
        OrdersJob.of(directory.resolve("plain"), KafkaBroker.shared(), topic, runner, "plain")
            .with("--writeAtLeastOnce");
    OrdersJob ours = OrdersJob.of(directory.resolve("ours"), KafkaBroker.shared(), topic, runner);

    for (OrdersJob job : List.of(plain, ours)) {
      job.runsTo(CrashPoint.EXIT_CODE, "--crashAt=after-target-commit");
      assertThat(
          TableContent.of(job.state().table(), orders.expected(), 1),
          is(TableContent.exactly(orders.expected(), 1)));
      job.runsHereTo(Job.DONE);
    }

    assertThat(
        TableContent.of(plain.state().table(), orders.expected(), 2),
        is(TableContent.exactly(orders.expected(), 2)));
    assertThat(
        TableContent.of(ours.state().table(), orders.expected(), 1),
        is(TableContent.exactly(orders.expected(), 1)));
  }

  @Test
  @Covers.Row(67)
  void aSourceThatPausesLosesNothingWhenItGoesOn() {
    Orders orders = Orders.of(53, 2_000, 300);
    String topic = "pause";
    List<Orders.Sent> records = orders.records();
    KafkaBroker.shared().createTopic(topic, 2, Map.of());
    Orders.send(KafkaBroker.shared(), topic, records.subList(0, 900));
    OrdersJob job = OrdersJob.of(directory, KafkaBroker.shared(), topic, JobRunner.DIRECT);
    JobState state = job.state();

    try (JobProcess process = job.start("--trigger=100ms")) {
      assertThat(process.output(), process.await(() -> state.isCommitted(0)), is(true));
      Orders.send(KafkaBroker.shared(), topic, records.subList(900, records.size()));
      assertThat(
          process.output(),
          process.await(
              () -> TableContent.of(state.table(), orders.expected(), 1).rows() == orders.events()),
          is(true));
      process.terminate();
      assertThat(process.output(), process.exitCode(), is(Job.DONE));
    }

    KillIT.assertExact(state, orders, 300_000);
  }

  @Test
  @Covers.Row(34)
  void twoBatchesWithEqualRowsAreBothKeptAndARetryIsNot() {
    Orders orders = new Orders(59, 500, 1, 20, 0, 0, 0);
    String topic = "equal-batches";
    orders.sendTo(KafkaBroker.shared(), topic);
    Orders.send(KafkaBroker.shared(), topic, orders.records());
    OrdersJob job =
        OrdersJob.of(directory, KafkaBroker.shared(), topic, JobRunner.DIRECT, "equal")
            .with("--maxRecordsPerBatch=500");

    job.runsTo(CrashPoint.EXIT_CODE, "--crashAt=after-target-commit:1");
    job.runsHereTo(Job.DONE);

    List<Summary> summaries = job.state().summaries();
    assertThat(
        summaries.get(1).outputs().get("table"), is(summaries.get(0).outputs().get("table")));
    assertThat(
        TableContent.of(job.state().table(), orders.expected(), 2),
        is(TableContent.exactly(orders.expected(), 2)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"offsets", "commits"})
  @Covers.Row(66)
  void aDamagedEntryIsMadeAgain(String entries) throws IOException {
    Orders orders = Orders.of(61, 1_000, 300);
    String topic = "damage-" + entries;
    orders.sendTo(KafkaBroker.shared(), topic);
    OrdersJob job =
        OrdersJob.of(directory, KafkaBroker.shared(), topic, JobRunner.DIRECT)
            .with("--maxRecordsPerBatch=300");
    JobState state = job.state();
    job.runsHereTo(Job.DONE);
    Path last = job.checkpoint().resolve(entries).resolve(Long.toString(state.lastPlanned()));
    String whole = Files.readString(last);

    Files.writeString(last, whole.substring(0, whole.length() / 2));
    job.runsHereTo(Job.DONE);

    KillIT.assertExact(state, orders, 300_000);
    if (entries.equals("offsets")) {
      assertThat(Files.readString(last), is(whole));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row(42)
  void anErrorStopsTheBatchWhichIsRunAgainWhole(JobRunner runner) throws IOException {
    Orders orders = Orders.of(67, 1_000, 0);
    String topic = "error-" + runner;
    orders.sendTo(KafkaBroker.shared(), topic);
    Path flag = directory.resolve("fail");
    JobState state =
        new JobState("orders-test", directory.resolve("checkpoint"), directory.resolve("table"));
    List<String> options = new ArrayList<>(runner.options());
    options.add("--checkpoint=" + state.checkpoint());
    options.add("--maxRecordsPerBatch=400");
    Job job =
        Job.named("orders-test")
            .from(
                KafkaSource.topics(KafkaConfig.of(KafkaBroker.shared().bootstrapServers()), topic)
                    .withEventTime("event_ts"))
            .through(
                (batch, events) ->
                    events
                        .apply(batch.deduplicateBy("event_id"))
                        .apply(
                            MapRows.into(batch.schema()).via(failingAt("e-600", flag.toString()))))
            .into(DeltaTarget.at("table", state.table().toString()));

    Files.createFile(flag);
    int failed = job.run(options.toArray(String[]::new));
    JobState.Phase phase = state.phase();
    TableContent before = TableContent.of(state.table(), orders.expected(), 1);
    Files.delete(flag);
    int done = job.run(options.toArray(String[]::new));

    assertThat(List.of(failed, done), is(List.of(Job.FAILED, Job.DONE)));
    assertThat(phase, is(JobState.Phase.READING_OR_WRITING));
    assertThat(before.rows(), is(400L));
    KillIT.assertExact(state, orders, 300_000);
  }

  private static SerializableFunction<Row, Row> failingAt(String id, String flag) {
    return row -> {
      if (id.equals(row.getString("event_id")) && Files.exists(Path.of(flag))) {
        throw new IllegalStateException("The flag must be absent, but was there. Delete it.");
      }
      return row;
    };
  }
}
