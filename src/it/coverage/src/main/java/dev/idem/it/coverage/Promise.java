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
package dev.idem.it.coverage;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A row of the checklist or a field case that tests must cover.
 *
 * @param name as a test names it: {@code row 23} or {@code DEV-19}
 * @param says what it promises, in a few words
 * @param runners the runners on which a test must have passed; empty if it does not matter
 */
record Promise(String name, String says, Set<String> runners) {

  private static final Set<String> RUNNERS = Set.of("DirectRunner", "SparkRunner");

  /** Reads lines {@code name | what it says | runners}; lines that start with # say why. */
  static List<Promise> parse(List<String> lines) {
    List<Promise> promises = new ArrayList<>();
    Set<String> names = new TreeSet<>();
    for (String line : lines) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] parts = line.split("\\|", -1);
      if (parts.length != 3 || parts[1].isBlank() || !names.add(parts[0].strip())) {
        throw new IllegalArgumentException(
            "Promise must be \"name | what it says | runners\" with a name of its own, but was: \""
                + line
                + "\".");
      }
      Set<String> runners = new TreeSet<>();
      for (String runner : parts[2].strip().split(" +", -1)) {
        if (!runner.isEmpty() && !RUNNERS.contains(runner)) {
          throw new IllegalArgumentException(
              "Runner must be one of " + RUNNERS + ", but was: \"" + runner + "\".");
        } else if (!runner.isEmpty()) {
          runners.add(runner);
        }
      }
      promises.add(new Promise(parts[0].strip(), parts[1].strip(), runners));
    }
    return promises;
  }
}
