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
package dev.idem.pipelines.source;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RangeSharingTest {

  private static final int ROUNDS = 20_000;

  @Test
  void lastPartitionIsNotStarvedByThoseBeforeIt() {
    Map<Integer, Long> lag = new LinkedHashMap<>();
    lag.put(1, 59L);
    lag.put(2, 899L);
    lag.put(3, 660L);
    lag.put(4, 30L);

    assertThat(RangeSharing.share(lag, 13), is(Map.of(1, 3L, 2, 5L, 3, 4L, 4, 1L)));
  }

  @Test
  void boundIsSharedByLag() {
    Map<String, Long> lag = new LinkedHashMap<>();
    lag.put("a", 300L);
    lag.put("b", 100L);
    lag.put("c", 0L);

    assertThat(RangeSharing.share(lag, 40), is(Map.of("a", 30L, "b", 10L, "c", 0L)));
  }

  @Test
  void smallPartitionIsNotStarved() {
    Map<String, Long> lag = new LinkedHashMap<>();
    lag.put("large", 1_000_000L);
    lag.put("small", 1L);

    assertThat(RangeSharing.share(lag, 10), is(Map.of("large", 9L, "small", 1L)));
  }

  @Test
  void lagNearTheGreatestNumberDoesNotOverflow() {
    Map<String, Long> lag = new LinkedHashMap<>();
    lag.put("a", Long.MAX_VALUE / 2);
    lag.put("b", Long.MAX_VALUE / 2);

    assertThat(
        RangeSharing.share(lag, Long.MAX_VALUE / 2).values().stream().mapToLong(v -> v).sum(),
        is(Long.MAX_VALUE / 2));
  }

  @Test
  void boundBelowOneIsRefused() {
    assertThat(
        assertThrows(IllegalArgumentException.class, () -> RangeSharing.share(Map.of("a", 1L), 0))
            .getMessage(),
        containsString("but was: 0"));
  }

  @Test
  void sharesAddUpAreWithinTheLagAndFair() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      Map<Integer, Long> lag = new LinkedHashMap<>();
      int partitions = 1 + random.nextInt(8);
      for (int partition = 0; partition < partitions; partition++) {
        lag.put(partition, (long) random.nextInt(random.nextInt(5) == 0 ? 1 : 1_000));
      }
      long bound = 1L + random.nextInt(random.nextBoolean() ? 20 : 2_000);
      String which = "seed " + seed + " round " + round + " lag " + lag + " bound " + bound;
      long total = lag.values().stream().mapToLong(v -> v).sum();
      long unread = lag.values().stream().filter(v -> v > 0).count();

      Map<Integer, Long> shares = RangeSharing.share(lag, bound);

      assertThat(which, shares.keySet(), is(lag.keySet()));
      assertThat(
          which, shares.values().stream().mapToLong(v -> v).sum(), is(Math.min(bound, total)));
      shares.forEach(
          (partition, share) -> {
            assertThat(which, share, lessThanOrEqualTo(lag.get(partition)));
            assertThat(which, share, greaterThanOrEqualTo(0L));
            if (bound >= unread && lag.get(partition) > 0) {
              double proportional = (double) lag.get(partition) * Math.min(bound, total) / total;
              assertThat(which, share, greaterThanOrEqualTo(1L));
              assertThat(
                  which, (double) share, greaterThanOrEqualTo(Math.floor(proportional) - unread));
            }
          });
    }
  }
}
