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
import static org.hamcrest.Matchers.hasItems;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;

import dev.idem.pipelines.command.Idem;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A quickstart, started as the launcher does, in directories of its own that must stay empty, and
 * read to its end.
 *
 * @param lines what it said
 * @param started the processes that it had at any time
 */
record QuickstartProcess(int exitCode, List<String> lines, Set<ProcessHandle> started) {

  private static final Pattern PROCESS = Pattern.compile("process ([0-9]+)");

  /** What is done when a line is said. */
  @FunctionalInterface
  interface Listener {
    void said(String line, Process process) throws IOException;
  }

  static QuickstartProcess run(Path root, List<String> arguments) throws IOException {
    return run(root, arguments, (line, process) -> {});
  }

  static QuickstartProcess run(Path root, List<String> arguments, Listener listener)
      throws IOException {
    Process process = start(root, arguments);
    List<String> lines = new ArrayList<>();
    Set<ProcessHandle> started = new HashSet<>();
    try (BufferedReader output = process.inputReader(UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(line);
        process.descendants().forEach(started::add);
        listener.said(line, process);
      }
    }
    return new QuickstartProcess(process.onExit().join().exitValue(), lines, started);
  }

  private static Process start(Path root, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JobJvm.opened());
    command.addAll(List.of("-Xmx512m", JobJvm.archived(), JobJvm.logging()));
    command.add("-Didem.capture=" + System.getProperty("idem.capture"));
    command.add("-Djava.io.tmpdir=" + Files.createDirectories(root.resolve("temporary")));
    command.addAll(List.of("-cp", JobJvm.classPath()));
    command.add(Idem.class.getName());
    command.add("quickstart");
    command.addAll(arguments);
    return new ProcessBuilder(command)
        .directory(Files.createDirectories(root.resolve("elsewhere")).toFile())
        .redirectErrorStream(true)
        .start();
  }

  /** Returns the output as one text. */
  String output() {
    return String.join("\n", lines);
  }

  /** Returns what terminates it when it says a line that begins so. */
  static Listener terminatedAt(String begin) {
    return (line, process) -> {
      if (line.startsWith(begin)) {
        // Not Process.destroy, which closes the output that is being read.
        process.toHandle().destroy();
      }
    };
  }

  /** Asserts that none of its processes is alive: so many that it named, and all others. */
  void assertNothingIsLeft(int processes) {
    List<Long> named =
        lines.stream()
            .flatMap(line -> PROCESS.matcher(line).results())
            .map(found -> Long.parseLong(found.group(1)))
            .toList();
    assertThat(output(), named, hasSize(processes));
    assertThat(
        started.stream().map(ProcessHandle::pid).toList(), hasItems(named.toArray(Long[]::new)));
    assertThat(
        started.stream().filter(ProcessHandle::isAlive).map(ProcessHandle::pid).toList(),
        is(empty()));
  }

  /** Returns the names in a directory, sorted. */
  static List<String> names(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }

  /** Returns what the README shows of a quickstart, by the beginning of its first line. */
  static List<String> readme(String begin) throws IOException {
    String readme = Files.readString(WorkTreeCopy.root().resolve("README.md"));
    String fence = "```text\n";
    int from = readme.indexOf(fence + begin) + fence.length();
    return readme.substring(from, readme.indexOf("```", from)).lines().toList();
  }
}
