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
import java.util.List;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Merges changes of a key with what a table of the latest rows (SCD type 1) holds of it.
 *
 * <p>The table holds guarded rows, and beside it there are the tombstones of keys that were
 * deleted. A key has one row or none; if somebody else appended another one, all of them are rows
 * of the key and the merge folds them into one.
 *
 * <p><b>Replay.</b> Changes that were merged before leave the table as it is: the result says so,
 * and nothing has to be written.
 */
final class KeyMerge {
  private final ChangeMerge merge;
  private final GuardedRows guarded;
  private final ChangeLayout layout;

  KeyMerge(ChangeLayout layout, ChangeMerge merge, GuardedRows guarded) {
    this.layout = layout;
    this.merge = merge;
    this.guarded = guarded;
  }

  /**
   * What has to be done with a key.
   *
   * @param replaces whether all its rows have to leave the table
   * @param row the row that has to be added, or null
   * @param tombstone the tombstone that has to be added, or null
   * @param stale how many of the changes say nothing that is not known
   * @param ties how many of the changes differ from another one at the same sequence
   */
  record Result(
      boolean replaces, @Nullable Row row, @Nullable Row tombstone, long stale, long ties) {}

  /** Returns the schema of the rows that the table holds. */
  Schema rowSchema() {
    return guarded.schema();
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
  Result merge(
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
      before = merged(before, merge.state(Change.delete(layout.deletedAt(tombstone))));
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

  private Result result(
      Row key,
      List<KeyState> held,
      @Nullable KeyState before,
      KeyState after,
      long stale,
      long ties) {
    boolean asHeld = after.isLive() ? held.equals(List.of(after)) : held.isEmpty();
    boolean known = after.isLive() || (before != null && after.equals(before));
    return new Result(
        !asHeld && !held.isEmpty(),
        after.isLive() && !asHeld ? guarded.toRow(key, after) : null,
        known ? null : layout.delete(key, after.deleted()),
        stale,
        ties);
  }

  private KeyState merged(@Nullable KeyState left, KeyState right) {
    return left == null ? right : merge.merge(left, right);
  }
}
