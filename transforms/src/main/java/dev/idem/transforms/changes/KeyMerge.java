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
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Merges changes of a key with what a table of the latest rows (SCD type 1) holds of it.
 *
 * <p>The table holds guarded rows, and beside it there are the tombstones of keys that were
 * deleted. A key has one row or none; if somebody else appended another one, all of them are rows
 * of the key and the merge folds them into one.
 */
final class KeyMerge {
  private final ChangeLayout layout;
  private final ChangeMerge merge;
  private final GuardedRows guarded;

  KeyMerge(ChangeLayout layout) {
    this.layout = layout;
    this.merge = layout.merge();
    this.guarded = layout.guarded();
  }

  /**
   * Merges.
   *
   * @param key the key
   * @param changes its changes; none if there is but a truncate
   * @param rows its rows in the table
   * @param tombstones its tombstones
   * @param truncated the sequence of the latest truncate, or null
   */
  MergedKey merge(
      Row key,
      List<Change> changes,
      List<Row> rows,
      List<Row> tombstones,
      @Nullable Row truncated) {
    List<KeyState> held = new ArrayList<>();
    rows.forEach(row -> held.add(guarded.state(row)));
    KeyState before = null;
    for (KeyState state : held) {
      before = merged(before, state);
    }
    for (Row tombstone : tombstones) {
      before = merged(before, merge.state(layout.changeRows().change(tombstone)));
    }
    if (truncated != null) {
      before = merged(before, merge.state(Change.delete(truncated)));
    }
    if (changes.isEmpty()) {
      return result(key, held, before, before, 0, 0);
    }
    Reduction reduction = Reduction.of(merge, changes);
    KeyState after = merged(before, reduction.state());
    long stale = after.equals(before) ? changes.size() : reduction.stale();
    return result(key, held, before, after, stale, reduction.ties());
  }

  private MergedKey result(
      Row key,
      List<KeyState> held,
      @Nullable KeyState before,
      @Nullable KeyState after,
      long stale,
      long ties) {
    boolean live = after != null && after.isLive();
    BitSet leaving = new BitSet();
    leaving.set(0, held.size());
    boolean stays = live && held.contains(after);
    if (stays) {
      leaving.clear(held.indexOf(after));
    }
    boolean known = after == null || live || after.equals(before);
    return new MergedKey(
        leaving,
        live && !stays ? List.of(guarded.toRow(key, after)) : List.of(),
        known ? List.of() : List.of(layout.changeRows().toRow(key, Change.delete(after.deleted()))),
        !live && !held.isEmpty(),
        stale,
        ties);
  }

  private KeyState merged(@Nullable KeyState left, KeyState right) {
    return left == null ? right : merge.merge(left, right);
  }
}
