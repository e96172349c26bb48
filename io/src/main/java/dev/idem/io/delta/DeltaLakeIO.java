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
package dev.idem.io.delta;

import dev.idem.io.delta.changes.ReadChanges;
import dev.idem.io.delta.merge.MergeChanges;

/**
 * Reads and writes Delta Lake tables.
 *
 * <p>{@link #read} reads one version of a table, in parallel.
 *
 * <p>{@link #readChanges} reads what versions of a table added or changed.
 *
 * <p>{@link #writeExactlyOnce} records every batch in the table, or every window of an unbounded
 * input, and adds its rows once, however often it is replayed. {@link #writeAtLeastOnce} is a plain
 * append: a replay adds its rows again. Choose it only where the rows may repeat.
 */
public final class DeltaLakeIO {

  private DeltaLakeIO() {}

  /** Returns a read of the rows of one version of a table. */
  public static ReadTable read() {
    return ReadTable.of();
  }

  /** Returns a read of the rows that versions of a table added, or changed otherwise. */
  public static ReadChanges readChanges() {
    return ReadChanges.of();
  }

  /**
   * Returns a write that adds each batch, or each window of an unbounded input, to a table once.
   *
   * @param applicationId names the application to the table; stable over restarts, and never used
   *     by another application on the same table
   */
  public static WriteExactlyOnce writeExactlyOnce(String applicationId) {
    return WriteExactlyOnce.of(applicationId);
  }

  /** Returns a write that appends its rows every time it runs. */
  public static WriteAtLeastOnce writeAtLeastOnce() {
    return WriteAtLeastOnce.of();
  }

  /**
   * Merges changes into a table by key, in the order of their sequence, each batch once.
   *
   * @param applicationId names the application to the table, the same over all restarts
   */
  public static MergeChanges mergeChanges(String applicationId) {
    return MergeChanges.of(applicationId);
  }
}
