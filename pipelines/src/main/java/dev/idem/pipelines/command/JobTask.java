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
package dev.idem.pipelines.command;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/*
 * A task is done by the job itself, with all its options and its --config: the command line is that
 * of the job with one option more.
 */
/** What can be done with a job beside running it: {@code idem TASK JOB --options of the job}. */
final class JobTask {

  private JobTask() {}

  /** Begins a job anew. */
  @Command(
      name = "refresh",
      mixinStandardHelpOptions = true,
      description = {
        "Runs a job from the beginning of its source again: refresh JOB --options of the job.",
        "Its tables are emptied in the first commit and filled again; batch numbers go on. Refused"
            + " if the source has lost what the job once read.",
      })
  static final class Refresh implements Runnable {
    @Parameters(paramLabel = "JOB", description = "The job, such as kafka-to-delta.")
    private String job;

    @Spec private CommandSpec command;

    @Override
    public void run() {
      throw new CommandLine.ParameterException(
          command.commandLine(), "Job to refresh must be a command, but was: \"" + job + "\".");
    }
  }

  /** Takes dead letters through a job again. */
  @Command(
      name = "redrive",
      mixinStandardHelpOptions = true,
      description = {
        "Takes dead letters through a job again: redrive JOB --reason=REASON --options of the job.",
        "Those that become rows, or duplicates, leave the dead letters; the others stay, once.",
      })
  static final class Redrive implements Runnable {
    @Parameters(paramLabel = "JOB", description = "The job, such as kafka-to-delta.")
    private String job;

    @Option(
        names = "--reason",
        required = true,
        paramLabel = "REASON",
        description = "The reason, as the dead-letter table shows it, such as \"parse error\".")
    private String reason;

    @Spec private CommandSpec command;

    @Override
    public void run() {
      throw new CommandLine.ParameterException(
          command.commandLine(),
          "Job whose dead letters of reason \""
              + reason
              + "\" are taken must be a command, but was: \""
              + job
              + "\".");
    }
  }

  /** Returns the command line of the job for one of a task; others stay as they are. */
  static String[] resolve(String... line) {
    if (line.length < 2 || !JOBS.contains(line[1])) {
      return line;
    }
    List<String> job = new ArrayList<>(Arrays.asList(line).subList(1, line.length));
    switch (line[0]) {
      case "refresh" -> job.add("--refresh");
      case "redrive" -> {
        // Without a reason the task itself says what is missing.
        if (job.stream().noneMatch(option -> option.startsWith(REASON))) {
          return line;
        }
        job.replaceAll(
            option ->
                option.startsWith(REASON)
                    ? "--redrive=" + option.substring(REASON.length())
                    : option);
      }
      default -> {
        return line;
      }
    }
    return job.toArray(String[]::new);
  }

  private static final String REASON = "--reason=";

  private static final List<String> JOBS = List.of("kafka-to-delta", "delta-to-delta");
}
