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

import java.util.Comparator;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Merges what is known of one key.
 *
 * <p>Every merge here gives the same result for every order, grouping and repetition of its
 * arguments, which is what lets batches be split, replayed and reordered. At equal sequences a
 * delete beats an upsert, and of two values of a cell the one with the greater canonical encoding
 * wins.
 */
final class ChangeMerge {
  private final SequenceOrder order;
  private final Cells cells;

  ChangeMerge(SequenceOrder order, Cells cells) {
    this.order = order;
    this.cells = cells;
  }

  /** Returns the state that a change alone leads to. */
  KeyState state(Change change) {
    @Nullable Row[] sequences = new Row[cells.size()];
    if (change.isDelete()) {
      return new KeyState(change.sequence(), null, sequences, cells.nothing());
    }
    for (int i = 0; i < sequences.length; i++) {
      sequences[i] = change.cells()[i] == Change.NOT_CARRIED ? null : change.sequence();
    }
    return new KeyState(null, change.sequence(), sequences, change.cells());
  }

  /** Returns what two states say together. */
  KeyState merge(KeyState left, KeyState right) {
    Row deleted = greater(left.deleted(), right.deleted());
    Row upserted = after(deleted, greater(left.upserted(), right.upserted()));
    @Nullable Row[] sequences = new Row[cells.size()];
    @Nullable Object[] values = new Object[cells.size()];
    for (int i = 0; i < values.length; i++) {
      KeyState winner = compareCell(i, left, right) >= 0 ? left : right;
      sequences[i] = after(deleted, winner.sequences()[i]);
      values[i] = sequences[i] == null ? Change.NOT_CARRIED : winner.values()[i];
    }
    boolean saidByRow = upserted != null && cells.isOneForAll();
    return new KeyState(saidByRow ? null : deleted, upserted, sequences, values);
  }

  private int compareCell(int cell, KeyState left, KeyState right) {
    Row leftSequence = left.sequences()[cell];
    Row rightSequence = right.sequences()[cell];
    if (leftSequence == null || rightSequence == null) {
      return leftSequence == null ? -1 : 1;
    }
    int bySequence = order.compare(leftSequence, rightSequence);
    return bySequence != 0
        ? bySequence
        : cells.compare(cell, left.values()[cell], right.values()[cell]);
  }

  /** Returns what two changes at the same sequence say together. */
  Change merge(Change left, Change right) {
    if (left.isDelete() || right.isDelete()) {
      return left.isDelete() ? left : right;
    }
    @Nullable Object[] values = left.cells().clone();
    for (int i = 0; i < values.length; i++) {
      Object other = right.cells()[i];
      if (other != Change.NOT_CARRIED
          && (values[i] == Change.NOT_CARRIED || cells.compare(i, values[i], other) < 0)) {
        values[i] = other;
      }
    }
    return Change.upsert(left.sequence(), values);
  }

  /** The order in which a key's changes are looked at: the one that decides most comes first. */
  Comparator<Change> latestFirst() {
    Comparator<Change> bySequence = Comparator.comparing(Change::sequence, order);
    return bySequence.thenComparing(this::compareAtOneSequence).reversed();
  }

  /** Returns whether two changes have the same sequence but do not say the same. */
  boolean isTie(Change left, Change right) {
    return order.compare(left.sequence(), right.sequence()) == 0
        && compareAtOneSequence(left, right) != 0;
  }

  private int compareAtOneSequence(Change left, Change right) {
    if (left.isDelete() || right.isDelete()) {
      return Boolean.compare(left.isDelete(), right.isDelete());
    }
    for (int i = 0; i < cells.size(); i++) {
      boolean leftCarries = left.cells()[i] != Change.NOT_CARRIED;
      boolean rightCarries = right.cells()[i] != Change.NOT_CARRIED;
      int byCell =
          leftCarries && rightCarries
              ? cells.compare(i, left.cells()[i], right.cells()[i])
              : Boolean.compare(leftCarries, rightCarries);
      if (byCell != 0) {
        return byCell;
      }
    }
    return 0;
  }

  /** Returns the later of two sequences, either of which may be missing. */
  @Nullable Row greater(@Nullable Row left, @Nullable Row right) {
    if (left == null || right == null) {
      return left == null ? right : left;
    }
    return order.compare(left, right) >= 0 ? left : right;
  }

  /** Returns {@code sequence} if it is after {@code deleted}, else null. */
  private @Nullable Row after(@Nullable Row deleted, @Nullable Row sequence) {
    return sequence == null || (deleted != null && order.compare(sequence, deleted) <= 0)
        ? null
        : sequence;
  }
}
