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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Applies the changes of one shard, all of which it holds. */
final class ApplyShardFn extends DoFn<KV<Integer, Iterable<Row>>, Void> {
  static final TupleTag<Row> ROWS = new TupleTag<>("rows") {};
  static final TupleTag<Row> DELETES = new TupleTag<>("deletes") {};

  private final ChangeLayout layout;
  private final Counter stale = Metrics.counter(ApplyChanges.class, "stale");
  private final Counter ties = Metrics.counter(ApplyChanges.class, "ties");

  /** The changes of one key. */
  private record Keyed(Row key, List<Change> changes) {}

  ApplyShardFn(ChangeLayout layout) {
    this.layout = layout;
  }

  @ProcessElement
  public void process(@Element KV<Integer, Iterable<Row>> shard, MultiOutputReceiver output) {
    Map<Fingerprint, Keyed> keys = new LinkedHashMap<>();
    Row truncated = null;
    for (Row row : shard.getValue()) {
      if (layout.isTruncate(row)) {
        truncated = layout.merge().greater(truncated, layout.sequence(row));
      } else {
        keys.computeIfAbsent(
                layout.keyFingerprint(row), any -> new Keyed(layout.key(row), new ArrayList<>()))
            .changes()
            .add(layout.change(row));
      }
    }
    for (Keyed keyed : keys.values()) {
      if (layout.hasHistory()) {
        history(keyed, output);
      } else {
        latest(keyed, truncated, output);
      }
    }
  }

  private void history(Keyed keyed, MultiOutputReceiver output) {
    KeyHistory history = layout.history(keyed.key());
    keyed.changes().forEach(history::add);
    // An older change has its part in a history; only another one at its sequence takes it away.
    stale.inc(keyed.changes().size() - history.changes().size());
    ties.inc(Reduction.ties(layout.merge(), keyed.changes()));
    layout.historyRows().shown(history).forEach(output.get(ROWS)::output);
  }

  private void latest(Keyed keyed, @Nullable Row truncated, MultiOutputReceiver output) {
    ChangeMerge merge = layout.merge();
    Reduction reduction = Reduction.of(merge, keyed.changes());
    stale.inc(reduction.stale());
    ties.inc(reduction.ties());
    KeyState state =
        truncated == null
            ? reduction.state()
            : merge.merge(reduction.state(), merge.state(Change.delete(truncated)));
    if (state.isLive()) {
      output.get(ROWS).output(layout.row(keyed.key(), state));
    } else {
      output.get(DELETES).output(layout.delete(keyed.key(), state.deleted()));
    }
  }
}
