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
import java.util.Objects;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * What a table with the latest row of each key (SCD type 1) has to know of a key: when it was last
 * deleted and last upserted, and of every cell set after that the value and its sequence.
 *
 * <p>{@link ChangeMerge#merge(KeyState, KeyState)} puts two together; the order does not matter.
 */
final class KeyState {
  private final @Nullable Row deleted;
  private final @Nullable Row upserted;
  private final @Nullable Row[] sequences;
  private final @Nullable Object[] values;

  KeyState(
      @Nullable Row deleted,
      @Nullable Row upserted,
      @Nullable Row[] sequences,
      @Nullable Object[] values) {
    this.deleted = deleted;
    this.upserted = upserted;
    this.sequences = sequences;
    this.values = values;
  }

  /** Returns whether the key has a row. */
  boolean isLive() {
    return upserted != null;
  }

  /** Returns the sequence of the latest delete, if it still decides about anything. */
  @Nullable Row deleted() {
    return deleted;
  }

  /** Returns the sequence of the latest upsert, if it is after the latest delete. */
  @Nullable Row upserted() {
    return upserted;
  }

  /** Returns for each cell the sequence of its value; null if nobody set it since the delete. */
  @Nullable Row[] sequences() {
    return sequences;
  }

  /** Returns the values of the cells, {@link Change#NOT_CARRIED} where there is no sequence. */
  @Nullable Object[] values() {
    return values;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyState that
        && Objects.equals(deleted, that.deleted)
        && Objects.equals(upserted, that.upserted)
        && Arrays.equals(sequences, that.sequences)
        && Arrays.deepEquals(values, that.values);
  }

  @Override
  public int hashCode() {
    return Objects.hash(deleted, upserted, Arrays.hashCode(sequences), Arrays.deepHashCode(values));
  }

  @Override
  public String toString() {
    return "deleted "
        + (deleted == null ? "never" : deleted.getValues())
        + ", upserted "
        + (upserted == null ? "never" : upserted.getValues())
        + ", cells "
        + Arrays.deepToString(values);
  }
}
