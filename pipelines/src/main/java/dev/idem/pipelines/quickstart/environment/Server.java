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

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A process that says when it is ready.
 *
 * @param said what it says then, such as its address
 */
public record Server(Process process, String said) {

  /**
   * Starts a process and returns once it is ready.
   *
   * @param ready what the line begins with by which it says so
   */
  public static Server start(Children children, String name, String ready, Jvm jvm)
      throws IOException {
    Process process = children.start(name, Redirect.PIPE, jvm);
    CompletableFuture<String> said = new CompletableFuture<>();
    Thread reader = new Thread(() -> read(process, ready, said), "quickstart-" + name);
    reader.setDaemon(true);
    reader.start();
    Path log = children.log(name);
    try {
      return new Server(process, said.get());
    } catch (ExecutionException e) {
      throw QuickstartErrors.notReady(name, log);
    } catch (InterruptedException e) {
      throw QuickstartErrors.interrupted(e);
    }
  }

  /** Reads on to the end, so that the process never waits for a reader. */
  private static void read(Process process, String ready, CompletableFuture<String> said) {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(ready)) {
          said.complete(line.substring(ready.length()));
        }
      }
      said.completeExceptionally(new IOException("Output ended."));
    } catch (IOException e) {
      said.completeExceptionally(e);
    }
  }
}
