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
import dev.idem.transforms.changes.TableMerge;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.util.Arrays;
import java.util.List;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Sends rows, packed, to the shards of their keys, of so many as the batch has; without a key, of
 * their content. A worker holds a pack a shard.
 */
final class AssignShardFn extends DoFn<Row, KV<Integer, byte[]>> {
  private final JdbcBatchFactory factory;
  private final Carried carried;
  private final List<String> keys;

  private transient @Nullable RowEncoding encoding;
  private transient RowPacker[] packs;

  AssignShardFn(JdbcBatchFactory factory, Carried carried, List<String> keys) {
    this.factory = factory;
    this.carried = carried;
    this.keys = List.copyOf(keys);
  }

  @StartBundle
  public void start() throws InterruptedException {
    if (encoding == null) {
      Schema rows = carried.rows();
      encoding = keys.isEmpty() ? RowEncoding.of(rows) : RowEncoding.of(rows, keys);
      packs = new RowPacker[factory.make().open().shards()];
    }
    Arrays.setAll(packs, shard -> new RowPacker(carried.schema()));
  }

  @ProcessElement
  public void process(@Element Row carrier, OutputReceiver<KV<Integer, byte[]>> output) {
    Row row = carried.row(carrier);
    TableMerge merge = factory.spec().merge();
    if (merge == null || merge.invalid(row).isPresent()) {
      add(Shards.of(encoding.fingerprint(row), packs.length), carrier, output);
      return;
    }
    Row change = merge.change(row);
    if (merge.isTruncate(change)) {
      for (int shard = 0; shard < packs.length; shard++) {
        add(shard, carrier, output);
      }
    } else {
      add(Shards.of(merge.keyOfChange(change), packs.length), carrier, output);
    }
  }

  private void add(int shard, Row carrier, OutputReceiver<KV<Integer, byte[]>> output) {
    RowPacker pack = packs[shard];
    pack.add(carrier);
    if (pack.isFull()) {
      output.output(KV.of(shard, pack.take()));
    }
  }

  @FinishBundle
  public void finish(FinishBundleContext context) {
    for (int shard = 0; shard < packs.length; shard++) {
      if (!packs[shard].isEmpty()) {
        context.output(
            KV.of(shard, packs[shard].take()),
            GlobalWindow.INSTANCE.maxTimestamp(),
            GlobalWindow.INSTANCE);
      }
    }
  }
}
