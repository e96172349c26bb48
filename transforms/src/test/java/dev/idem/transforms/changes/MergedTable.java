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
  private final TableMerge merge;
  private final Map<Fingerprint, List<Row>> rows = new HashMap<>();
  private final Map<Fingerprint, List<Row>> beside = new HashMap<>();
  private @Nullable Row truncated;

  MergedTable(TableMerge merge) {
    this.merge = merge;
  }

  /** Merges a batch, reduced first; returns whether anything had to be written. */
  boolean merge(List<Row> batch) {
    Map<Fingerprint, List<Row>> byKey = new HashMap<>();
    Row before = truncated;
    for (Row row : batch) {
      Row change = merge.change(row);
      if (merge.isTruncate(change)) {
        truncated = merge.later(truncated, change);
      } else {
        byKey.computeIfAbsent(merge.keyOfChange(change), any -> new ArrayList<>()).add(change);
      }
    }
    boolean written = !Objects.equals(truncated, before);
    Set<Fingerprint> keys = new HashSet<>(byKey.keySet());
    if (written) {
      keys.addAll(rows.keySet());
    }
    for (Fingerprint key : keys) {
      List<Row> changes = byKey.getOrDefault(key, List.of());
      List<Row> reduced = changes.isEmpty() ? changes : merge.reduce(changes).changes();
      written |= merge(key, reduced);
    }
    return written;
  }

  private boolean merge(Fingerprint key, List<Row> changes) {
    List<Row> held = rows.computeIfAbsent(key, any -> new ArrayList<>());
    List<Row> kept = beside.computeIfAbsent(key, any -> new ArrayList<>());
    if (changes.isEmpty() && held.isEmpty()) {
      return false;
    }
    MergedKey merged = merge.merge(changes, held, kept, truncated);
    for (int i = held.size() - 1; i >= 0; i--) {
      if (merged.leaving().get(i)) {
        held.remove(i);
      }
    }
    held.addAll(merged.rows());
    kept.addAll(merged.changes());
    return !merged.leaving().isEmpty() || !merged.rows().isEmpty() || !merged.changes().isEmpty();
  }

  Set<String> lines() {
    Set<String> lines = new TreeSet<>();
    rows.values()
        .forEach(all -> all.forEach(row -> lines.add(RandomLog.line(row, merge.hasHistory()))));
    return lines;
  }
}
