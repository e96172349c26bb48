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

import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollectionView;

/** Publishes a shard of the batch as it was recorded. */
final class PublishRecordedShardFn
    extends DoFn<KV<Integer, Iterable<byte[]>>, KV<Integer, ShardOutcome>> {

  private static final long serialVersionUID = 1L;

  private final PublishSteps steps;
  private final PCollectionView<OpenBatch> open;

  PublishRecordedShardFn(PublishSteps steps, PCollectionView<OpenBatch> open) {
    this.steps = steps;
    this.open = open;
  }

  @ProcessElement
  public void publish(ProcessContext context) {
    KV<Integer, Iterable<byte[]>> group = context.element();
    ShardOutcome outcome =
        steps.publishShard(
            context.sideInput(open), group.getKey(), PublishShardFn.events(group.getValue()));
    context.output(KV.of(0, outcome));
  }
}
