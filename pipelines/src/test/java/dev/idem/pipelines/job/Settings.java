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

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/** Settings of a job as its options give them. */
final class Settings {

  private Settings() {}

  static JobSettings of(Clock clock, String... options) {
    return at("/unused", clock, options);
  }

  static JobSettings at(String checkpoint, Clock clock, String... options) {
    List<String> arguments = new ArrayList<>(List.of("--checkpoint=" + checkpoint));
    arguments.addAll(List.of(options));
    JobOptions parsed = new JobOptions();
    new CommandLine(parsed)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(arguments.toArray(String[]::new));
    return parsed.settings("app", false, clock);
  }
}
