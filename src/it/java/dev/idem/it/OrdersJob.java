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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.idem.pipelines.command.Idem;
import dev.idem.pipelines.kafkatodelta.KafkaToDelta;
import dev.idem.testing.KafkaBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * The job under test: {@code kafka-to-delta} on order events, with its table and its checkpoint in
 * a directory of its own. Starts it in a JVM of its own, or runs it in this one, which is faster
 * but cannot crash.
 */
final class OrdersJob {

  static final String APPLICATION = "orders-test";

  private final Path directory;
  private final String name;
  private final Path table;
  private final List<String> options;

  private OrdersJob(Path directory, String name, Path table, List<String> options) {
    this.directory = directory;
    this.name = name;
    this.table = table;
    this.options = List.copyOf(options);
  }

  /** Returns a job that deduplicates a topic by event id. */
  static OrdersJob of(Path directory, KafkaBroker broker, String topic, JobRunner runner) {
    return of(directory, broker, topic, runner, APPLICATION).with("--keys=event_id");
  }

  /** Returns a job of a given application, which does not deduplicate. */
  static OrdersJob of(
      Path directory, KafkaBroker broker, String topic, JobRunner runner, String application) {
    List<String> options = new ArrayList<>();
    options.add("--bootstrapServers=" + broker.bootstrapServers());
    options.add("--topics=" + topic);
    options.add("--eventTime=event_ts");
    options.add("--applicationId=" + application);
    options.addAll(runner.options());
    return new OrdersJob(directory, application, directory.resolve("table"), options);
  }

  /** Returns this job with further options. */
  OrdersJob with(String... more) {
    return new OrdersJob(
        directory, name, table, Stream.concat(options.stream(), Stream.of(more)).toList());
  }

  /** Starts the job in a JVM of its own. */
  JobProcess start(String... more) {
    List<String> arguments = new ArrayList<>(List.of("kafka-to-delta"));
    arguments.addAll(arguments(more));
    return JobProcess.start(output(), Idem.class, arguments);
  }

  /** Returns a new file for what a process says. */
  Path output() {
    return directory.resolve("output").resolve(name + "-" + System.nanoTime());
  }

  /** Runs the job to its end in a JVM of its own, which must end with the given exit code. */
  String runsTo(int exitCode, String... more) {
    try (JobProcess process = start(more)) {
      int code = process.exitCode();
      assertThat(process.output(), code, is(exitCode));
      return process.output();
    }
  }

  /** Runs the job to its end in this JVM, which must give the given exit code. */
  void runsHereTo(int exitCode, String... more) {
    int code =
        new CommandLine(new KafkaToDelta())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .execute(arguments(more).toArray(String[]::new));
    assertThat(code, is(exitCode));
  }

  /** Returns what a command line says to run this job, but for the command. */
  List<String> arguments(String... more) {
    List<String> arguments = new ArrayList<>(options);
    arguments.add("--table=" + table);
    arguments.add("--checkpoint=" + checkpoint());
    arguments.addAll(List.of(more));
    return arguments;
  }

  Path checkpoint() {
    return directory.resolve(name + "-checkpoint");
  }

  /** Returns what the job has left on the disk. */
  JobState state() {
    return new JobState(name, checkpoint(), table);
  }
}
