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
package dev.idem.pipelines.job;

import dev.idem.it.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import picocli.CommandLine;

/** Runs a job in this JVM, by a clock of the test's. */
public final class JobInProcess {

  private JobInProcess() {}

  /** Runs a job by the system's clock and takes what it says. */
  public static Outcome run(Job job, String... arguments) {
    return run(job, "default", Clock.systemUTC(), arguments);
  }

  /**
   * Runs a job and takes what it says.
   *
   * @param applicationId names the job to its targets, unless the arguments do
   */
  public static Outcome run(Job job, String applicationId, Clock clock, String... arguments) {
    JobOptions options = new JobOptions();
    List<String> beam =
        new CommandLine(options)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setUnmatchedArgumentsAllowed(true)
            .parseArgs(arguments)
            .unmatched();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit =
        job.run(
            options.settings(applicationId, true, clock),
            beam,
            new Progress(new PrintStream(out, true, StandardCharsets.UTF_8)),
            new PrintStream(err, true, StandardCharsets.UTF_8));
    return new Outcome(
        exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
