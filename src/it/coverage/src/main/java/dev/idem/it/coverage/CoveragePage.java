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

import static java.util.stream.Collectors.joining;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The page that lists each promise with the tests that cover it; the same for the same tests. */
final class CoveragePage {

  private CoveragePage() {}

  static String of(List<Promise> promises, Records records) {
    StringBuilder page =
        new StringBuilder(
            """
            # Coverage

            Written by `mvn verify` from the tests that ran and passed; do not edit. A row is one of the
            checklist of what other systems promise or get wrong, a DEV case one of public bug reports.
            Long tests of the profile `chaos` are not listed.

            | | What must hold | Tests | Runners |
            | --- | --- | --- | --- |
            """);
    for (Promise promise : promises) {
      Map<String, Set<String>> tests = records.tests(promise.name());
      if (!tests.isEmpty()) {
        Set<String> runners = new TreeSet<>();
        tests.values().forEach(runners::addAll);
        String names =
            tests.keySet().stream().map(CoveragePage::shortName).collect(joining("<br/>"));
        page.append("| ").append(promise.name());
        page.append(" | ").append(promise.says());
        page.append(" | ").append(names);
        page.append(" | ").append(String.join(", ", runners)).append(" |\n");
      }
    }
    return page.toString();
  }

  private static String shortName(String test) {
    String type = test.substring(0, test.indexOf('#'));
    return "`" + type.substring(type.lastIndexOf('.') + 1) + test.substring(type.length()) + "`";
  }
}
