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

import dev.idem.pipelines.job.CrashPoint;
import dev.idem.pipelines.job.Job;
import dev.idem.testing.KafkaBroker;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Starts a job again: after a crash, after its end, and after a pause of its source. */
class RestartIT {

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource
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
  void twoBoundedRunsAreOneAndAThirdAddsNothing(JobRunner runner) {
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

    assertThat(List.of(first, second, state.lastPlanned()), is(List.of(1L, 4L, 4L)));
    KillIT.assertExact(state, orders, 300_000);
  }

  @ParameterizedTest
  @EnumSource
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

  @ParameterizedTest
  @EnumSource
  void aSourceThatPausesLosesNothingWhenItGoesOn(JobRunner runner) {
    Orders orders = Orders.of(53, 2_000, 300);
    String topic = "pause-" + runner;
    List<Orders.Sent> records = orders.records();
    KafkaBroker.shared().createTopic(topic, 2, Map.of());
    Orders.send(KafkaBroker.shared(), topic, records.subList(0, 900));
    OrdersJob job = OrdersJob.of(directory, KafkaBroker.shared(), topic, runner);
    JobState state = job.state();

    try (JobProcess process = job.start("--trigger=100ms")) {
      assertThat(process.output(), process.await(() -> state.isCommitted(0)), is(true));
      Orders.send(KafkaBroker.shared(), topic, records.subList(900, records.size()));
      assertThat(
          process.output(),
          process.await(
              () ->
                  TableContent.of(state.table(), orders.expected(), 1).rows() == orders.events()),
          is(true));
      process.terminate();
      assertThat(process.output(), process.exitCode(), is(Job.DONE));
    }

    KillIT.assertExact(state, orders, 300_000);
  }
}
