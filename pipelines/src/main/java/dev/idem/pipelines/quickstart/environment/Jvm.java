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

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A JVM to start.
 *
 * @param options of the JVM
 * @param tidiesUp whether it has to stop what it started, once its standard input ends; others may
 *     be killed
 */
public record Jvm(
    String classPath,
    List<String> options,
    String mainClass,
    List<String> arguments,
    boolean tidiesUp) {

  /** Keeps copies of the lists. */
  public Jvm {
    options = List.copyOf(options);
    arguments = List.copyOf(arguments);
  }

  /** Returns one with the class path and the options of this JVM. */
  public static Jvm likeThis(String mainClass, List<String> arguments) {
    // Debuggers and agents of this JVM listen on ports and write files of their own.
    List<String> options =
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> !option.startsWith("-agentlib:") && !option.startsWith("-javaagent:"))
            .toList();
    String classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(entry -> Path.of(entry).toAbsolutePath().toString())
            .collect(Collectors.joining(File.pathSeparator));
    return new Jvm(classPath, options, mainClass, arguments, false);
  }

  /** Returns one with a class path of its own. */
  public static Jvm withClassPath(String classPath, String mainClass, List<String> arguments) {
    return new Jvm(classPath, List.of(), mainClass, arguments, false);
  }

  /** Returns this one with one more option. */
  public Jvm with(String option) {
    List<String> more = new ArrayList<>(options);
    more.add(option);
    return new Jvm(classPath, more, mainClass, arguments, tidiesUp);
  }

  /** Returns this one, to be ended by the end of its standard input alone. */
  public Jvm thatTidiesUp() {
    return new Jvm(classPath, options, mainClass, arguments, true);
  }

  List<String> command(Path temporary) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    // They live for seconds: what a better compiler takes, they never get back.
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-Djava.io.tmpdir=" + temporary);
    command.addAll(List.of("-cp", classPath, mainClass));
    command.addAll(arguments);
    return command;
  }
}
