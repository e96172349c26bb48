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
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
   * Starts a main class with the class path of this JVM.
   *
   * @param output gets standard output and standard error
   */
  static JobProcess start(Path output, Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--add-opens"))
        .forEach(command::add);
    // Most of a short life is spent starting, so the second compiler would cost more than it gives.
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-Dlog4j2.configurationFile=" + launcherLog());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    try {
      Files.createDirectories(output.getParent());
      return new JobProcess(
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start(),
          output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the launcher's log configuration, wherever in the work tree the tests are run. */
  private static Path launcherLog() {
    Path below = Path.of("").toAbsolutePath();
    for (Path root = below; root != null; root = root.getParent()) {
      Path configuration = root.resolve("pipelines/bin/log4j2.properties");
      if (Files.exists(configuration)) {
        return configuration;
      }
    }
    throw new IllegalStateException(
        "The tests must be run below the work tree, but were run in " + below + ".");
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
