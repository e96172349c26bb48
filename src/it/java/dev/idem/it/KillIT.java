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

import dev.idem.testing.Covers;
import dev.idem.testing.KafkaBroker;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kills a job five times while a batch is open, in every phase of a batch. */
class KillIT {

  private static final String TOPIC = "kills";
  private static final Orders ORDERS = Orders.of(11, 30_000, 3_000).withDeadLetters(900, 1_300);

  @TempDir private Path directory;

  @BeforeAll
  static void send() {
    ORDERS.sendTo(KafkaBroker.shared(), TOPIC);
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row({37, 64, 71})
  void fiveKillsInEveryPhaseEndInTheExactTable(JobRunner runner) throws IOException {
    OrdersJob job =
        OrdersJob.of(directory, KafkaBroker.shared(), TOPIC, runner)
            .with("--maxRecordsPerBatch=1000", "--watermarkDelay=60s");

    new Kills(job, 17, 5, 1).run();

    assertExact(job.state(), ORDERS, 60_000);
  }

  static void assertExact(JobState state, Orders orders, long horizonMillis) {
    assertThat(
        TableContent.of(state.table(), orders.expected(), 1),
        is(TableContent.exactly(orders.expected(), 1)));
    state.assertContiguous();
    assertThat(state.refused(), is(orders.refused()));
    assertThat(state.total("read"), is((long) orders.records().size()));
    assertThat(state.total("late"), is(0L));
    assertThat(
        state.remembered(state.watermark()),
        is(orders.remembered(horizonMillis, state.watermark())));
  }
}
