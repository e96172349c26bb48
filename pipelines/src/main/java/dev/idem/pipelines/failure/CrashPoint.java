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
package dev.idem.pipelines.failure;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The moments of a batch at which {@code --crashAt} halts the JVM, in the order in which a batch
 * passes them. A test aid: it lets a test, or a user who wants to see it, stop a job as a power cut
 * would.
 */
public enum CrashPoint {
  /** The batch is planned, nothing is written. */
  BEFORE_OFFSETS,
  /** The plan is written. */
  AFTER_OFFSETS,
  /** A worker has begun to write a data file. */
  MID_WRITE,
  /** All files are written and their list is published. */
  AFTER_WRITE,
  /** Before the first commit of any target. */
  BEFORE_TARGET_COMMIT,
  /** Workers have written to a target outside, which does not remember the batch yet. */
  AFTER_TARGET_WRITE,
  /** After the last target's commit. */
  AFTER_TARGET_COMMIT,
  /** After the first target's commit and before the last one's. */
  BETWEEN_TARGETS,
  /** Before the batch is entered as done. */
  BEFORE_COMMITS,
  /** After the batch is entered as done. */
  AFTER_COMMITS;

  /** The exit code of a JVM that was halted at a crash point. */
  public static final int EXIT_CODE = 86;

  /** Returns the point's name on the command line. */
  public String option() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static CrashPoint parse(String option) {
    return Arrays.stream(values())
        .filter(point -> point.option().equals(option))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Crash point must be one of "
                        + Arrays.stream(values())
                            .map(CrashPoint::option)
                            .collect(Collectors.joining(", "))
                        + ", but was: \""
                        + option
                        + "\"."));
  }
}
