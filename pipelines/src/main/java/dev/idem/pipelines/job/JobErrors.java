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
package dev.idem.pipelines.job;

import dev.idem.io.checkpoint.Summary;
import dev.idem.pipelines.failure.JobFailedException;
import dev.idem.pipelines.failure.JobRefusedException;
import dev.idem.pipelines.source.Source;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Every refusal and failure of a job, in one place, so that their wording stays one. */
final class JobErrors {

  private JobErrors() {}

  static JobFailedException tooManyDeadLetters(long batch, long invalid, long read, double limit) {
    return new JobFailedException(
        String.format(
            Locale.ROOT,
            "Dead letters must be at most %.1f%% of the records read, but batch %d has %d of %d"
                + " (%.1f%%). Nothing was committed. Check --format and --schema, or raise"
                + " --maxDeadLetters.",
            100 * limit,
            batch,
            invalid,
            read,
            100.0 * invalid / read));
  }

  static JobRefusedException changedContent(
      long batch, String target, String output, Summary.Output held, Summary.Output now) {
    return new JobRefusedException(
        "Batch "
            + batch
            + " must have the same content at every attempt, but target \""
            + target
            + "\" was committed by an attempt in which output \""
            + output
            + "\" had "
            + held.rows()
            + " rows with hash "
            + held.content()
            + ", and this attempt has "
            + now.rows()
            + " rows with hash "
            + now.content()
            + ". Nothing was committed. A function of the job gives other rows for the same records:"
            + " make it as it was, or accept both contents with --onChangedContent=complete.");
  }

  static JobRefusedException historyGone(Source.Position start, long first) {
    return new JobRefusedException(
        "Job that begins anew must read partition "
            + start.topic()
            + "-"
            + start.partition()
            + " from offset "
            + first
            + ", the first that was ever read of it, but can begin at: "
            + start.offset()
            + ". The rows of "
            + (start.offset() - first)
            + " offsets would leave the table for ever; nothing was written. Keep the table, or fill"
            + " another one with an --applicationId and a --checkpoint of its own.");
  }

  static JobRefusedException notEmptiedOnce(String table) {
    return new JobRefusedException(
        "Table \""
            + table
            + "\" must keep records of batches for a job to begin anew, but is written at least once."
            + " Empty it by hand, and start with an --applicationId and a --checkpoint of its own.");
  }

  static JobRefusedException sharedTable(String table, Set<String> others) {
    return new JobRefusedException(
        "Table \""
            + table
            + "\" must be written by this job alone for it to begin anew, but is written by: "
            + others
            + " too, whose rows would leave it. Nothing was written. Fill another table, with an"
            + " --applicationId and a --checkpoint of its own.");
  }

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
