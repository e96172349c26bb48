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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A job in a JVM of its own, which may be killed or may halt itself. What it says goes to a file.
 * Closing it kills what is left of it; it does not outlive this JVM.
 */
final class JobProcess implements AutoCloseable {

  private static final int LIMIT_SECONDS = 240;

  private final Process process;
  private final Path output;
  private final Thread hook;

  private JobProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
    this.hook = new Thread(process::destroyForcibly, "destroy-job");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts a main class.
   *
   * @param output gets standard output and standard error
   */
  static JobProcess start(Path output, Class<?> main, List<String> arguments) {
    try {
      Files.createDirectories(output.getParent());
      return new JobProcess(
          new ProcessBuilder(JobJvm.command(main.getName(), arguments))
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start(),
          output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  long pid() {
    return process.pid();
  }

  /** Waits for the end and returns the exit code; 128 and the signal's number for a killed one. */
  int exitCode() {
    try {
      if (process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        return process.exitValue();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while a job ran.", e);
    }
    throw new IllegalStateException(
        "Job must end within " + LIMIT_SECONDS + " s, but runs on and says: " + output());
  }

  /**
   * Waits until something holds that the process brings about, looking at it every millisecond.
   *
   * @return whether it holds; false if the process ended without
   */
  boolean await(BooleanSupplier condition) {
    return await(condition, 1_000_000);
  }

  /** Like {@link #await}, but looks without a pause, for moments that last some milliseconds. */
  boolean awaitClosely(BooleanSupplier condition) {
    return await(condition, 0);
  }

  private boolean await(BooleanSupplier condition, long pauseNanos) {
    long begun = System.nanoTime();
    while (!condition.getAsBoolean()) {
      boolean ended;
      try {
        ended =
            pauseNanos == 0
                ? !process.isAlive()
                : process.waitFor(pauseNanos, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("Interrupted while a job ran.", e);
      }
      if (ended) {
        return condition.getAsBoolean();
      }
      if (System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
        throw new IllegalStateException(
            "Job must get there within " + LIMIT_SECONDS + " s, but says: " + output());
      }
    }
    return true;
  }

  /** Sends SIGKILL. */
  void kill() {
    process.destroyForcibly();
  }

  /** Sends SIGTERM. */
  void terminate() {
    process.destroy();
  }

  /** Returns what the job has said so far. */
  String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
    Runtime.getRuntime().removeShutdownHook(hook);
  }
}
