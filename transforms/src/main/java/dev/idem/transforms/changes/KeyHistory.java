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

import dev.idem.transforms.fingerprint.RowEncoding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * All that happened to a key, of which a table with the history of each key (SCD type 2) shows the
 * versions.
 *
 * <p>A change that no version shows is kept too: an upsert that changed nothing, or a delete of
 * what was not there. A late change before it makes it matter: a row that came back to what it was
 * is a version of its own as soon as something lies between.
 */
final class KeyHistory {
  private final ChangeMerge merge;
  private final Cells cells;
  private final RowEncoding tracked;
  private final Row key;
  private final NavigableMap<Row, Change> changes;

  /**
   * A version of a key's row.
   *
   * @param start the sequence from which on it is valid
   * @param end the sequence from which on it is not, or null as long as it is the current one
   * @param row the row
   * @param changes the changes that made it, of which only the first made it a version
   */
  record Version(Row start, @Nullable Row end, Row row, List<Change> changes) {
    private Version endingAt(Row sequence) {
      return new Version(start, sequence, row, changes);
    }

    private Version updatedBy(Change change, Row updated) {
      List<Change> all = new ArrayList<>(changes);
      all.add(change);
      return new Version(start, null, updated, all);
    }
  }

  /**
   * Begins the history of a key.
   *
   * @param tracked encodes the columns of which another value makes another version
   */
  KeyHistory(SequenceOrder order, ChangeMerge merge, Cells cells, RowEncoding tracked, Row key) {
    this.merge = merge;
    this.cells = cells;
    this.tracked = tracked;
    this.key = key;
    this.changes = new TreeMap<>(order);
  }

  Row key() {
    return key;
  }

  /** Adds a change; one that is there already, or says nothing new, changes nothing. */
  void add(Change change) {
    changes.merge(change.sequence(), change, merge::merge);
  }

  /** Returns what happened, one change a sequence, in their order. */
  Collection<Change> changes() {
    return changes.values();
  }

  /** Returns whether the key has a row by now. */
  boolean isCurrent() {
    return !changes.isEmpty() && !changes.lastEntry().getValue().isDelete();
  }

  /**
   * Returns the versions in their order. An upsert that changes no tracked column makes no version;
   * the other columns of the one it falls into take its values.
   */
  List<Version> versions() {
    List<Version> versions = new ArrayList<>();
    @Nullable Object[] values = null;
    Version open = null;
    for (Change change : changes.values()) {
      values = change.isDelete() ? null : set(values, change.cells());
      Row row = values == null ? null : cells.row(key, values);
      if (open != null && row != null && sameTracked(open.row(), row)) {
        open = open.updatedBy(change, row);
        continue;
      }
      if (open != null) {
        versions.add(open.endingAt(change.sequence()));
      }
      open = row == null ? null : new Version(change.sequence(), null, row, List.of(change));
    }
    if (open != null) {
      versions.add(open);
    }
    return versions;
  }

  private boolean sameTracked(Row left, Row right) {
    return Arrays.equals(tracked.encode(left), tracked.encode(right));
  }

  private static @Nullable Object[] set(
      @Nullable Object @Nullable [] values, @Nullable Object[] carried) {
    @Nullable Object[] next = carried.clone();
    for (int i = 0; values != null && i < next.length; i++) {
      if (next[i] == Change.NOT_CARRIED) {
        next[i] = values[i];
      }
    }
    return next;
  }
}
