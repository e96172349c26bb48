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
package dev.idem.pipelines.source;

import dev.idem.io.checkpoint.Plan;
import dev.idem.io.debezium.PositionWentBack;
import dev.idem.pipelines.failure.JobFailedException;
import dev.idem.pipelines.failure.JobRefusedException;
import java.util.List;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Every refusal and failure of a source, in one place, so that their wording stays one. */
final class SourceErrors {

  private SourceErrors() {}

  static JobRefusedException otherCluster(String planned, @Nullable String found) {
    return new JobRefusedException(
        "Kafka cluster must be the one that the checkpoint was made for, \""
            + planned
            + "\", but was: \""
            + found
            + "\". Point --bootstrapServers at that cluster, or start a new job with a new"
            + " --applicationId and --checkpoint.");
  }

  static JobRefusedException otherTopic(String topic, String planned, @Nullable String found) {
    return new JobRefusedException(
        "Topic \""
            + topic
            + "\" must have the topic id that the checkpoint was made for, \""
            + planned
            + "\", but was: \""
            + found
            + "\": it was deleted and created again, or is not read any more, so its offsets mean"
            + " other records. Start a new job with a new --applicationId and --checkpoint.");
  }

  static JobRefusedException partitionGone(Plan.Range range) {
    return new JobRefusedException(
        "Partition "
            + range.topic()
            + "-"
            + range.partition()
            + " must still exist, but does not; the checkpoint has read it up to offset "
            + range.end()
            + ". Start a new job with a new --applicationId and --checkpoint.");
  }

  static JobRefusedException beyondEnd(Plan.Range range, long end) {
    return new JobRefusedException(
        "Partition "
            + range.topic()
            + "-"
            + range.partition()
            + " must reach offset "
            + range.end()
            + ", up to which the checkpoint has read it, but its last stable offset is: "
            + end
            + ". Its log lost records, or is another one: restore it, or start a new job with a new"
            + " --applicationId and --checkpoint.");
  }

  static JobRefusedException outOfRetention(Source.Position earliest, long wanted) {
    return new JobRefusedException(
        "Partition "
            + earliest.topic()
            + "-"
            + earliest.partition()
            + " must still have offset "
            + wanted
            + ", up to which it was read, but its earliest offset is: "
            + earliest.offset()
            + ". "
            + (earliest.offset() - wanted)
            + " offsets are gone: restore them, or go on without them, counted, by"
            + " --onDataLoss=continue.");
  }

  static JobRefusedException otherTable(String path, @Nullable String planned, String found) {
    return new JobRefusedException(
        "Table "
            + path
            + " must have the id that the checkpoint was made for, \""
            + planned
            + "\", but was: \""
            + found
            + "\". It was created anew, or is another one: read that table, or start a new job with"
            + " a new --applicationId and --checkpoint.");
  }

  static JobRefusedException tableShorter(String path, long version, long last) {
    return new JobRefusedException(
        "Table "
            + path
            + " must reach version "
            + version
            + ", up to which the checkpoint has read it, but its last version is: "
            + last
            + ". Its log lost commits: restore it, or start a new job with a new --applicationId and"
            + " --checkpoint.");
  }

  static JobRefusedException versionsGone(String path, long wanted, long earliest) {
    return new JobRefusedException(
        "Table "
            + path
            + " must still have version "
            + wanted
            + " in its log, up to which it was read, but the log begins at version: "
            + earliest
            + ". "
            + (earliest - wanted)
            + " versions are gone: restore them, or go on without them, counted, by"
            + " --onDataLoss=continue. Keep entries longer (delta.logRetentionDuration) than the job"
            + " may be behind.");
  }

  static JobRefusedException startingVersionGone(String path, long version, long earliest) {
    return new JobRefusedException(
        "Table "
            + path
            + " must still have version "
            + version
            + ", with which --startingVersion begins, in its log, but the log begins at version: "
            + earliest
            + ". Begin with that one or a later one, or with the table as it is:"
            + " --startingVersion=snapshot.");
  }

  /**
   * A job that begins anew would lose rows.
   *
   * @param what of which source's part, as a user reads it
   * @param unit what its records are counted by
   */
  static JobRefusedException historyGone(String what, String unit, long start, long first) {
    return new JobRefusedException(
        "Job that begins anew must read "
            + what
            + " from "
            + unit
            + " "
            + first
            + ", the first that was ever read of it, but can begin at: "
            + start
            + ". The rows of "
            + (start - first)
            + " "
            + unit
            + "s would leave the table for ever; nothing was written. Keep the table, or fill another"
            + " one with an --applicationId and a --checkpoint of its own.");
  }

  static JobFailedException nothingParses(List<String> topics) {
    return new JobFailedException(
        "The first batch must hold a record that the format and the schema can read, but holds none,"
            + " in topics: "
            + String.join(", ", topics)
            + ". Check --format, or give --schema=FILE.");
  }

  static JobRefusedException wentBack(PositionWentBack back) {
    return new JobRefusedException(
        back.message()
            + " Or go on with what the tables have, if the source is known to have lost nothing, by"
            + " --onEarlierPosition=continue.");
  }

  static JobFailedException nothingToInfer(List<String> topics) {
    return new JobFailedException(
        "Topics must hold an event from which keys and connector are found, but hold none: "
            + String.join(", ", topics)
            + ". Start when there is one, or give --keys and --connector.");
  }

  static IllegalArgumentException notRedriven(List<String> names) {
    return new IllegalArgumentException(
        "Dead letters must hold the records of their source to go through a job again, but those of "
            + names
            + " do not. Correct them at the source.");
  }
}
