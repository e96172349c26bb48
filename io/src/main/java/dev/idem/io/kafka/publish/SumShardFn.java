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

import dev.idem.transforms.fingerprint.ContentSum;
import dev.idem.transforms.fingerprint.Fingerprint;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;

/** Sums up the events of a shard. */
final class SumShardFn extends DoFn<KV<Integer, Iterable<byte[]>>, KV<Integer, String>> {

  private static final long serialVersionUID = 1L;

  @ProcessElement
  public void sum(
      @Element KV<Integer, Iterable<byte[]>> group, OutputReceiver<KV<Integer, String>> out) {
    long records = 0;
    ContentSum content = ContentSum.EMPTY;
    for (byte[] event : group.getValue()) {
      if (event.length > 0) {
        records++;
        content = content.plus(Fingerprint.of(event));
      }
    }
    out.output(KV.of(0, PublishSteps.hash(records, content.toString())));
  }
}
