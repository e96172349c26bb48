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

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Writes {@code src/site/markdown/coverage.md} from the records of this build's tests, and fails if
 * a required promise is not covered.
 *
 * <p>A build of some modules only, or of chosen tests, proves nothing about the rest: then the page
 * stays as it is and nothing is checked.
 */
public final class WriteCoverage {

  private WriteCoverage() {}

  /**
   * Runs the check.
   *
   * @param args the root of the build, the name of the build, and the filters of tests that were
   *     given by the user; a filter that was not given is null or empty
   */
  public static void main(String[] args) throws IOException {
    for (String filter : Arrays.asList(args).subList(2, args.length)) {
      if (filter != null && !filter.isEmpty()) {
        System.out.println("Coverage: only chosen tests ran (" + filter + "); nothing checked.");
        return;
      }
    }
    Path root = Path.of(args[0]);
    Records records = Records.read(root, args[1], lines("suites"));
    if (!records.absent().isEmpty()) {
      System.out.println(
          "Coverage: not all suites ran (" + join(records.absent()) + "); nothing checked.");
      return;
    }
    check(
        Promise.parse(lines("required")),
        Promise.parse(lines("planned")),
        records,
        root.resolve("src/site/markdown/coverage.md"));
  }

  /** Writes the page and fails if a required promise is not covered. */
  static void check(List<Promise> required, List<Promise> planned, Records records, Path page)
      throws IOException {
    List<Promise> all = new ArrayList<>(required);
    all.addAll(planned);
    Set<String> unknown = new TreeSet<>(records.covered());
    all.forEach(promise -> unknown.remove(promise.name()));
    if (!unknown.isEmpty()) {
      throw new IllegalStateException(
          "Covered names must be listed in src/it/coverage, but was: "
              + join(unknown)
              + ". Add them to its file \"planned\" or \"required\".");
    }
    String text = CoveragePage.of(all, records);
    // Written only if it differs, so that a build without changes touches nothing.
    if (!Files.exists(page) || !Files.readString(page, UTF_8).equals(text)) {
      Files.createDirectories(page.getParent());
      Files.writeString(page, text, UTF_8);
    }
    System.out.println("Coverage: planned and missing: " + join(missing(planned, records)));
    List<String> missing = missing(required, records);
    if (!missing.isEmpty()) {
      throw new IllegalStateException(
          "Every required row and case must have a test that passed, but was: "
              + join(missing)
              + ". Annotate the tests with @Covers.Row or @Covers.Case.");
    }
  }

  private static List<String> missing(List<Promise> promises, Records records) {
    return promises.stream().map(records::missing).filter(text -> !text.isEmpty()).toList();
  }

  private static String join(Collection<String> names) {
    return names.isEmpty() ? "none" : String.join("; ", names);
  }

  static List<String> lines(String resource) throws IOException {
    try (InputStream in = WriteCoverage.class.getResourceAsStream("/" + resource)) {
      return new String(in.readAllBytes(), UTF_8).lines().filter(line -> !line.isBlank()).toList();
    }
  }
}
