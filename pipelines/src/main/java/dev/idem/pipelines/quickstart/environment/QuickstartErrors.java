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
package dev.idem.pipelines.quickstart.environment;

import java.nio.file.Path;

/** Every failure of a quickstart, in one place, so that their wording stays one. */
public final class QuickstartErrors {

  private QuickstartErrors() {}

  static IllegalArgumentException directoryInUse(Path directory) {
    return new IllegalArgumentException(
        "--dir must be absent or an empty directory, but was: \""
            + directory
            + "\". Name another one, or leave it out for a new one.");
  }

  /** A number that is too small or too great. */
  public static IllegalArgumentException outOfRange(
      String option, long given, long least, long most) {
    return new IllegalArgumentException(
        option + " must be from " + least + " to " + most + ", but was: " + given + ".");
  }

  static QuickstartException exitCode(String what, int wanted, int code, Path output) {
    return new QuickstartException(
        "Process \"%s\" must end with exit code %d, but was: %d. Read %s."
            .formatted(what, wanted, code, output),
        output,
        null);
  }

  static QuickstartException notReady(String what, Path output) {
    return new QuickstartException(
        "Process \"%s\" must become ready, but ended before. Read %s.".formatted(what, output),
        output,
        null);
  }

  static QuickstartException kafka(String what, Throwable cause) {
    return new QuickstartException(
        "Kafka broker must " + what + ", but failed: " + cause.getMessage() + ".", null, cause);
  }

  /** A wait was interrupted. */
  public static QuickstartException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    return new QuickstartException(
        "Quickstart must run to its end, but was interrupted.", null, cause);
  }
}
