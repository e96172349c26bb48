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

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.beam.sdk.values.Row;

/** Merges changes of a key with the history that a table holds of it (SCD type 2). */
final class HistoryMerge {
  private final ChangeLayout layout;

  HistoryMerge(ChangeLayout layout) {
    this.layout = layout;
  }

  /**
   * Merges.
   *
   * @param changes the key's changes
   * @param rows its versions in the table
   * @param beside its changes that are kept beside the table
   */
  MergedKey merge(Row key, List<Change> changes, List<Row> rows, List<Row> beside) {
    Map<Row, Change> kept = new TreeMap<>(layout.order());
    for (Row row : beside) {
      Change change = layout.changeRows().change(row);
      kept.merge(change.sequence(), change, layout.merge()::merge);
    }
    HistoryRows stored = layout.historyRows();
    KeyHistory history = layout.history(key);
    stored.read(rows, kept, history);
    boolean current = history.isCurrent();
    List<Change> before = List.copyOf(history.changes());
    changes.forEach(history::add);
    boolean known = before.equals(List.copyOf(history.changes()));
    List<Row> added = new ArrayList<>(stored.versions(history));
    BitSet leaving = new BitSet();
    for (int i = 0; i < rows.size(); i++) {
      leaving.set(i, !added.remove(rows.get(i)));
    }
    List<Row> hidden =
        stored.hidden(history, kept).stream()
            .map(change -> layout.changeRows().toRow(key, change))
            .toList();
    return new MergedKey(
        leaving,
        added,
        hidden,
        current && !history.isCurrent(),
        known ? changes.size() : 0,
        Reduction.ties(layout.merge(), changes));
  }
}
