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

import dev.idem.transforms.external.DeadLetter;
import org.apache.beam.sdk.annotations.Internal;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.PCollection;

/**
 * Publishes what a driver's batch holds in pipelines of the driver's, which are bounded and publish
 * each a batch: all elements, in the order of their events' keys and sequences.
 */
@Internal
public final class KafkaSink {

  private KafkaSink() {}

  /**
   * Returns what publishes a batch that the driver has opened, and closes afterwards: a shard, a
   * transaction. Workers do not open it, so one that belongs to an earlier attempt fails.
   *
   * @return gives the elements that have no key, or are too large
   */
  public static <T> PTransform<PCollection<T>, PCollection<DeadLetter<T>>> inTransactions(
      PublishSteps steps, OpenBatch batch, EventMapping<T> mapping) {
    return new PublishElements<>(
        steps.target(), batch.shards(), mapping, new TransactionalShardWriter(steps, batch));
  }

  /**
   * Returns what publishes a batch without transactions: what is repeated is there again.
   *
   * @return gives the elements that have no key, or are too large
   */
  public static <T> PTransform<PCollection<T>, PCollection<DeadLetter<T>>> atLeastOnce(
      PublishTarget target, long batch, int shards, EventMapping<T> mapping) {
    return new PublishElements<>(target, shards, mapping, new PlainShardWriter(target, batch));
  }
}
