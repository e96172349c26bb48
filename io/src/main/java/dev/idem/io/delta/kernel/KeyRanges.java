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
package dev.idem.io.delta.kernel;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.annotations.Internal;

/**
 * Ranges that the values of wanted rows are in: a row is wanted if of every column named its value
 * is in one of the column's ranges. A null is in none.
 *
 * @param columns for each column, by its name, the ranges, in any order
 */
@Internal
public record KeyRanges(Map<String, List<Range>> columns) {

  /** Copies the columns. */
  public KeyRanges {
    Map<String, List<Range>> copy = new HashMap<>();
    columns.forEach((column, ranges) -> copy.put(column, List.copyOf(ranges)));
    columns = Map.copyOf(copy);
  }

  /**
   * The values from one to another, both of them included, as {@link KernelScan} gives them. Text
   * is in the order of its UTF-8 bytes, which is not that of {@link String#compareTo}.
   *
   * @param low the least value
   * @param high the greatest value
   */
  public record Range(Object low, Object high) {

    /** Checks the order. */
    public Range {
      if (low == null || high == null) {
        throw new IllegalArgumentException("Range must have two ends, but one was: null.");
      }
      // Values are a table's data, which no message shows.
      if (low.getClass() != high.getClass() || compare(low, high) > 0) {
        throw new IllegalArgumentException(
            "Range must begin at or before its end, text in the order of its UTF-8 bytes, but did"
                + " not, with values of %s and %s."
                    .formatted(low.getClass().getName(), high.getClass().getName()));
      }
    }

    @SuppressWarnings("unchecked") // both are of one column's type, and all those can be compared
    private static int compare(Object left, Object right) {
      if (left instanceof String text) {
        return compare(
            text.getBytes(StandardCharsets.UTF_8),
            ((String) right).getBytes(StandardCharsets.UTF_8));
      }
      return left instanceof byte[] bytes
          ? Arrays.compareUnsigned(bytes, (byte[]) right)
          : ((Comparable<Object>) left).compareTo(right);
    }
  }
}
