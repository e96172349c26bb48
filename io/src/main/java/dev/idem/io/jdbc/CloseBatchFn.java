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
package dev.idem.io.jdbc;

import dev.idem.transforms.fingerprint.ContentSum;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;

/** Closes the batch once all its shards are written. */
final class CloseBatchFn extends DoFn<KV<Integer, Iterable<String>>, JdbcWriteOutcome> {
  private final JdbcBatchFactory factory;

  CloseBatchFn(JdbcBatchFactory factory) {
    this.factory = factory;
  }

  @ProcessElement
  public void process(
      @Element KV<Integer, Iterable<String>> contents, OutputReceiver<JdbcWriteOutcome> output)
      throws InterruptedException {
    ContentSum content = ContentSum.EMPTY;
    for (String shard : contents.getValue()) {
      content = content.plus(ContentSum.parse(shard));
    }
    output.output(factory.make().close(content, null));
  }
}
