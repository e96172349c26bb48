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
package dev.idem.it;

import dev.idem.pipelines.command.Idem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Mains in processes of their own, for what ends a JVM. */
final class Forked {

  private static final long LIMIT_SECONDS = 120;

  private Forked() {}

  static Outcome idem(List<String> arguments) {
    return main(Idem.class.getName(), arguments);
  }

  static Outcome main(String main, List<String> arguments) {
    return main(main, arguments, Map.of());
  }

  /** Runs a main class with more environment variables than this JVM has. */
  static Outcome main(String main, List<String> arguments, Map<String, String> environment) {
    try {
      Path out = Files.createTempFile("idem-out-", ".txt");
      Path err = Files.createTempFile("idem-err-", ".txt");
      ProcessBuilder builder =
          new ProcessBuilder(JobJvm.command(main, arguments))
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      builder.environment().putAll(environment);
      Process process = builder.start();
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      Outcome outcome =
          new Outcome(process.waitFor(), Files.readString(out), Files.readString(err));
      Files.delete(out);
      Files.delete(err);
      return outcome;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while a job ran.", e);
    }
  }
}
