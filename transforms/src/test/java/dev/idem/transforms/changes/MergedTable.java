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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** A table that holds nothing but rows, and is merged into as one in a file system is. */
final class MergedTable {
  private final ChangeLayout layout;
  private final Map<Row, List<Row>> rows = new HashMap<>();
  private final Map<Row, List<Row>> beside = new HashMap<>();
  private @Nullable Row truncated;

  MergedTable(ChangeLayout layout) {
    this.layout = layout;
  }

  /** Merges a batch; returns whether anything had to be written. */
  boolean merge(List<Row> batch) {
    Map<Row, List<Change>> byKey = new HashMap<>();
    Row before = truncated;
    for (Row row : batch) {
      if (layout.isTruncate(row)) {
        truncated = layout.merge().greater(truncated, layout.sequence(row));
      } else {
        byKey.computeIfAbsent(layout.key(row), any -> new ArrayList<>()).add(layout.change(row));
      }
    }
    boolean written = !Objects.equals(truncated, before);
    Set<Row> keys = new HashSet<>(byKey.keySet());
    if (written) {
      keys.addAll(rows.keySet());
    }
    for (Row key : keys) {
      List<Change> changes = byKey.getOrDefault(key, List.of());
      written |= layout.hasHistory() ? mergeHistory(key, changes) : mergeLatest(key, changes);
    }
    return written;
  }

  private boolean mergeLatest(Row key, List<Change> changes) {
    List<Row> held = rows.computeIfAbsent(key, any -> new ArrayList<>());
    List<Row> tombstones = beside.computeIfAbsent(key, any -> new ArrayList<>());
    KeyMerge.Result result = layout.keyMerge().merge(key, changes, held, tombstones, truncated);
    if (result.replaces()) {
      held.clear();
    }
    if (result.row() != null) {
      held.add(result.row());
    }
    if (result.tombstone() != null) {
      tombstones.add(result.tombstone());
    }
    return result.replaces() || result.row() != null || result.tombstone() != null;
  }

  private boolean mergeHistory(Row key, List<Change> changes) {
    HistoryRows stored = layout.historyRows();
    KeyHistory history = layout.history(key);
    List<Row> versions = rows.getOrDefault(key, List.of());
    List<Row> hidden = beside.getOrDefault(key, List.of());
    stored.read(versions, hidden, history);
    changes.forEach(history::add);
    rows.put(key, stored.versions(history));
    beside.put(key, stored.hidden(history));
    return !versions.equals(rows.get(key)) || !hidden.equals(beside.get(key));
  }

  Set<String> lines() {
    Set<String> lines = new TreeSet<>();
    rows.values()
        .forEach(all -> all.forEach(row -> lines.add(RandomLog.line(row, layout.hasHistory()))));
    return lines;
  }
}
