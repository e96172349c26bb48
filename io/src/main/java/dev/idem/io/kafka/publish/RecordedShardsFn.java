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

/** Gives one element for each shard of a batch that has another number of them than asked for. */
final class RecordedShardsFn extends DoFn<OpenBatch, KV<Integer, byte[]>> {

  private static final long serialVersionUID = 1L;

  private final int requested;

  RecordedShardsFn(int requested) {
    this.requested = requested;
  }

  @ProcessElement
  public void list(@Element OpenBatch batch, OutputReceiver<KV<Integer, byte[]>> out) {
    if (batch.published() || batch.shards() == requested) {
      return;
    }
    for (int shard = 0; shard < batch.shards(); shard++) {
      out.output(KV.of(shard, PublishShardFn.MARKER));
    }
  }
}
