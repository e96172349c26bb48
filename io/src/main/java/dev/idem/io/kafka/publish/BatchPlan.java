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
 * A batch that is to be published.
 *
 * @param batch the batch id, from 0
 * @param fingerprint tells the plan from others: a replay has the same
 * @param epoch the life of the checkpoint, empty if there is none; a replay has the same
 * @param lease the lease number of who runs the batch; a lower one than recorded is refused
 * @param run names one run among those with the same lease; another run takes the batch over
 * @param shards how many shards are wanted; a batch that was opened before keeps its own
 * @param body text of the caller's that is kept with the batch, such as the whole plan
 */
public record BatchPlan(
    long batch, String fingerprint, String epoch, long lease, String run, int shards, String body)
    implements Serializable {

  /** Checks what can be checked without the topic. */
  public BatchPlan {
    if (batch < 0) {
      throw PublishErrors.batch(batch);
    }
    if (fingerprint.isBlank()) {
      throw PublishErrors.fingerprint();
    }
    if (shards < 1) {
      throw PublishErrors.shards(shards);
    }
  }
}
