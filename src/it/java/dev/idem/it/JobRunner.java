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

import java.util.List;

/** The runners on which whole jobs are crashed, by the name that the command line gives them. */
enum JobRunner {
  DIRECT("DirectRunner", ""),
  SPARK("SparkRunner", "--sparkMaster=local[2]");

  private final String runner;
  private final String more;

  JobRunner(String runner, String more) {
    this.runner = runner;
    this.more = more;
  }

  /** Returns what a command line says to choose the runner. */
  List<String> options() {
    return more.isEmpty() ? List.of("--runner=" + runner) : List.of("--runner=" + runner, more);
  }

  @Override
  public String toString() {
    return runner;
  }
}
