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
package dev.idem.pipelines.quickstart.cdc;

import dev.idem.pipelines.quickstart.environment.QuickstartErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits until something is so that a process brings about. */
final class Waiting {

  /** After so long something is wrong. */
  static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final Duration PAUSE = Duration.ofMillis(20);

  /** What is waited for. */
  @FunctionalInterface
  interface Condition {
    boolean holds() throws IOException, SQLException;
  }

  private Waiting() {}

  /**
   * Returns once a condition holds.
   *
   * @param what the process, by whose end the waiting ends in a failure
   * @param wanted what it must do
   */
  static void until(Condition condition, Process process, String what, String wanted, Path output)
      throws IOException, SQLException {
    long pauses = PATIENCE.dividedBy(PAUSE);
    while (!condition.holds()) {
      if (ends(process, PAUSE)) {
        throw CdcErrors.ended(what, process.exitValue(), output);
      }
      if (--pauses == 0) {
        throw CdcErrors.waited(what, wanted, output);
      }
    }
  }

  /** Lets a process run on for a while, and returns whether it has ended. */
  static boolean ends(Process process, Duration within) {
    try {
      return process.waitFor(within.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw QuickstartErrors.interrupted(e);
    }
  }
}
