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
package dev.idem.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * The end of a server's process and of its files: when asked, or when this JVM ends, however it
 * ends. A process of its own waits for that, on a pipe which only this JVM holds; a signal to the
 * whole group, as of a terminal, does not reach it.
 */
final class EndWithJvm implements AutoCloseable {
  private static final String WAIT_THEN_END =
      """
      trap '' HUP INT TERM
      cat > /dev/null
      kill -s "$1" "$2" 2> /dev/null
      rounds=0
      while [ $rounds -lt 200 ] && kill -0 "$2" 2> /dev/null; do
        rounds=$((rounds + 1))
        sleep 0.05
      done
      rm -rf "$3"
      """;

  private final Process waiting;

  private EndWithJvm(Process waiting) {
    this.waiting = waiting;
  }

  /** Returns the end of a process by a signal, after which its directory is deleted. */
  static EndWithJvm of(long process, String signal, Path directory) throws IOException {
    return new EndWithJvm(
        new ProcessBuilder(
                "/bin/sh",
                "-c",
                WAIT_THEN_END,
                "end-with-jvm",
                signal,
                String.valueOf(process),
                directory.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  /** Deletes a directory of which nobody has to wait for the end. */
  static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Override
  public void close() {
    try {
      waiting.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    waiting.onExit().join();
  }
}
