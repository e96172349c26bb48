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
package dev.idem.pipelines.backfill;

import dev.idem.pipelines.failure.JobFailedException;
import java.util.List;
import java.util.Locale;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Every refusal and failure of a backfill, in one place, so that their wording stays one. */
final class BackfillErrors {

  private BackfillErrors() {}

  static IllegalArgumentException noTable(String table) {
    return new IllegalArgumentException(
        "Table to backfill must exist, but there is none at \""
            + table
            + "\". Give the --table of the job that fills it.");
  }

  static IllegalArgumentException partitionColumn(
      String table, List<String> columns, @Nullable String given) {
    return new IllegalArgumentException(
        "Backfill must be of one of the partition columns "
            + columns
            + " of table \""
            + table
            + "\", but was of: "
            + (given == null ? "none" : "\"" + given + "\"")
            + ". Name it by --partitionColumn; a table without partitions is filled anew by refresh.");
  }

  static IllegalArgumentException rangeValue(String option, String column, Exception why) {
    return new IllegalArgumentException(
        option
            + " must be a value of partition column \""
            + column
            + "\" as its table has it, but was not: "
            + why.getMessage(),
        why);
  }

  static JobFailedException nothingToBackfillFrom(List<String> names) {
    return new JobFailedException(
        "Source of a backfill must hold a record, but holds none: "
            + String.join(", ", names)
            + ". Nothing was written. Check --topics and --startingOffsets.");
  }

  static JobFailedException notAllRows(long refused, long read, double limit) {
    return new JobFailedException(
        String.format(
            Locale.ROOT,
            "Records that are no rows must be at most %.1f%% of a backfill, but %d of %d are"
                + " (malformed, without a key, or in conflict with another of their key). They would"
                + " be missing from the partitions. Nothing was committed. Correct --schema or"
                + " --unknownFields, or leave them out by --maxDeadLetters.",
            100 * limit,
            refused,
            read));
  }
}
