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
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.idem.transforms.fingerprint.Fingerprint;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ShardsTest {

  @Test
  void everyKeyIsInAShardWhoseBucketsHaveItsOwn() {
    long seed = System.nanoTime();
    System.out.println("ShardsTest seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 100_000; i++) {
      long high = i == 0 ? 0 : i == 1 ? -1 : random.nextLong();
      Fingerprint key = new Fingerprint(high, 0);
      int shards = 1 + random.nextInt(200);

      int shard = Shards.of(key, shards);

      assertThat(shard, is(allOf(greaterThanOrEqualTo(0), lessThan(shards))));
      int bucket = Shards.of(key, RecordTables.BUCKETS);
      assertThat(bucket, is(greaterThanOrEqualTo(Shards.firstBucket(shard, shards))));
      assertThat(bucket, is(lessThanOrEqualTo(Shards.lastBucket(shard, shards))));
    }
  }

  @Test
  void keysAreSpreadEvenly() {
    Random random = new Random(0);
    int[] counts = new int[5];
    for (int i = 0; i < 100_000; i++) {
      counts[Shards.of(new Fingerprint(random.nextLong(), 0), 5)]++;
    }

    for (int count : counts) {
      assertThat(count, is(allOf(greaterThanOrEqualTo(19_000), lessThanOrEqualTo(21_000))));
    }
  }
}
