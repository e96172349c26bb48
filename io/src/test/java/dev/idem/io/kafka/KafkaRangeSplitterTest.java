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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KafkaRangeSplitterTest {
  @Test
  void largeRangeIsCutAndSmallOnesArePutTogether() {
    List<List<KafkaRange>> groups =
        KafkaRangeSplitter.split(
            List.of(
                new KafkaRange("b", 1, 5, 8),
                new KafkaRange("a", 0, 0, 25),
                new KafkaRange("b", 0, 7, 9)),
            10);

    assertThat(
        groups,
        equalTo(
            List.of(
                List.of(new KafkaRange("a", 0, 0, 10)),
                List.of(new KafkaRange("a", 0, 10, 20)),
                List.of(
                    new KafkaRange("a", 0, 20, 25),
                    new KafkaRange("b", 0, 7, 9),
                    new KafkaRange("b", 1, 5, 8)))));
  }

  @Test
  void partitionIsNeverTwiceInAGroup() {
    List<List<KafkaRange>> groups =
        KafkaRangeSplitter.split(
            List.of(new KafkaRange("a", 0, 0, 2), new KafkaRange("a", 0, 4, 6)), 10);

    assertThat(
        groups,
        equalTo(
            List.of(List.of(new KafkaRange("a", 0, 0, 2)), List.of(new KafkaRange("a", 0, 4, 6)))));
  }

  @Test
  void everyOffsetIsInExactlyOneGroupOfBoundedSize() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      List<KafkaRange> ranges = new ArrayList<>();
      Set<String> expected = new HashSet<>();
      for (int partition = 0; partition < 4; partition++) {
        long end = 0;
        for (int i = random.nextInt(4); i > 0; i--) {
          long start = end + (long) random.nextInt(5);
          end = start + (long) random.nextInt(40);
          ranges.add(new KafkaRange("t", partition, start, end));
          offsets(new KafkaRange("t", partition, start, end), expected);
        }
      }
      long size = 1L + random.nextInt(30);

      Set<String> found = new HashSet<>();
      long total = 0;
      for (List<KafkaRange> group : KafkaRangeSplitter.split(ranges, size)) {
        long spanned = group.stream().mapToLong(KafkaRange::size).sum();
        assertThat("seed " + seed, spanned, lessThanOrEqualTo(size));
        total += spanned;
        group.forEach(range -> offsets(range, found));
      }

      assertThat("seed " + seed, found, equalTo(expected));
      assertThat("seed " + seed, total, equalTo((long) expected.size()));
    }
  }

  private static void offsets(KafkaRange range, Set<String> into) {
    for (long offset = range.start(); offset < range.end(); offset++) {
      into.add(range.partition() + "@" + offset);
    }
  }
}
