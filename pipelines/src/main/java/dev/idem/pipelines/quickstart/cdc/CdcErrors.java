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

import dev.idem.pipelines.quickstart.environment.QuickstartException;
import java.nio.file.Path;
import java.sql.SQLException;

/** Every failure of this quickstart, in one place, so that their wording stays one. */
final class CdcErrors {

  private CdcErrors() {}

  static IllegalArgumentException noCaptureModule() {
    return new IllegalArgumentException(
        "System property %s must name the directory of src/capture, but was: null. Run"
                .formatted(CaptureJvm.MODULE)
            + " pipelines/bin/idem, which builds and names it.");
  }

  static QuickstartException database(SQLException cause) {
    return new QuickstartException(
        "PostgreSQL must carry out every statement, but failed: " + cause.getMessage() + ".",
        null,
        cause);
  }

  static IllegalStateException rows(String statement, int wanted, int found) {
    return new IllegalStateException(
        "Statement must change %d rows, but changed: %d. It was: %s"
            .formatted(wanted, found, statement));
  }

  static QuickstartException ended(String what, int code, Path output) {
    return new QuickstartException(
        "Process \"%s\" must run until it is ended, but ended with exit code %d. Read %s."
            .formatted(what, code, output),
        output,
        null);
  }

  static QuickstartException waited(String what, String wanted, Path output) {
    return new QuickstartException(
        "Process \"%s\" must %s within %d minutes, but did not. Read %s."
            .formatted(what, wanted, Waiting.PATIENCE.toMinutes(), output),
        output,
        null);
  }

  static QuickstartException noOpenBatch(String job, int starts, Path output) {
    return new QuickstartException(
        "Job \"%s\" must be killed with a batch open, but none was in %d starts. Run it again."
            .formatted(job, starts),
        output,
        null);
  }

  static RuntimeException failed(Throwable cause) {
    if (cause instanceof RuntimeException failure) {
      return failure;
    }
    return new QuickstartException(
        "Quickstart must do all its steps, but one failed: " + cause.getMessage() + ".",
        null,
        cause);
  }
}
