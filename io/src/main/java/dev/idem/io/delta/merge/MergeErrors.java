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
package dev.idem.io.delta.merge;

import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.error.TableChangedException;
import dev.idem.io.delta.error.UnusableTableException;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.apache.beam.sdk.values.PCollection;

/** What goes wrong with merges, in words. */
final class MergeErrors {

  private MergeErrors() {}

  static UnusableTableException noDeletionVectors(String table) {
    return new UnusableTableException(
        table,
        "deletion vectors",
        "Table must have \"delta.enableDeletionVectors\" for a merge on read, but has not: \""
            + table
            + "\". Set the property to true with ALTER TABLE, or choose COPY_ON_WRITE.",
        null);
  }

  static IllegalArgumentException missing(String what, String call) {
    return new IllegalArgumentException(
        "Merge into Delta must have " + what + ", but was: none. Call " + call + ".");
  }

  static IllegalArgumentException unbounded(PCollection.IsBounded bounded) {
    return new IllegalArgumentException(
        "Input of a merge into Delta must be bounded, but was: "
            + bounded
            + ". Run the pipeline in batches.");
  }

  static IllegalArgumentException windowed(WindowFn<?, ?> windows) {
    return new IllegalArgumentException(
        "Input of a merge into Delta must be in the global window, but was: "
            + windows.getClass().getSimpleName()
            + ". Apply Window.into(new GlobalWindows()) first.");
  }

  static SchemaMismatchException otherColumns(String table, String column) {
    return new SchemaMismatchException(
        table,
        column,
        "Table \""
            + table
            + "\" must have the columns of the changes and no others, but has: \""
            + column
            + "\". Rows that are merged would lose it; add it to the changes, or drop it.");
  }

  static SchemaMismatchException noColumn(String table, String column) {
    return new SchemaMismatchException(
        table,
        column,
        "Table \""
            + table
            + "\" must have the columns of the changes, but has not: \""
            + column
            + "\". Leave it out with columnsExcept, or let the merge add it with evolving.");
  }

  static TableChangedException tableChanged(String table, long version) {
    return new TableChangedException(
        table,
        version,
        "Schema and properties of table \""
            + table
            + "\" must stay while changes are merged, but were changed after version "
            + version
            + ". Run the batch again.");
  }

  static TableChangedException truncatedMeanwhile(String table, long version) {
    return new TableChangedException(
        table,
        version,
        "Table \""
            + table
            + "\" must not be truncated by another application while changes are merged, but was."
            + " Run the batch again.");
  }

  static IllegalStateException severalPlans(String table, int plans) {
    return new IllegalStateException(
        "Steps of a merge into \""
            + table
            + "\" must be of one plan, but were of "
            + plans
            + ": a worker was lost and planned again. Run the batch again.");
  }
}
