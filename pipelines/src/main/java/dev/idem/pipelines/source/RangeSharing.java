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

import dev.idem.io.checkpoint.Plan;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Shares a batch's bound over partitions by how much each has unread. */
final class RangeSharing {

  private RangeSharing() {}

  /** Returns the part of ranges that is within the bound, from their starts. */
  static List<Plan.Range> next(List<Plan.Range> unread, long bound) {
    Map<Integer, Long> lag = new LinkedHashMap<>();
    for (int i = 0; i < unread.size(); i++) {
      lag.put(i, unread.get(i).size());
    }
    Map<Integer, Long> shares = share(lag, bound);
    List<Plan.Range> ranges = new ArrayList<>();
    for (int i = 0; i < unread.size(); i++) {
      ranges.add(unread.get(i).endingAt(unread.get(i).start() + shares.get(i)));
    }
    return ranges;
  }

  /**
   * Returns how many offsets of each partition a batch takes: all if they are within the bound,
   * else one of each partition that has any while the bound lasts, the remainder in parts
   * proportional to what is left of each, and together exactly the bound.
   */
  static <K> Map<K, Long> share(Map<K, Long> lag, long bound) {
    if (bound < 1) {
      throw new IllegalArgumentException(
          "Records a batch must be at least 1, but was: " + bound + ".");
    }
    long total = lag.values().stream().mapToLong(Long::longValue).reduce(0, Math::addExact);
    if (total <= bound) {
      return new LinkedHashMap<>(lag);
    }
    Map<K, Long> shares = new LinkedHashMap<>();
    long left = bound;
    for (Map.Entry<K, Long> partition : lag.entrySet()) {
      long first = Math.min(1, Math.min(left, partition.getValue()));
      shares.put(partition.getKey(), first);
      left -= first;
    }
    BigInteger shared = BigInteger.valueOf(left);
    BigInteger unread = BigInteger.valueOf(total - (bound - left));
    for (Map.Entry<K, Long> partition : lag.entrySet()) {
      long more =
          BigInteger.valueOf(partition.getValue() - shares.get(partition.getKey()))
              .multiply(shared)
              .divide(unread)
              .longValueExact();
      shares.merge(partition.getKey(), more, Long::sum);
      left -= more;
    }
    for (Map.Entry<K, Long> partition : lag.entrySet()) {
      long more = Math.min(left, partition.getValue() - shares.get(partition.getKey()));
      shares.merge(partition.getKey(), more, Long::sum);
      left -= more;
    }
    return shares;
  }
}
