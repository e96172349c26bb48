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
package dev.idem.transforms.dedup;

import java.io.Serializable;
import java.util.Comparator;

/**
 * Where a record stands in its source; the greater position was written later, or to another
 * partition.
 *
 * @param topic the topic, file or stream
 * @param partition the partition of the topic
 * @param offset the place in the partition
 * @param within the place among the records of one offset; 0 where an offset is one record
 */
public record Position(String topic, int partition, long offset, long within)
    implements Comparable<Position>, Serializable {
  private static final Comparator<Position> ORDER =
      Comparator.comparing(Position::topic)
          .thenComparingInt(Position::partition)
          .thenComparingLong(Position::offset)
          .thenComparingLong(Position::within);

  /** Makes the position of the one record of an offset. */
  public Position(String topic, int partition, long offset) {
    this(topic, partition, offset, 0);
  }

  @Override
  public int compareTo(Position other) {
    return ORDER.compare(this, other);
  }
}
