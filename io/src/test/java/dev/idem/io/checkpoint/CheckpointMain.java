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
package dev.idem.io.checkpoint;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/**
 * A job in a JVM of its own: opens a checkpoint at each line it reads, says whether it got it, and
 * keeps it until the next line.
 */
final class CheckpointMain implements AutoCloseable {

  private final Process process;
  private final BufferedReader answers;
  private final PrintStream commands;

  private CheckpointMain(Process process) {
    this.process = process;
    this.answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
  }

  /** Starts the JVM. */
  static CheckpointMain start(Path location) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                java,
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                CheckpointMain.class.getName(),
                location.toString()));
    File log = location.resolveSibling("job.log").toFile();
    CheckpointMain job =
        new CheckpointMain(builder.redirectError(ProcessBuilder.Redirect.appendTo(log)).start());
    job.answer();
    return job;
  }

  /** Tells the job to release what it holds and to open the checkpoint. */
  void open() {
    commands.println("open");
  }

  /** Tells the job to die without releasing what it holds, as its own kind of lease does. */
  void abandon() {
    commands.println("abandon");
  }

  /** Returns the next line that the job says. */
  String answer() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("Job must answer, but was: ended.");
    }
    return line;
  }

  long pid() {
    return process.pid();
  }

  /** Kills the job and waits for its end. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    kill();
  }

  public static void main(String[] arguments) throws IOException {
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    System.out.println("ready");
    Checkpoint held = null;
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      if (held != null) {
        if (line.equals("abandon")) {
          held.lease().abandon();
        } else {
          held.close();
        }
        held = null;
      }
      if (line.equals("abandon")) {
        System.out.println("abandoned");
        continue;
      }
      try {
        held = Checkpoint.open(arguments[0], Batches.APPLICATION, Clock.systemUTC());
        System.out.println("won " + held.lease().generation() + " " + held.lease().owner().run());
      } catch (LeaseHeldException e) {
        System.out.println("refused by " + e.holder().pid() + " " + e.holder().run());
      }
    }
  }
}
