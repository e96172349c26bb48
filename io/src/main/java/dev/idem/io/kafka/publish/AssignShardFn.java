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

/** Gives each event the shard of its key. */
final class AssignShardFn extends DoFn<KafkaEvent, KV<Integer, byte[]>> {

  private static final long serialVersionUID = 1L;

  private final int shards;

  AssignShardFn(int shards) {
    this.shards = shards;
  }

  @ProcessElement
  public void assign(@Element KafkaEvent event, OutputReceiver<KV<Integer, byte[]>> out) {
    out.output(KV.of(Shards.of(event.key(), shards), KafkaEventCoder.bytes(event)));
  }
}
