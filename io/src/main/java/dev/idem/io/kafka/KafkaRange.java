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
package dev.idem.io.kafka;

import java.io.Serializable;

/**
 * A range of offsets of one partition. Not every offset in it needs to hold a record: transaction
 * markers, aborted transactions and compaction leave gaps.
 *
 * @param topic the topic
 * @param partition the partition, from 0
 * @param start the first offset
 * @param end the offset after the last one; equal to {@code start} if the range is empty
 */
public record KafkaRange(String topic, int partition, long start, long end)
    implements Serializable {

  /** Checks the bounds. */
  public KafkaRange {
    if (topic.isEmpty()) {
      throw new IllegalArgumentException(
          "Topic must have a name, but was: \"\". Name the topic of the range.");
    }
    if (partition < 0) {
      throw new IllegalArgumentException(
          "Partition of topic \"%s\" must be at least 0, but was: %d. Number partitions as Kafka does."
              .formatted(topic, partition));
    }
    if (start < 0 || end < start) {
      throw new IllegalArgumentException(
          "Range of \"%s-%d\" must have 0 <= start <= end, but was: [%d, %d). Give the first offset and the one after the last."
              .formatted(topic, partition, start, end));
    }
  }

  /** Returns how many offsets the range spans. */
  public long size() {
    return end - start;
  }

  boolean overlaps(KafkaRange other) {
    return topic.equals(other.topic)
        && partition == other.partition
        && start < other.end
        && other.start < end;
  }

  KafkaRange from(long newStart, long newEnd) {
    return new KafkaRange(topic, partition, newStart, newEnd);
  }
}
