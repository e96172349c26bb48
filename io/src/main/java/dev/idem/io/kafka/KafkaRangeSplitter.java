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

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** Cuts large ranges and puts small ones together, so that pieces of work are about equal. */
final class KafkaRangeSplitter {
  private KafkaRangeSplitter() {}

  static void checkDisjoint(List<KafkaRange> ranges) {
    List<KafkaRange> sorted = sorted(ranges);
    for (int i = 1; i < sorted.size(); i++) {
      if (sorted.get(i - 1).overlaps(sorted.get(i))) {
        throw new IllegalArgumentException(
            "Ranges must not overlap, but was: %s and %s. Give each offset once."
                .formatted(sorted.get(i - 1), sorted.get(i)));
      }
    }
  }

  /**
   * Returns the ranges in groups of at most {@code size} offsets; no group holds a partition twice.
   */
  static List<List<KafkaRange>> split(List<KafkaRange> ranges, long size) {
    List<List<KafkaRange>> groups = new ArrayList<>();
    List<KafkaRange> group = new ArrayList<>();
    Set<TopicPartition> partitions = new HashSet<>();
    long room = size;
    for (KafkaRange range : sorted(ranges)) {
      TopicPartition partition = new TopicPartition(range.topic(), range.partition());
      long start = range.start();
      while (start < range.end()) {
        if (room == 0 || partitions.contains(partition)) {
          groups.add(group);
          group = new ArrayList<>();
          partitions.clear();
          room = size;
        }
        long end = start + Math.min(room, range.end() - start);
        group.add(range.from(start, end));
        partitions.add(partition);
        room -= end - start;
        start = end;
      }
    }
    if (!group.isEmpty()) {
      groups.add(group);
    }
    return groups;
  }

  private static List<KafkaRange> sorted(List<KafkaRange> ranges) {
    return ranges.stream()
        .sorted(
            Comparator.comparing(KafkaRange::topic)
                .thenComparingInt(KafkaRange::partition)
                .thenComparingLong(KafkaRange::start)
                .thenComparingLong(KafkaRange::end))
        .toList();
  }
}
