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
package dev.idem.io.debezium;

import java.io.Serial;
import java.io.Serializable;
import java.util.List;

/**
 * Where in the log of its source an event is from. Positions of one {@link #source} are compared
 * number by number; from one event to the next they never decrease, unless events are sent again.
 *
 * @param source the connector, its name, and the log if the server has several
 * @param numbers the position
 * @param timestamp when the source says it happened, in milliseconds since 1970
 */
public record SourcePosition(String source, List<Long> numbers, long timestamp)
    implements Serializable {
  @Serial private static final long serialVersionUID = 1L;

  /** Keeps a copy of the numbers. */
  public SourcePosition {
    numbers = List.copyOf(numbers);
  }

  /** Returns whether this position is before another one of the same source. */
  public boolean isBefore(SourcePosition other) {
    return compare(numbers, other.numbers) < 0;
  }

  static int compare(List<Long> left, List<Long> right) {
    int common = Math.min(left.size(), right.size());
    for (int i = 0; i < common; i++) {
      int byNumber = Long.compare(left.get(i), right.get(i));
      if (byNumber != 0) {
        return byNumber;
      }
    }
    return Integer.compare(left.size(), right.size());
  }
}
