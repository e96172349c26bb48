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

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.testing.CoverageListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** The tests of one build that passed, by what they cover. */
final class Records {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Promise, then test, then the runners on which it passed. */
  private final SortedMap<String, SortedMap<String, Set<String>>> tests = new TreeMap<>();

  private final List<String> absent = new ArrayList<>();

  private Records() {}

  /**
   * Reads the records that one build left.
   *
   * @param root the root of the build
   * @param build the name of the build
   * @param suites directory of the module and name of each suite, such as {@code io/unit}
   */
  static Records read(Path root, String build, List<String> suites) throws IOException {
    Records records = new Records();
    for (String suite : suites) {
      int slash = suite.lastIndexOf('/');
      Path file =
          root.resolve(suite.substring(0, slash))
              .resolve("target/coverage")
              .resolve(CoverageListener.fileName(build, suite.substring(slash + 1)));
      if (Files.exists(file)) {
        for (String line : Files.readAllLines(file)) {
          records.add(JSON.readTree(line));
        }
      } else {
        records.absent.add(suite);
      }
    }
    return records;
  }

  private void add(JsonNode line) {
    String test = line.get("test").asText();
    // Run only in a profile: the page must be the same with and without it.
    if (test.substring(0, test.indexOf('#')).endsWith("ChaosIT")) {
      return;
    }
    for (JsonNode promise : line.get("covers")) {
      Set<String> runners =
          tests
              .computeIfAbsent(promise.asText(), name -> new TreeMap<>())
              .computeIfAbsent(test, name -> new TreeSet<>());
      String runner = line.get("runner").asText();
      if (!runner.isEmpty()) {
        runners.add(runner);
      }
    }
  }

  /** Returns the suites that did not run in this build. */
  List<String> absent() {
    return Collections.unmodifiableList(absent);
  }

  /** Returns the names of all that is covered. */
  Set<String> covered() {
    return Collections.unmodifiableSet(tests.keySet());
  }

  /** Returns the tests of a promise with the runners of each, sorted. */
  Map<String, Set<String>> tests(String promise) {
    return Collections.unmodifiableMap(tests.getOrDefault(promise, new TreeMap<>()));
  }

  /** Returns what is missing of a promise: empty if nothing is. */
  String missing(Promise promise) {
    Map<String, Set<String>> passed = tests(promise.name());
    if (passed.isEmpty()) {
      return promise.name() + ": no test";
    }
    Set<String> runners = new TreeSet<>(promise.runners());
    passed.values().forEach(runners::removeAll);
    return runners.isEmpty() ? "" : promise.name() + ": not on " + String.join(", ", runners);
  }
}
