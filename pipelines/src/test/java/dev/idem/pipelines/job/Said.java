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

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** What a run of a job said. */
record Said(int exit, List<String> out, String err) {

  /** Runs a job with further options. */
  static Said by(Job job, Path checkpoint, String... more) {
    return by(job, checkpoint, List.of(), List.of(more));
  }

  /** Runs a job with options of Beam's and further ones of its own. */
  static Said by(Job job, Path checkpoint, List<String> beam, List<String> more) {
    JobOptions options = new JobOptions();
    String[] arguments =
        Stream.concat(Stream.of("--checkpoint=" + checkpoint), more.stream())
            .toArray(String[]::new);
    new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit =
        job.run(
            options,
            beam,
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));
    return new Said(
        exit,
        out.toString(StandardCharsets.UTF_8).lines().toList(),
        err.toString(StandardCharsets.UTF_8));
  }
}
