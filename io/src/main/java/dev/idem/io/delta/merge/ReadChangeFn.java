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
package dev.idem.io.delta.merge;

import dev.idem.io.delta.file.StoredRows;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.schema.SchemaJson;
import dev.idem.transforms.changes.InvalidChange;
import dev.idem.transforms.changes.TableMerge;
import java.util.List;
import java.util.Optional;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;

/** Reads changes, in the types of the table, and sends them to the shards of their keys. */
final class ReadChangeFn extends DoFn<Row, Void> {

  private static final long serialVersionUID = 1L;

  static final TupleTag<KV<Integer, Row>> CHANGES = new TupleTag<>("changes") {};
  static final TupleTag<InvalidChange> INVALID = new TupleTag<>("invalid") {};

  private final TableMerge given;
  private final MergeSpec spec;
  private final Counter invalid = Metrics.counter(MergeChanges.class, "invalid");
  private transient StoredRows stored;

  ReadChangeFn(TableMerge given, MergeSpec spec) {
    this.given = given;
    this.spec = spec;
  }

  @Setup
  public void open() {
    boolean nanos = spec.rows().truncateNanoseconds();
    List<DeltaColumn> columns = SchemaJson.read(DeltaSchemas.toJson(given.changeSchema(), nanos));
    stored = StoredRows.of(given.changeSchema(), columns, spec.rows().tablePath(), nanos);
  }

  @ProcessElement
  public void read(@Element Row row, MultiOutputReceiver output) {
    Optional<InvalidChange> wrong = given.invalid(row);
    if (wrong.isPresent()) {
      invalid.inc();
      output.get(INVALID).output(wrong.get());
      return;
    }
    Row change = stored.row(given.change(row));
    int shard =
        spec.merge().isTruncate(change) ? 0 : spec.merge().keyOfChange(change).shard(spec.shards());
    output.get(CHANGES).output(KV.of(shard, change));
  }
}
