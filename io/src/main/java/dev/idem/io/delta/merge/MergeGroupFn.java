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

import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.transforms.changes.MergedKey;
import dev.idem.transforms.changes.TableMerge;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;

/** Merges the changes of a group of shards with the rows that the table holds of their keys. */
final class MergeGroupFn extends DoFn<KV<Integer, Iterable<HeldRow>>, Void> {

  private static final long serialVersionUID = 1L;

  static final TupleTag<KV<Integer, String>> OUTCOMES = new TupleTag<>("outcomes") {};

  /** The rows that leave, by the bin of their file; nothing where they are marked. */
  static final TupleTag<KV<Integer, String>> LEAVING = new TupleTag<>("leaving") {};

  private final MergeSpec spec;

  MergeGroupFn(MergeSpec spec) {
    this.spec = spec;
  }

  @ProcessElement
  public void merge(@Element KV<Integer, Iterable<HeldRow>> group, MultiOutputReceiver output)
      throws IOException {
    TableMerge merge = spec.merge();
    Map<Fingerprint, KeyRows> keys = new HashMap<>();
    String file = null;
    for (HeldRow held : group.getValue()) {
      switch (held.source()) {
        case NONE -> file = held.plan();
        case TABLE ->
            keys.computeIfAbsent(merge.keyOfRow(held.row()), any -> new KeyRows()).rows.add(held);
        case BESIDE ->
            keys.computeIfAbsent(merge.keyOfBeside(held.row()), any -> new KeyRows())
                .kept
                .add(held);
      }
    }
    MergePlan plan = MergePlan.load(spec.stagingStorage(), file);
    Map<Fingerprint, List<Row>> changes = new HashMap<>();
    StagedChanges staged = new StagedChanges(spec);
    plan.shardsOf(group.getKey()).forEach(shard -> staged.read(shard, key -> true, changes));
    changes.keySet().forEach(key -> keys.computeIfAbsent(key, any -> new KeyRows()));

    Row truncated = Messages.readRow(plan.truncated(), merge.besideSchema());
    Row forgotten = Messages.readRow(plan.forgotten(), merge.besideSchema());
    BesideTable besideTable = new BesideTable(spec);
    Instant now = Clock.systemUTC().instant();
    List<HeldRow> known = new ArrayList<>();
    Map<Integer, Positions> deleted = new TreeMap<>();
    MergeCounts counts = MergeCounts.NONE;
    try (DataFileWriter rows = DataFileWriter.open(spec.rows());
        DataFileWriter beside = DataFileWriter.open(spec.beside())) {
      if (plan.truncates() && group.getKey() == 0) {
        beside.write(besideTable.row(truncated, now));
      }
      for (Map.Entry<Fingerprint, KeyRows> entry : keys.entrySet()) {
        KeyRows key = entry.getValue();
        List<Row> own = changes.getOrDefault(entry.getKey(), List.of());
        if (own.isEmpty() && (key.rows.isEmpty() || !plan.truncates())) {
          continue;
        }
        MergedKey merged =
            merge.merge(own, HeldRow.rows(key.rows), HeldRow.rows(key.kept), truncated);
        for (Row row : merged.rows()) {
          rows.write(row);
        }
        for (Row change : merged.changes()) {
          beside.write(besideTable.row(change, now));
        }
        for (int i = 0; i < key.rows.size(); i++) {
          if (merged.leaving().get(i)) {
            HeldRow row = key.rows.get(i);
            deleted.computeIfAbsent(row.file(), any -> new Positions()).add(row.position());
          }
        }
        known.addAll(key.rows);
        known.addAll(key.kept);
        boolean suspected =
            forgotten != null
                && key.rows.isEmpty()
                && key.kept.isEmpty()
                && !merged.rows().isEmpty()
                && own.stream().noneMatch(change -> merge.isLater(change, forgotten));
        counts = counts.plus(counts(merged, key.rows.size(), suspected));
      }
      String found = spec.newStagingFile("found");
      FoundRows.write(spec, found, known);
      Outcome outcome =
          new Outcome(
              file,
              new Outcome.Merged(
                  group.getKey(), rows.finish(), beside.finish(), deleted, found, counts),
              null);
      output.get(OUTCOMES).output(KV.of(0, Messages.write(outcome)));
    }
    if (!plan.marksRows()) {
      for (Map.Entry<Integer, Positions> leaving : deleted.entrySet()) {
        int bin = plan.files().get(leaving.getKey()).bin();
        output
            .get(LEAVING)
            .output(
                KV.of(
                    bin,
                    Messages.write(
                        new Outcome.Leaving(file, leaving.getKey(), leaving.getValue()))));
      }
    }
  }

  /** Counts what was done with a key. */
  private MergeCounts counts(MergedKey merged, int held, boolean suspectedLate) {
    return new MergeCounts(
        merged.rows().isEmpty() || merged.deleted() ? 0 : 1,
        merged.deleted() ? 1 : 0,
        merged.stale(),
        merged.ties(),
        spec.merge().hasHistory() ? 0 : Math.max(0, held - 1),
        suspectedLate ? 1 : 0);
  }

  /** What a table holds of a key. */
  private static final class KeyRows {
    private final List<HeldRow> rows = new ArrayList<>();
    private final List<HeldRow> kept = new ArrayList<>();
  }
}
