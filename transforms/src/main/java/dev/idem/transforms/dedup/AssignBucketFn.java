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
package dev.idem.transforms.dedup;

import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Instant;

/** Keys each element by the bucket that remembers its key. */
final class AssignBucketFn<T> extends DoFn<T, KV<Integer, Copy<T>>> {
  private final CopyFactory<T> factory;
  private final int buckets;

  AssignBucketFn(CopyFactory<T> factory, int buckets) {
    this.factory = factory;
    this.buckets = buckets;
  }

  @ProcessElement
  public void process(
      @Element T element, @Timestamp Instant timestamp, OutputReceiver<KV<Integer, Copy<T>>> output)
      throws CoderException {
    Copy<T> copy = factory.copyOf(element, timestamp);
    output.output(KV.of(copy.key().shard(buckets), copy));
  }
}
