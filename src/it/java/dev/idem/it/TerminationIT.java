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

import dev.idem.io.checkpoint.CheckpointView;
import dev.idem.pipelines.job.Job;
import dev.idem.testing.Covers;
import dev.idem.testing.KafkaBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ends a job by SIGTERM while a batch is open. */
class TerminationIT {

  private static final int TERMINATED = 143;
  private static final String TOPIC = "terminations";
  private static final Orders ORDERS = Orders.of(19, 12_000, 1_000);

  @TempDir private Path directory;

  @BeforeAll
  static void send() {
    ORDERS.sendTo(KafkaBroker.shared(), TOPIC);
  }

  private OrdersJob job(JobRunner runner) {
    return OrdersJob.of(directory, KafkaBroker.shared(), TOPIC, runner)
        .with("--maxRecordsPerBatch=1000");
  }

  @Covers.Row(37)
  @ParameterizedTest
  @EnumSource
  void aTerminatedJobEndsItsBatchAndReleasesTheLease(JobRunner runner) {
    OrdersJob job = job(runner);
    JobState state = job.state();

    try (JobProcess process = job.start("--trigger=1s")) {
      assertThat(process.output(), process.await(() -> state.isPlanned(1)), is(true));
      process.terminate();
      assertThat(process.output(), process.exitCode(), is(Job.DONE));
    }

    long last = state.lastPlanned();
    assertThat("the last batch before the topic's end", last, is(lessThan(12L)));
    state.assertContiguous();
    CheckpointView.Holder holder = state.view().holder().orElseThrow();
    assertThat(holder.released(), is(true));

    job.runsHereTo(Job.DONE);

    assertThat(state.view().holder().orElseThrow().generation(), is(holder.generation() + 1));
    KillIT.assertExact(state, ORDERS, 300_000);
  }

  @Test
  void aBatchThatOutlastsTheTimeoutIsRunAgainByTheNextStart() {
    OrdersJob job = job(JobRunner.DIRECT);
    JobState state = job.state();

    try (JobProcess process = job.start("--trigger=1s", "--shutdownTimeout=1ms")) {
      assertThat(process.output(), process.await(() -> state.isPlanned(1)), is(true));
      process.terminate();
      assertThat(process.output(), process.exitCode(), is(TERMINATED));
    }

    assertThat(state.isCommitted(state.lastPlanned()), is(false));

    job.runsHereTo(Job.DONE);

    KillIT.assertExact(state, ORDERS, 300_000);
  }

  @Test
  void aJobThatWaitsForADeadOneOfAnotherHostEndsAtOnce() throws IOException {
    OrdersJob job = OrdersJob.of(directory, KafkaBroker.shared(), TOPIC, JobRunner.DIRECT);
    JobState state = job.state();
    System.setProperty("idem.host", "elsewhere");
    try {
      job.runsHereTo(Job.DONE);
    } finally {
      System.clearProperty("idem.host");
    }
    Files.delete(job.checkpoint().resolve("lease/1.released"));

    try (JobProcess process = job.start()) {
      assertThat(
          process.output(),
          process.await(() -> process.output().contains("on host \"elsewhere\"")),
          is(true));
      process.terminate();
      assertThat(process.output(), process.exitCode(), is(Job.DONE));
    }

    assertThat(state.view().holder().orElseThrow().generation(), is(1L));
  }
}
