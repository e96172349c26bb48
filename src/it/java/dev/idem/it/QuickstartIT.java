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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;

import dev.idem.pipelines.command.Idem;
import dev.idem.testing.Covers;
import dev.idem.testing.SparkReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The first command that a user runs: a real broker, real jobs, a real crash. */
class QuickstartIT {

  @TempDir Path root;

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  @Covers.Row(2)
  void everyFigureIsRightAsTheReadmeShowsItAndNothingIsLeft()
      throws IOException, InterruptedException {
    Path place = root.resolve("quickstart");
    Process process = start("--dir=" + place);
    List<String> lines = new ArrayList<>();
    Set<ProcessHandle> started = new HashSet<>();
    try (BufferedReader output = process.inputReader(UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(line);
        process.descendants().forEach(started::add);
      }
    }

    assertThat(String.join("\n", lines), process.waitFor(), is(0));
    assertThat(
        lines.stream()
            .map(line -> line.replace(place.toString(), "/tmp/idem-quickstart-42"))
            .map(
                line ->
                    line.replaceAll(
                        "127.0.0.1:[0-9]+, process [0-9]+", "127.0.0.1:9092, process 42"))
            .toList(),
        is(readme()));
    SparkReader spark = SparkReader.shared();
    assertThat(
        spark.count(place.resolve("orders"), "event_id"),
        is(new SparkReader.Count(20_000, 20_000)));
    assertThat(
        spark.count(place.resolve("at-least-once/events_copy"), "event_id"),
        is(new SparkReader.Count(18, 9)));
    assertThat(
        spark.count(place.resolve("exactly-once/events_copy"), "event_id"),
        is(new SparkReader.Count(9, 9)));
    assertThat(started.stream().map(ProcessHandle::pid).toList(), hasItem(broker(lines)));
    assertThat(alive(started), is(empty()));
    assertThat(names(root), is(List.of("elsewhere", "quickstart", "temporary")));
    assertThat(names(root.resolve("elsewhere")), is(empty()));
    assertThat(names(root.resolve("temporary")), is(empty()));
    assertThat(
        names(place),
        is(
            List.of(
                "at-least-once",
                "exactly-once",
                "kafka",
                "logs",
                "orders",
                "orders.schema.json",
                "orders_checkpoint",
                "orders_dead_letter",
                "orders_memory")));
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void brokerAndJobsDieWithAQuickstartThatIsTerminated() throws IOException {
    Process process = start("--dir=" + root.resolve("quickstart"), "--records=2000");
    List<String> lines = new ArrayList<>();
    Set<ProcessHandle> started = new HashSet<>();
    try (BufferedReader output = process.inputReader(UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(line);
        if (line.startsWith("2. ")) {
          process.descendants().forEach(started::add);
          // Not Process.destroy, which closes the output that is being read.
          process.toHandle().destroy();
        }
      }
    }

    assertThat(process.onExit().join().exitValue(), is(143));
    assertThat(started.stream().map(ProcessHandle::pid).toList(), is(List.of(broker(lines))));
    assertThat(alive(started), is(empty()));
  }

  @Test
  void directoryInUseIsBadUsage() throws IOException, InterruptedException {
    Files.writeString(Files.createDirectory(root.resolve("used")).resolve("mine"), "mine");

    Process process = start("--dir=" + root.resolve("used"));
    List<String> lines;
    try (BufferedReader output = process.inputReader(UTF_8)) {
      lines = output.lines().toList();
    }

    assertThat(process.waitFor(), is(2));
    assertThat(
        lines, hasItem(startsWith("idem: --dir must be absent or an empty directory, but was: ")));
    assertThat(names(root.resolve("used")), is(List.of("mine")));
  }

  /** Starts the command as the launcher does, in directories of its own that must stay empty. */
  private Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JobJvm.opened());
    command.addAll(List.of("-Xmx512m", JobJvm.archived(), JobJvm.logging()));
    command.add("-Djava.io.tmpdir=" + Files.createDirectories(root.resolve("temporary")));
    command.addAll(List.of("-cp", JobJvm.classPath()));
    command.add(Idem.class.getName());
    command.add("quickstart");
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .directory(Files.createDirectories(root.resolve("elsewhere")).toFile())
        .redirectErrorStream(true)
        .start();
  }

  /** Returns what the README says that the command prints. */
  private static List<String> readme() throws IOException {
    String readme = Files.readString(Path.of(System.getProperty("idem.root"), "README.md"));
    String begin = "```text\nIdem quickstart in ";
    int from = readme.indexOf(begin) + "```text\n".length();
    return readme.substring(from, readme.indexOf("```", from)).lines().toList();
  }

  private static long broker(List<String> lines) {
    return lines.stream()
        .map(Pattern.compile("process ([0-9]+)$")::matcher)
        .filter(Matcher::find)
        .map(found -> Long.parseLong(found.group(1)))
        .findFirst()
        .orElseThrow();
  }

  private static List<Long> alive(Set<ProcessHandle> processes) {
    return processes.stream().filter(ProcessHandle::isAlive).map(ProcessHandle::pid).toList();
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }
}
