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

import dev.idem.io.rows.RowPacker;
import dev.idem.transforms.external.DeadLetter;
import dev.idem.transforms.fingerprint.ContentSum;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Writes shards, and says what their content is. */
final class WriteShardFn extends DoFn<KV<Integer, Iterable<byte[]>>, Void> {
  static final TupleTag<String> CONTENT = new TupleTag<>("content") {};
  static final TupleTag<DeadLetter<Row>> DEAD_LETTERS = new TupleTag<>("deadLetters") {};

  /** The content of no rows. */
  static final String NOTHING = ContentSum.EMPTY.toString();

  private final JdbcBatchFactory factory;
  private final Carried carried;
  private final Counter written = Metrics.counter(JdbcUpsertIO.class, "shardsWritten");
  private final Counter alreadyWritten =
      Metrics.counter(JdbcUpsertIO.class, "shardsAlreadyWritten");

  private transient @Nullable JdbcBatch batch;

  WriteShardFn(JdbcBatchFactory factory, Carried carried) {
    this.factory = factory;
    this.carried = carried;
  }

  @ProcessElement
  public void process(@Element KV<Integer, Iterable<byte[]>> shard, MultiOutputReceiver output)
      throws InterruptedException {
    if (batch == null) {
      batch = factory.make();
    }
    Iterable<Row> carriers = RowPacker.unpack(carried.schema(), shard.getValue());
    ShardResult result = batch.write(shard.getKey(), carriers, carried);
    (result.alreadyWritten() ? alreadyWritten : written).inc();
    output.get(CONTENT).output(result.content().toString());
    result.letters().forEach(letter -> output.get(DEAD_LETTERS).output(letter));
  }
}
