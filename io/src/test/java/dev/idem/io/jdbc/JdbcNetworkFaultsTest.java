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
package dev.idem.io.jdbc;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;

import dev.idem.testing.Covers;
import dev.idem.testing.FaultProxy.Category;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Writes through a network that cuts, delays and half-closes. */
class JdbcNetworkFaultsTest {

  @Covers.Row({65, 72})
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void eachBatchHasItsEffectOnceWhateverTheNetworkDoes(OnDatabase database)
      throws InterruptedException {
    Map<Category, Integer> faults = NetworkFaults.run(database.fresh(), 100, 50);

    assertThat(faults.getOrDefault(Category.EXECUTE, 0), is(greaterThanOrEqualTo(10)));
    assertThat(faults.getOrDefault(Category.COMMIT, 0), is(greaterThanOrEqualTo(10)));
    assertThat(faults.getOrDefault(Category.COMMIT_APPLIED_UNSEEN, 0), is(greaterThanOrEqualTo(5)));
  }
}
