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
package dev.idem.io.kafka.publish;

import java.io.Serializable;
import java.util.List;

/**
 * What the progress topic remembers of a shard: the batch that was last published in it, whole.
 *
 * @param batch the batch id
 * @param fingerprint the fingerprint of the batch's plan
 * @param shards how many shards the batch has
 * @param records how many events the shard has
 * @param content the sum over the events
 * @param tooLarge the ids of further events, which were left out for their size
 */
record ShardRecord(
    long batch, String fingerprint, int shards, long records, String content, List<String> tooLarge)
    implements Serializable {

  ShardRecord {
    tooLarge = List.copyOf(tooLarge);
  }

  boolean isOf(OpenBatch open) {
    return batch == open.batch()
        && fingerprint.equals(open.fingerprint())
        && shards == open.shards();
  }
}
