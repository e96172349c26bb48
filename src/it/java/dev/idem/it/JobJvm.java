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
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How tests start a job in a JVM of its own: with the class path of this one, and with an archive
 * of loaded classes, without which half of a short life goes into loading them.
 */
final class JobJvm {

  private JobJvm() {}

  /** Returns the command that runs a main class. */
  static List<String> command(String main, List<String> arguments) {
    return command(archived(), classPath(), main, arguments);
  }

  private static List<String> command(
      String option, String classPath, String main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(opened());
    // Most of a short life is spent starting, so the second compiler would cost more than it gives.
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", option));
    command.add(logging());
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(arguments);
    return command;
  }

  /** Returns the options that open packages of Java, as the launcher gives them. */
  static List<String> opened() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("--add-opens"))
        .toList();
  }

  /** Returns the option that logs as the launcher does. */
  static String logging() {
    return "-Dlog4j2.configurationFile="
        + WorkTreeCopy.root().resolve("pipelines/bin/log4j2.properties");
  }

  /** Returns the option that takes classes from the archive; a JVM that cannot loads them. */
  static String archived() {
    return "-XX:SharedArchiveFile=" + Archive.FILE;
  }

  /** Returns the class path of this JVM; the jars, of which alone archives are made, come first. */
  static String classPath() {
    return Stream.concat(entries(false), entries(true)).collect(joined());
  }

  private static Stream<String> entries(boolean directories) {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath())
        .filter(entry -> Files.isDirectory(entry) == directories)
        .map(Path::toString);
  }

  private static Collector<CharSequence, ?, String> joined() {
    return Collectors.joining(File.pathSeparator);
  }

  /** What one small job loads on Spark, archived once a build. */
  private static final class Archive {
    private static final Path FILE = make();

    private static Path make() {
      Path target = WorkTreeCopy.root().resolve("pipelines/target");
      Path directory = target.resolve("job-classes");
      Path archive = directory.resolve(System.getProperty("idem.coverage.build") + ".jsa");
      // Two JVMs of a build want it at once.
      try (FileChannel lock =
              FileChannel.open(
                  target.resolve("job-classes.lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock held = lock.lock()) {
        if (held.isValid() && !Files.exists(archive)) {
          deleteAll(directory);
          run(Files.createDirectory(directory), archive);
        }
        return archive;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("Interrupted while classes were archived.", e);
      }
    }

    private static void deleteAll(Path directory) throws IOException {
      if (Files.exists(directory)) {
        try (Stream<Path> files = Files.walk(directory)) {
          for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
            Files.delete(file);
          }
        }
      }
    }

    private static void run(Path directory, Path archive) throws IOException, InterruptedException {
      EventJob job = EventJob.in(directory);
      job.send(0, 10);
      Path log = directory.resolve("log");
      int exit =
          new ProcessBuilder(
                  command(
                      "-XX:ArchiveClassesAtExit=" + archive,
                      entries(false).collect(joined()),
                      Idem.class.getName(),
                      job.command("--runner=SparkRunner", "--sparkMaster=local[2]")))
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start()
              .waitFor();
      if (exit != 0 || !Files.exists(archive)) {
        throw new IllegalStateException(
            "Classes must be archived, but " + exit + " came of: " + Files.readString(log));
      }
    }
  }
}
