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
package dev.idem.pipelines.jdbctodelta;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import java.math.BigInteger;
import java.util.List;
import org.apache.beam.sdk.values.KV;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionBoundsTest {

  private static final PartitionBounds BOUNDS = new PartitionBounds(JdbcColumn.Kind.WHOLE);

  @ParameterizedTest
  @CsvSource({
    "0, 1, 1",
    "0, 1, 8",
    "-3, 4, 2",
    "-3, 5, 3",
    "10, 12, 200",
    "-9223372036854775808, 9223372036854775808, 1",
    "-9223372036854775808, 9223372036854775808, 7",
    "9223372036854775807, 9223372036854775808, 2",
    "-5, -1, 3"
  })
  void rangesMeetFromTheLowerBoundToTheUpper(BigInteger lower, BigInteger upper, long partitions) {
    List<KV<BigInteger, BigInteger>> ranges = BOUNDS.calculateRanges(lower, upper, partitions);

    BigInteger next = lower;
    for (KV<BigInteger, BigInteger> range : ranges) {
      assertThat(range.getKey(), is(next));
      assertThat(range.getValue().compareTo(range.getKey()) > 0, is(true));
      next = range.getValue();
    }
    assertThat(next, is(upper));
    assertThat(ranges.size() <= partitions, is(true));
  }
}
