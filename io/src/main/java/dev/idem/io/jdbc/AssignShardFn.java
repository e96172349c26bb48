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

import dev.idem.transforms.changes.TableMerge;
import dev.idem.transforms.fingerprint.Fingerprint;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Sends a row to the shard of its key, of so many as the batch has; without a key, of its content.
 */
final class AssignShardFn extends DoFn<Row, KV<Integer, Row>> {
  private final JdbcBatchFactory factory;
  private final Carried carried;
  private final List<String> keys;

  private transient @Nullable RowEncoding encoding;
  private transient @Nullable Schema keySchema;
  private transient int shards;

  AssignShardFn(JdbcBatchFactory factory, Carried carried, List<String> keys) {
    this.factory = factory;
    this.carried = carried;
    this.keys = List.copyOf(keys);
  }

  @StartBundle
  public void start() throws InterruptedException {
    if (encoding == null) {
      keySchema =
          keys.isEmpty()
              ? carried.rows()
              : new Schema(
                  keys.stream().map(carried.rows()::getField).collect(Collectors.toList()));
      encoding = RowEncoding.of(keySchema);
      shards = factory.make().open().shards();
    }
  }

  @ProcessElement
  public void process(@Element Row carrier, OutputReceiver<KV<Integer, Row>> output) {
    Row row = carried.row(carrier);
    TableMerge merge = factory.spec().merge();
    if (merge == null || merge.invalid(row).isPresent()) {
      output.output(KV.of(Shards.of(fingerprint(row), shards), carrier));
      return;
    }
    Row change = merge.change(row);
    if (merge.isTruncate(change)) {
      for (int shard = 0; shard < shards; shard++) {
        output.output(KV.of(shard, carrier));
      }
    } else {
      output.output(KV.of(Shards.of(merge.keyOfChange(change), shards), carrier));
    }
  }

  private Fingerprint fingerprint(Row row) {
    if (keys.isEmpty()) {
      return encoding.fingerprint(row);
    }
    Row.Builder key = Row.withSchema(keySchema);
    keys.forEach(column -> key.addValue(row.getValue(column)));
    return encoding.fingerprint(key.build());
  }
}
