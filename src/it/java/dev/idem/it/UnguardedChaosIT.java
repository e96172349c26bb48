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

import static java.util.stream.Collectors.joining;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Removes what guards each guarantee, in a copy of the sources, and requires that the test which
 * the patch names fails there: a test that passes without the guard proves nothing. That the test
 * passes with the guard, the build has shown before.
 */
class UnguardedChaosIT {

  @TempDir private Path directory;

  /** What became of the named test in the patched copy. */
  private enum Outcome {
    FAILED,
    PASSED,
    PATCH_DOES_NOT_FIT,
    DID_NOT_RUN
  }

  @Test
  void everyGuaranteeHasATestThatFailsWithoutItsGuard() throws Exception {
    List<UnguardedPatch> patches = UnguardedPatch.all(WorkTreeCopy.root());
    List<String> table = new ArrayList<>();
    List<String> problems = new ArrayList<>();

    for (UnguardedPatch patch : patches) {
      Outcome outcome = run(patch, problems);
      table.add(
          Stream.of(
                  patch.name(),
                  patch.guarantee(),
                  patch.test(),
                  outcome.name().toLowerCase(Locale.ROOT))
              .collect(joining(" | ", "| ", " |")));
    }

    print(table);
    assertThat(patches, is(not(empty())));
    assertThat(problems, is(empty()));
  }

  private Outcome run(UnguardedPatch patch, List<String> problems) throws Exception {
    Path copy = Files.createDirectories(directory.resolve(patch.name()).resolve("copy"));
    WorkTreeCopy tree = WorkTreeCopy.into(copy);
    WorkTreeCopy.Result applied = tree.apply(patch.file());
    Outcome outcome;
    String log;
    if (applied.exit() != 0) {
      outcome = Outcome.PATCH_DOES_NOT_FIT;
      log = applied.output();
    } else {
      log = tree.maven(arguments(patch)).output();
      outcome = outcome(copy.resolve(patch.module()), patch);
    }
    if (outcome != Outcome.FAILED) {
      problems.add(patch.name() + ": " + patch.test() + " " + outcome + "\n" + tail(log));
    }
    return outcome;
  }

  private static List<String> arguments(UnguardedPatch patch) {
    List<String> arguments = new ArrayList<>();
    String test = patch.type() + "#" + patch.method();
    if (patch.isIntegrationTest()) {
      arguments.add("verify");
      arguments.add("-Dit.test=" + test);
      arguments.add("-Dtest=NoUnitTest");
      arguments.add("-Pchaos");
    } else {
      arguments.add("test");
      arguments.add("-Dtest=" + test);
    }
    arguments.addAll(
        List.of(
            "-pl",
            patch.module(),
            "-am",
            "-Dsurefire.failIfNoSpecifiedTests=false",
            "-Dspotless.check.skip=true",
            "-Dcheckstyle.skip=true",
            "-Dmaven.javadoc.skip=true",
            "-Dmaven.source.skip=true"));
    return arguments;
  }

  /** Only the report tells a failed test from code that does not compile. */
  private static Outcome outcome(Path module, UnguardedPatch patch) throws Exception {
    Path reports =
        module.resolve(
            patch.isIntegrationTest() ? "target/failsafe-reports" : "target/surefire-reports");
    if (!Files.isDirectory(reports)) {
      return Outcome.DID_NOT_RUN;
    }
    Outcome outcome = Outcome.DID_NOT_RUN;
    try (Stream<Path> files = Files.list(reports)) {
      for (Path file :
          files.filter(path -> path.toString().endsWith("." + patch.type() + ".xml")).toList()) {
        NodeList cases =
            DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(file.toFile())
                .getElementsByTagName("testcase");
        for (int i = 0; i < cases.getLength(); i++) {
          Element test = (Element) cases.item(i);
          // Invocations of a parameterised test have the parameters behind the method's name.
          if (test.getAttribute("name").split("[^A-Za-z0-9]", 2)[0].equals(patch.method())) {
            boolean failed =
                test.getElementsByTagName("failure").getLength() > 0
                    || test.getElementsByTagName("error").getLength() > 0;
            outcome = failed || outcome == Outcome.FAILED ? Outcome.FAILED : Outcome.PASSED;
          }
        }
      }
    }
    return outcome;
  }

  private static void print(List<String> rows) throws IOException {
    List<String> table = new ArrayList<>();
    table.add("| Patch | Guarantee | Test | With the patch |");
    table.add("| --- | --- | --- | --- |");
    table.addAll(rows);
    table.forEach(System.out::println);
    Files.write(
        Files.createDirectories(WorkTreeCopy.root().resolve("pipelines/target"))
            .resolve("unguarded.md"),
        table);
  }

  private static String tail(String log) {
    List<String> lines = log.lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
  }
}
