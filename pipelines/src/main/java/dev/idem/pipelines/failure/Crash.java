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

import java.io.Serializable;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Where the JVM is to be halted, if anywhere: one point, in one batch or in the first that reaches
 * it. Travels with the pipeline, so that {@link CrashPoint#MID_WRITE} halts the worker that writes.
 *
 * @param point the point, null for never
 * @param batch the batch id, null for the first batch that reaches the point
 */
public record Crash(@Nullable CrashPoint point, @Nullable Long batch) implements Serializable {

  public static final Crash NEVER = new Crash(null, null);

  /** Parses {@code POINT[:BATCH]}. */
  public static Crash parse(String option) {
    int colon = option.indexOf(':');
    if (colon < 0) {
      return new Crash(CrashPoint.parse(option), null);
    }
    String batch = option.substring(colon + 1);
    if (!batch.matches("\\d{1,18}")) {
      throw new IllegalArgumentException(
          "Crash batch must be a batch id, but was: \"" + batch + "\". Use POINT:BATCH.");
    }
    return new Crash(CrashPoint.parse(option.substring(0, colon)), Long.parseLong(batch));
  }

  /** Halts the JVM, without shutdown hooks, if this is the moment. */
  public void reached(CrashPoint reached, long inBatch) {
    if (reached == point && (batch == null || batch == inBatch)) {
      Runtime.getRuntime().halt(CrashPoint.EXIT_CODE);
    }
  }

  /**
   * Refuses to end well before the point was reached: the test that asked for it would prove
   * nothing.
   */
  public void requireReached() {
    if (point != null) {
      throw new JobFailedException(
          "Crash point "
              + point.option()
              + (batch == null ? "" : " of batch " + batch)
              + " must be reached, but the job ended before it. Give --crashAt a batch that the job"
              + " runs.");
    }
  }
}
