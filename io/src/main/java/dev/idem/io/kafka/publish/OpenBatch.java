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

/**
 * A batch that may be published now, in the shards that it has.
 *
 * @param batch the batch id
 * @param fingerprint the fingerprint of its plan
 * @param lease the lease number of the run
 * @param run the run
 * @param shards how many shards it has, which may be others than were asked for
 * @param since the offset in the progress topic from which on all records of the batch are
 * @param published whether an earlier run has closed the batch, so that nothing is to be done
 */
public record OpenBatch(
    long batch,
    String fingerprint,
    long lease,
    String run,
    int shards,
    long since,
    boolean published)
    implements Serializable {

  /** Returns the shard of an event, the same in every attempt: a hash of its key. */
  public int shardOf(KafkaEvent event) {
    return Shards.of(event.key(), shards);
  }
}
