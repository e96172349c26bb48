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

import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.transforms.changes.TableMerge;
import dev.idem.transforms.fingerprint.ContentSum;
import dev.idem.transforms.fingerprint.Fingerprint;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;

/** Reduces the changes of a shard to those that matter and writes them to a file. */
final class StageShardFn extends DoFn<KV<Integer, Iterable<Row>>, KV<Integer, String>> {

  private static final long serialVersionUID = 1L;

  private final MergeSpec spec;

  StageShardFn(MergeSpec spec) {
    this.spec = spec;
  }

  @ProcessElement
  public void stage(
      @Element KV<Integer, Iterable<Row>> shard, OutputReceiver<KV<Integer, String>> output)
      throws IOException {
    TableMerge merge = spec.merge();
    RowEncoding encoding = RowEncoding.of(merge.changeSchema());
    ContentSum content = ContentSum.EMPTY;
    Map<Fingerprint, List<Row>> keys = new HashMap<>();
    Row truncated = null;
    long received = 0;
    for (Row change : shard.getValue()) {
      content = content.plus(encoding.fingerprint(change));
      received++;
      if (merge.isTruncate(change)) {
        truncated = merge.later(truncated, change);
      } else {
        keys.computeIfAbsent(merge.keyOfChange(change), any -> new ArrayList<>()).add(change);
      }
    }
    List<Row> changes = new ArrayList<>();
    SortedMap<Fingerprint, Integer> sequences = new TreeMap<>();
    long stale = 0;
    long ties = 0;
    for (Map.Entry<Fingerprint, List<Row>> key : keys.entrySet()) {
      TableMerge.Reduced reduced = merge.reduce(key.getValue());
      changes.addAll(reduced.changes());
      sequences.put(key.getKey(), merge.sequenceHashOfChange(reduced.changes().get(0)));
      stale += reduced.stale();
      ties += reduced.ties();
    }
    String file = spec.newStagingFile("changes");
    new StagedChanges(spec).write(file, sequences, changes);
    StagedShard staged =
        new StagedShard(
            shard.getKey(),
            file,
            keys.size(),
            changes.size(),
            ranges(changes),
            Messages.write(truncated == null ? null : merge.beside(truncated)),
            content.toString(),
            received,
            stale,
            ties);
    output.output(KV.of(0, Messages.write(staged)));
  }

  private Map<String, List<List<String>>> ranges(List<Row> changes) {
    Schema schema = spec.merge().changeSchema();
    Map<String, List<List<String>>> ranges = new HashMap<>();
    for (DeltaColumn column : spec.keyColumns()) {
      if (KeyBounds.isBounded(column) && !changes.isEmpty()) {
        int field = schema.indexOf(column.name());
        Set<Object> values = KeyBounds.values();
        changes.forEach(change -> values.add(change.getValue(field)));
        ranges.put(column.name(), KeyBounds.ranges(values));
      }
    }
    return ranges;
  }
}
