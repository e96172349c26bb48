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

import dev.idem.transforms.fingerprint.Fingerprint;

/** Which keys are of which shard, of any number of them: each has a range of the fingerprints. */
final class Shards {
  private Shards() {}

  /** Returns the shard of a key. */
  static int of(Fingerprint key, int shards) {
    return (int) (((key.high() >>> Integer.SIZE) * shards) >>> Integer.SIZE);
  }

  /** Returns the first bucket that a key of a shard may be in. */
  static int firstBucket(int shard, int shards) {
    return (int) ((long) shard * RecordTables.BUCKETS / shards);
  }

  /** Returns the last bucket that a key of a shard may be in. */
  static int lastBucket(int shard, int shards) {
    long end = (shard + 1L) * RecordTables.BUCKETS;
    return (int) ((end + shards - 1) / shards) - 1;
  }
}
