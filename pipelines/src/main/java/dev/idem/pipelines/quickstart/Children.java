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
package dev.idem.pipelines.quickstart;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The processes of the quickstart: JVMs with this one's class path and options, which write in its
 * directory only. None outlives this JVM, however it ends, unless it is killed; then the broker
 * ends by itself, and so does a job without it.
 */
final class Children implements AutoCloseable {

  private final Directory directory;
  private final Set<Process> running = ConcurrentHashMap.newKeySet();
  private final Thread hook = new Thread(this::killAll, "quickstart-children");
  private boolean ended;

  Children(Directory directory) {
    this.directory = directory;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts a JVM; its standard input ends with this process.
   *
   * @param output takes the standard output; the errors go to the log of that name
   */
  Process start(
      String name, Redirect output, List<String> moreOptions, String mainClass, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Debuggers and agents of this JVM listen on ports and write files of their own.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> !option.startsWith("-agentlib:") && !option.startsWith("-javaagent:"))
        .forEach(command::add);
    // They live for seconds: what a better compiler takes, they never get back.
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(moreOptions);
    command.add("-Djava.io.tmpdir=" + directory.temporary());
    command.add("-cp");
    command.add(absoluteClassPath());
    command.add(mainClass);
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.root().toFile())
            .redirectOutput(output)
            .redirectError(Redirect.appendTo(directory.log(name).toFile()));
    synchronized (running) {
      if (ended) {
        throw new IllegalStateException("Quickstart must not start a process while it ends.");
      }
      Process process = builder.start();
      running.add(process);
      return process;
    }
  }

  /** Runs a JVM to its end, and refuses another exit code. */
  void run(String name, int exitCode, String mainClass, List<String> arguments) throws IOException {
    Path log = directory.log(name);
    Process process =
        start(
            name,
            Redirect.appendTo(log.toFile()),
            List.of(),
            mainClass,
            arguments.toArray(String[]::new));
    try {
      int code = process.waitFor();
      running.remove(process);
      if (code != exitCode) {
        throw QuickstartErrors.exitCode(name, exitCode, code, log);
      }
    } catch (InterruptedException e) {
      throw QuickstartErrors.interrupted(e);
    }
  }

  private static String absoluteClassPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private void killAll() {
    synchronized (running) {
      ended = true;
      running.forEach(Process::destroyForcibly);
    }
    // Joined, so that nothing writes any more once this process has ended.
    running.forEach(process -> process.onExit().join());
  }

  @Override
  public void close() {
    killAll();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending: the hook runs, and finds nothing left to kill.
      ended = true;
    }
  }
}
