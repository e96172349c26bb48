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

import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.TupleTag;

/** Publishes a shard, or hands its events on if the batch has another number of shards. */
final class PublishShardFn extends DoFn<KV<Integer, Iterable<byte[]>>, Void> {

  /** Stands for no event. */
  static final byte[] MARKER = new byte[0];

  static final TupleTag<KV<Integer, ShardOutcome>> PUBLISHED = new TupleTag<>("published") {};
  static final TupleTag<KV<Integer, byte[]>> ELSEWHERE = new TupleTag<>("elsewhere") {};

  private static final long serialVersionUID = 1L;

  private final PublishSteps steps;
  private final int shards;
  private final PCollectionView<OpenBatch> open;

  PublishShardFn(PublishSteps steps, int shards, PCollectionView<OpenBatch> open) {
    this.steps = steps;
    this.shards = shards;
    this.open = open;
  }

  @ProcessElement
  public void publish(ProcessContext context, MultiOutputReceiver out) {
    OpenBatch batch = context.sideInput(open);
    KV<Integer, Iterable<byte[]>> group = context.element();
    if (batch.published() || batch.shards() == shards) {
      ShardOutcome outcome = steps.publishShard(batch, group.getKey(), events(group.getValue()));
      out.get(PUBLISHED).output(KV.of(0, outcome));
      return;
    }
    for (byte[] event : group.getValue()) {
      if (event.length > 0) {
        int shard = batch.shardOf(KafkaEventCoder.event(event));
        out.get(ELSEWHERE).output(KV.of(shard, event));
      }
    }
  }

  static List<KafkaEvent> events(Iterable<byte[]> encoded) {
    List<KafkaEvent> events = new ArrayList<>();
    for (byte[] event : encoded) {
      if (event.length > 0) {
        events.add(KafkaEventCoder.event(event));
      }
    }
    return events;
  }
}
