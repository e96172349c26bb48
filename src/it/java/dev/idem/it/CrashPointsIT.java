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
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.pipelines.job.Job;
import dev.idem.testing.Covers;
import dev.idem.testing.KafkaBroker;
import dev.idem.testing.SparkReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Halts a job at every crash point, each in another batch, and starts it again each time. */
class CrashPointsIT {

  private static final String TOPIC = "crash-points";
  private static final Orders ORDERS = Orders.of(7, 6_000, 2_000).withDeadLetters(500, 700);

  @TempDir private Path directory;

  @BeforeAll
  static void send() {
    ORDERS.sendTo(KafkaBroker.shared(), TOPIC);
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row({3, 25, 26})
  void crashAtEveryPointEndsInTheExactTable(JobRunner runner) throws IOException {
    OrdersJob job =
        OrdersJob.of(directory, KafkaBroker.shared(), TOPIC, runner)
            .with("--maxRecordsPerBatch=550", "--watermarkDelay=40s");
    List<CrashPoint> points = new ArrayList<>(List.of(CrashPoint.values()));
    // No target of this job is written by workers alone.
    points.remove(CrashPoint.AFTER_TARGET_WRITE);
    // Another point meets the first batch, which makes the tables, on the other runner.
    Collections.rotate(points, runner == JobRunner.DIRECT ? 3 : -3);

    for (int batch = 0; batch < points.size(); batch++) {
      job.runsTo(CrashPoint.EXIT_CODE, "--crashAt=" + points.get(batch).option() + ":" + batch);
      assertThat(
          points.get(batch) + " in batch " + batch, found(job, batch), is(left(points.get(batch))));
      job.state().assertWholeBatches();
    }
    job.runsHereTo(Job.DONE);

    JobState state = job.state();
    assertThat(
        TableContent.of(state.table(), ORDERS.expected(), 1),
        is(TableContent.exactly(ORDERS.expected(), 1)));
    state.assertContiguous();
    assertThat(state.refused(), is(ORDERS.refused()));
    assertThat(state.total("read"), is((long) ORDERS.records().size()));
    assertThat(state.total("late"), is(0L));
    assertThat(
        state.remembered(state.watermark()), is(ORDERS.remembered(40_000, state.watermark())));
    if (runner == JobRunner.SPARK) {
      assertThat(
          SparkReader.shared().count(state.table(), "event_id"),
          is(new SparkReader.Count(ORDERS.events(), ORDERS.events())));
    }
  }

  /** What a crash leaves of its batch. */
  private record Left(
      boolean planned, boolean staged, boolean inMemory, boolean inTable, boolean committed) {}

  private static Left left(CrashPoint point) {
    return switch (point) {
      case BEFORE_OFFSETS -> new Left(false, false, false, false, false);
      case AFTER_OFFSETS, MID_WRITE -> new Left(true, false, false, false, false);
      case AFTER_WRITE, BEFORE_TARGET_COMMIT, AFTER_TARGET_WRITE ->
          new Left(true, true, false, false, false);
      case BETWEEN_TARGETS -> new Left(true, true, true, false, false);
      case AFTER_TARGET_COMMIT, BEFORE_COMMITS -> new Left(true, true, true, true, false);
      case AFTER_COMMITS -> new Left(true, true, true, true, true);
    };
  }

  private static Left found(OrdersJob job, long batch) {
    JobState state = job.state();
    return new Left(
        state.isPlanned(batch),
        state.isStaged(batch),
        state.inMemory() == batch,
        state.inTable() == batch,
        state.isCommitted(batch));
  }

  @Test
  void aCrashPointThatIsNeverReachedFailsTheJobAndNamesThePoint() {
    OrdersJob job =
        OrdersJob.of(directory, KafkaBroker.shared(), TOPIC, JobRunner.DIRECT)
            .with("--maxRecordsPerBatch=6000");

    String said = job.runsTo(Job.FAILED, "--crashAt=mid-write:7");

    assertThat(said, containsString("mid-write"));
    assertThat(
        TableContent.of(job.state().table(), ORDERS.expected(), 1),
        is(TableContent.exactly(ORDERS.expected(), 1)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"mid-air", "mid-write:", "mid-write:x", "mid-write:-1", "mid-write:1:1", ""})
  void aCrashPointThatDoesNotExistIsBadUsageAndTouchesNothing(String point) {
    OrdersJob job = OrdersJob.of(directory, KafkaBroker.shared(), TOPIC, JobRunner.DIRECT);

    job.runsHereTo(Job.BAD_USAGE, "--crashAt=" + point);

    assertThat(job.checkpoint().toFile().exists(), is(false));
  }
}
