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
package dev.idem.io.delta.maintenance;

import java.time.Duration;

/**
 * Which files {@link TableMaintenance#clean} deletes.
 *
 * @param olderThan a file that was changed within this time stays
 * @param dryRun whether to tell only, and to delete nothing
 */
public record CleanSpec(Duration olderThan, boolean dryRun) {

  /** Staged files that a batch has not committed yet are younger than that. */
  private static final Duration LEAST_AGE = Duration.ofDays(1);

  /** Refuses an age under a day. */
  public CleanSpec {
    if (olderThan.compareTo(LEAST_AGE) < 0) {
      throw new IllegalArgumentException(
          "Age of files to delete must be at least a day, but was: "
              + olderThan
              + ". Give a time that is longer than any batch takes.");
    }
  }

  /** Returns the specification that deletes files that are older; at least a day. */
  public static CleanSpec olderThan(Duration age) {
    return new CleanSpec(age, false);
  }

  /** Only tells what would be deleted. */
  public CleanSpec dryRunOnly() {
    return new CleanSpec(olderThan, true);
  }
}
