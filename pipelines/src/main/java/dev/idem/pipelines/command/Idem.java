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

import dev.idem.pipelines.cdctodelta.CdcToDelta;
import dev.idem.pipelines.cdctojdbc.CdcToJdbc;
import dev.idem.pipelines.deltatodelta.DeltaToDelta;
import dev.idem.pipelines.deltatojdbc.DeltaToJdbc;
import dev.idem.pipelines.deltatokafka.DeltaToKafka;
import dev.idem.pipelines.inspect.Inspect;
import dev.idem.pipelines.jdbctodelta.JdbcToDelta;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.kafkatodelta.Backfill;
import dev.idem.pipelines.kafkatodelta.KafkaToDelta;
import dev.idem.pipelines.kafkatohttp.KafkaToHttp;
import dev.idem.pipelines.kafkatojdbc.KafkaToJdbc;
import dev.idem.pipelines.maintenance.Clean;
import dev.idem.pipelines.maintenance.Optimize;
import dev.idem.pipelines.quickstart.Quickstart;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line: one subcommand a job, and those that look at what jobs left. */
@Command(
    name = "idem",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = "Effects that happen exactly once, for Apache Beam pipelines.",
    subcommands = {
      Quickstart.class,
      KafkaToDelta.class,
      CdcToDelta.class,
      JdbcToDelta.class,
      DeltaToDelta.class,
      KafkaToJdbc.class,
      KafkaToHttp.class,
      CdcToJdbc.class,
      DeltaToJdbc.class,
      DeltaToKafka.class,
      Backfill.class,
      JobTask.Refresh.class,
      JobTask.Redrive.class,
      Inspect.class,
      Optimize.class,
      Clean.class
    },
    subcommandsRepeatable = false)
public final class Idem {

  private Idem() {}

  /** Runs one command and ends the JVM with its exit code. */
  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  static int run(String... line) {
    String[] arguments = JobTask.resolve(line);
    try {
      CommandLine commandLine = new CommandLine(new Idem());
      commandLine.setCaseInsensitiveEnumValuesAllowed(true);
      ConfigFile config = ConfigFile.of(arguments);
      commandLine.setDefaultValueProvider(config.provider());
      commandLine.setExecutionExceptionHandler(
          (failure, command, parsed) -> {
            command.getErr().println("idem: " + failure.getMessage());
            return failure instanceof IllegalArgumentException ? Job.BAD_USAGE : Job.FAILED;
          });
      return commandLine.execute(config.arguments(commandLine));
    } catch (IllegalArgumentException e) {
      System.err.println("idem: " + e.getMessage());
      return Job.BAD_USAGE;
    }
  }
}
