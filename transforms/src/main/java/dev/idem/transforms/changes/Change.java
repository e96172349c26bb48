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

import java.util.Arrays;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** What happened to a key at one sequence: it was deleted, or cells of its row were set. */
final class Change {

  /** Stands in the place of a cell that a change says nothing of; null is a value. */
  static final Object NOT_CARRIED =
      new Object() {
        @Override
        public String toString() {
          return "-";
        }
      };

  private final Row sequence;
  private final @Nullable Object @Nullable [] cells;

  private Change(Row sequence, @Nullable Object @Nullable [] cells) {
    this.sequence = sequence;
    this.cells = cells;
  }

  static Change delete(Row sequence) {
    return new Change(sequence, null);
  }

  /** Returns a change that sets those of the cells that are not {@link #NOT_CARRIED}. */
  static Change upsert(Row sequence, @Nullable Object[] cells) {
    return new Change(sequence, cells);
  }

  Row sequence() {
    return sequence;
  }

  boolean isDelete() {
    return cells == null;
  }

  /** Returns the cells of a change that is no delete. */
  @Nullable Object[] cells() {
    return cells;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Change that
        && sequence.equals(that.sequence)
        && Arrays.deepEquals(cells, that.cells);
  }

  @Override
  public int hashCode() {
    return 31 * sequence.hashCode() + Arrays.deepHashCode(cells);
  }

  @Override
  public String toString() {
    return sequence.getValues() + (cells == null ? " delete" : " " + Arrays.deepToString(cells));
  }
}
