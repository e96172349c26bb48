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
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.job.JobAt;
import dev.idem.testing.KafkaBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs a planned batch again at another time. */
class ReplayAtOtherTimeIT {

  private static final Orders ORDERS = Orders.of(37, 2_000, 500);
  private static final Instant NOW = Instant.ofEpochMilli(Orders.BEGIN + 60_000);

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource
  void aReplayADayLaterGivesWhatTheFirstAttemptWouldHave(JobRunner runner) {
    String topic = "other-time-" + runner;
    List<Orders.Order> expected = new ArrayList<>(ORDERS.expected());
    List<Orders.Sent> records = new ArrayList<>(ORDERS.records());
    for (int i = 0; i < 5; i++) {
      // An hour ahead of the plan's clock: it must not move the watermark, then or a day later.
      Orders.Order ahead =
          new Orders.Order("ahead-" + i, i, "C0", "paid", 1.5, NOW.toEpochMilli() + 3_600_000 + i);
      expected.add(ahead);
      records.add(new Orders.Sent(i % 2, "ahead", ahead.json(), null));
    }
    KafkaBroker.shared().createTopic(topic, 2, Map.of());
    Orders.send(KafkaBroker.shared(), topic, records);
    OrdersJob job = OrdersJob.of(directory, KafkaBroker.shared(), topic, runner);
    OrdersJob undisturbed =
        OrdersJob.of(directory.resolve("undisturbed"), KafkaBroker.shared(), topic, runner);
    String half = "--maxRecordsPerBatch=" + (records.size() / 2 + 1);

    crash(job, topic, runner, half, "--crashAt=after-offsets:1");
    assertThat(run(NOW.plus(Duration.ofHours(25)), job, topic, runner, half), is(Job.DONE));
    assertThat(run(NOW, undisturbed, topic, runner, half), is(Job.DONE));

    List<Summary> summaries = job.state().summaries();
    assertThat(summaries, is(undisturbed.state().summaries()));
    assertThat(summaries.get(1).counts().get("future"), is(5L));
    assertThat(
        TableContent.of(job.state().table(), expected, 1), is(TableContent.exactly(expected, 1)));
  }

  private static void crash(
      OrdersJob job, String topic, JobRunner runner, String half, String crash) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                NOW.toString(),
                KafkaBroker.shared().bootstrapServers(),
                topic,
                job.state().table().toString()));
    arguments.addAll(options(job, runner, half, crash));
    try (JobProcess process = JobProcess.start(job.output(), JobAt.class, arguments)) {
      int code = process.exitCode();
      assertThat(process.output(), code, is(CrashPoint.EXIT_CODE));
    }
  }

  private static int run(Instant now, OrdersJob job, String topic, JobRunner runner, String half) {
    return JobAt.run(
        now,
        KafkaBroker.shared().bootstrapServers(),
        topic,
        job.state().table().toString(),
        options(job, runner, half).toArray(String[]::new));
  }

  private static List<String> options(OrdersJob job, JobRunner runner, String... more) {
    return Stream.of(
            Stream.of("--checkpoint=" + job.checkpoint(), "--watermarkDelay=60s"),
            runner.options().stream(),
            Stream.of(more))
        .flatMap(each -> each)
        .toList();
  }
}
