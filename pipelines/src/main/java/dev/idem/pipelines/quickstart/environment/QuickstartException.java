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
import java.util.Optional;

/** The quickstart could not do one of its steps. */
public final class QuickstartException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient Path output;

  /**
   * Says which step.
   *
   * @param output of the process that failed, null if none did
   */
  public QuickstartException(String message, Path output, Throwable cause) {
    super(message, cause);
    this.output = output;
  }

  /** Returns the file with the output of the process that failed, empty if none did. */
  public Optional<Path> output() {
    return Optional.ofNullable(output);
  }
}
