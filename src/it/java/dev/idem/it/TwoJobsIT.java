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
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.idem.io.checkpoint.LeaseOwner;
import dev.idem.pipelines.job.Job;
import dev.idem.testing.Covers;
import dev.idem.testing.KafkaBroker;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts a job that runs already. */
class TwoJobsIT {

  private static final String TOPIC = "two-jobs";
  private static final Orders ORDERS = Orders.of(23, 2_000, 200);

  @TempDir private Path directory;

  @Test
  @Covers.Row(52)
  void theSecondJobOnACheckpointIsRefusedAndNamesTheFirst() {
    ORDERS.sendTo(KafkaBroker.shared(), TOPIC);
    OrdersJob job = OrdersJob.of(directory, KafkaBroker.shared(), TOPIC, JobRunner.DIRECT);
    JobState state = job.state();

    try (JobProcess first = job.start("--trigger=1s")) {
      assertThat(first.output(), first.await(() -> state.isCommitted(0)), is(true));
      String said = job.runsTo(Job.REFUSED);

      LeaseOwner holder = state.view().holder().orElseThrow().owner();
      assertThat(holder.pid(), is(first.pid()));
      assertThat(
          said,
          allOf(
              containsString("process " + first.pid()),
              containsString("host \"" + holder.host() + "\"")));

      first.terminate();
      assertThat(first.output(), first.exitCode(), is(Job.DONE));
    }

    KillIT.assertExact(state, ORDERS, 300_000);
  }
}
