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
package dev.idem.transforms.changes;

import dev.idem.transforms.fingerprint.Fingerprint;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.join.CoGbkResult;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;

/** Compares one shard of two snapshots, both of which it holds. */
final class DiffShardFn extends DoFn<KV<Integer, CoGbkResult>, Row> {

  /** Tells the two snapshots apart. */
  static final class Side {
    static final TupleTag<Row> BEFORE = new TupleTag<>("before") {};
    static final TupleTag<Row> NEXT = new TupleTag<>("next") {};

    private Side() {}
  }

  private final List<String> keys;
  private final RowEncoding key;
  private final RowEncoding whole;
  private final Schema changes;
  private final long sequence;

  DiffShardFn(Schema schema, List<String> keys, Schema changes, long sequence) {
    this.keys = keys;
    this.key = RowEncoding.of(schema, keys);
    this.whole = RowEncoding.of(schema);
    this.changes = changes;
    this.sequence = sequence;
  }

  @ProcessElement
  public void process(@Element KV<Integer, CoGbkResult> shard, OutputReceiver<Row> output) {
    Map<Fingerprint, Row> before = byKey(shard.getValue().getAll(Side.BEFORE));
    byKey(shard.getValue().getAll(Side.NEXT))
        .forEach(
            (fingerprint, row) -> {
              Row old = before.remove(fingerprint);
              if (old == null || !same(old, row)) {
                output.output(change(row, DiffSnapshots.UPSERT));
              }
            });
    before.values().forEach(row -> output.output(change(row, DiffSnapshots.DELETE)));
  }

  private Map<Fingerprint, Row> byKey(Iterable<Row> rows) {
    Map<Fingerprint, Row> byKey = new LinkedHashMap<>();
    for (Row row : rows) {
      Row other = byKey.put(key.fingerprint(row), row);
      if (other != null && !same(other, row)) {
        throw BadSnapshotException.keyTwice(keys, row);
      }
    }
    return byKey;
  }

  private boolean same(Row left, Row right) {
    return Arrays.equals(whole.encode(left), whole.encode(right));
  }

  private Row change(Row row, String operation) {
    List<Object> values = new ArrayList<>(row.getValues());
    values.add(operation);
    values.add(sequence);
    return Row.withSchema(changes).attachValues(values);
  }

  /** Sends every row to the shard of its key. */
  static final class AssignFn extends DoFn<Row, KV<Integer, Row>> {
    private final List<String> keys;
    private final RowEncoding key;
    private final int shards;

    AssignFn(Schema schema, List<String> keys, int shards) {
      this.keys = keys;
      this.key = RowEncoding.of(schema, keys);
      this.shards = shards;
    }

    @ProcessElement
    public void process(@Element Row row, OutputReceiver<KV<Integer, Row>> output) {
      for (String column : keys) {
        if (row.getValue(column) == null) {
          throw BadSnapshotException.nullKey(column, row);
        }
      }
      output.output(KV.of(key.fingerprint(row).shard(shards), row));
    }
  }
}
