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

import dev.idem.testing.Covers;
import dev.idem.testing.KafkaBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kills a job twenty times while a batch is open, at least three times in each phase. */
class KillChaosIT {

  private static final String TOPIC = "many-kills";
  private static final Orders ORDERS = Orders.of(13, 160_000, 10_000).withDeadLetters(900, 1_300);

  @TempDir private Path directory;

  @BeforeAll
  static void send() {
    ORDERS.sendTo(KafkaBroker.shared(), TOPIC);
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row(64)
  void twentyKillsInEveryPhaseEndInTheExactTable(JobRunner runner) throws IOException {
    OrdersJob job =
        OrdersJob.of(directory, KafkaBroker.shared(), TOPIC, runner)
            .with("--maxRecordsPerBatch=2000", "--watermarkDelay=150s");
    long seed = new Random().nextLong();
    System.out.println("kills with seed " + seed);

    new Kills(job, seed, 20, 3).run();

    KillIT.assertExact(job.state(), ORDERS, 150_000);
  }
}
