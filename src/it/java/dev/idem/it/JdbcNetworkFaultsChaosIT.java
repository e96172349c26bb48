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
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;

import dev.idem.io.jdbc.NetworkFaults;
import dev.idem.testing.DatabaseServer;
import dev.idem.testing.FaultProxy.Category;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Hundreds of batches through a network that breaks, with other seeds in each run. */
class JdbcNetworkFaultsChaosIT {

  private static final int SCHEDULES = 500;

  private static void run(DatabaseServer server) throws InterruptedException {
    // The kinds of faults follow the last digit.
    long first = new Random().nextInt(1_000_000) * 10L;
    System.out.println("JdbcNetworkFaultsChaosIT " + server + ", seeds from " + first);

    Map<Category, Integer> faults = NetworkFaults.run(server, first, SCHEDULES);

    System.out.println(faults);
    assertThat(faults.get(Category.EXECUTE), is(greaterThanOrEqualTo(100)));
    assertThat(faults.get(Category.COMMIT), is(greaterThanOrEqualTo(100)));
    assertThat(faults.get(Category.COMMIT_APPLIED_UNSEEN), is(greaterThanOrEqualTo(50)));
  }

  @Test
  void eachBatchHasItsEffectOnceInPostgresql() throws InterruptedException {
    run(DatabaseServer.postgres().fresh("faults"));
  }

  @Test
  void eachBatchHasItsEffectOnceInMariaDb() throws InterruptedException {
    run(DatabaseServer.mariaDb().fresh("faults"));
  }
}
