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
package dev.idem.pipelines.targets;

import dev.idem.pipelines.failure.JobRefusedException;
import java.util.List;
import java.util.Set;
import org.apache.beam.sdk.schemas.Schema.FieldType;

/** Every refusal and failure of a target, in one place, so that their wording stays one. */
final class TargetErrors {

  private TargetErrors() {}

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

  static JobRefusedException notEmptied(String target) {
    return new JobRefusedException(
        "Target \""
            + target
            + "\" must be a Delta table for a refresh, because the batch that begins anew empties"
            + " its targets. Begin with a new table, a new checkpoint and a new application id.");
  }

  static JobRefusedException mergedInto(String table) {
    return new JobRefusedException(
        "Table \""
            + table
            + "\" must be appended to for a refresh, but changes are merged into it. Begin with a"
            + " new table, a new checkpoint and a new application id.");
  }

  /** Of a target whose place is told, such as {@code topic "orders"}. */
  static IllegalArgumentException noKeyColumns(String place) {
    return new IllegalArgumentException(
        "Records of "
            + place
            + " must have a key, but no column was given. Name those that identify a row.");
  }

  static IllegalArgumentException keyColumnTwice(String place, String column) {
    return new IllegalArgumentException(
        "Key column of " + place + " must be named once, but was given again: \"" + column + "\".");
  }

  static IllegalArgumentException noField(
      String place, String thing, String field, List<String> fields) {
    return new IllegalArgumentException(
        thing
            + " of "
            + place
            + " must be a field of the rows, but was: \""
            + field
            + "\". Give one of "
            + fields
            + ".");
  }

  static IllegalArgumentException noOrder(String place, String column, FieldType type) {
    return new IllegalArgumentException(
        "Sequence column of "
            + place
            + " must be a whole number, an instant or text, but was: \""
            + column
            + "\" of type "
            + type.getTypeName()
            + ". Name another one.");
  }

  static IllegalArgumentException mergedAtLeastOnce(String table) {
    return new IllegalArgumentException(
        "Table \""
            + table
            + "\" must be written with batch ids if changes are merged into it, but was:"
            + " writeAtLeastOnce. A merge that is repeated changes nothing; leave it out.");
  }
}
