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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.endsWith;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WriteCoverageTest {

  private static final List<Promise> PROMISES =
      Promise.parse(
          List.of("# why", "row 2 | No gaps | DirectRunner SparkRunner", "DEV-19 | Old |"));

  @TempDir private Path root;

  @Test
  void pageListsTestsAndRunnersInTheOrderOfThePromises() throws IOException {
    record("io", "it.B#b", "SparkRunner", "DEV-19", "row 2");
    record("io", "it.A#a", "", "row 2");
    record("pipelines", "it.A#a", "DirectRunner", "row 2");

    WriteCoverage.check(PROMISES, List.of(), read(), page());

    assertThat(
        Files.readString(page()),
        endsWith(
            """
            | | What must hold | Tests | Runners |
            | --- | --- | --- | --- |
            | row 2 | No gaps | `A#a`<br/>`B#b` | DirectRunner, SparkRunner |
            | DEV-19 | Old | `B#b` | SparkRunner |
            """));
  }

  @Test
  void unchangedPageIsNotWrittenAgain() throws IOException {
    record("io", "it.A#a", "DirectRunner", "DEV-19");
    WriteCoverage.check(List.of(), PROMISES, read(), page());
    FileTime old = FileTime.fromMillis(0);
    Files.setLastModifiedTime(page(), old);

    WriteCoverage.check(List.of(), PROMISES, read(), page());

    assertThat(Files.getLastModifiedTime(page()), is(old));
  }

  @Test
  void requiredPromiseWithoutTestFailsTheBuild() throws IOException {
    record("io", "it.A#a", "SparkRunner", "row 2");

    var e =
        assertThrows(
            IllegalStateException.class,
            () -> WriteCoverage.check(PROMISES, List.of(), read(), page()));

    assertThat(e.getMessage(), containsString("row 2: not on DirectRunner; DEV-19: no test"));
  }

  @Test
  void plannedPromiseWithoutTestDoesNot() throws IOException {
    record("io", "it.A#a", "", "DEV-19");

    WriteCoverage.check(PROMISES.subList(1, 2), PROMISES.subList(0, 1), read(), page());

    assertThat(Files.readString(page()), not(containsString("row 2")));
  }

  @Test
  void coveredNameThatNoListKnowsFailsTheBuild() throws IOException {
    record("io", "it.A#a", "", "row 99");

    var e =
        assertThrows(
            IllegalStateException.class,
            () -> WriteCoverage.check(List.of(), PROMISES, read(), page()));

    assertThat(e.getMessage(), containsString("but was: row 99"));
  }

  @Test
  void testsOfTheChaosProfileAreLeftOut() throws IOException {
    record("io", "it.KillChaosIT#a", "", "DEV-19");

    assertThat(read().missing(PROMISES.get(1)), is("DEV-19: no test"));
  }

  @Test
  void suiteOfAnotherBuildIsAbsent() throws IOException {
    record("io", "it.A#a", "", "DEV-19");

    Records other = Records.read(root, "b2", List.of("io/unit"));

    assertThat(other.absent(), contains("io/unit"));
    assertThat(read().absent(), contains("pipelines/unit"));
  }

  @Test
  void buildOfChosenTestsChecksNothing() throws IOException {
    WriteCoverage.main(new String[] {root.toString(), "b1", "FooTest", null});

    assertThat(Files.exists(page()), is(false));
  }

  @Test
  void buildOfSomeModulesChecksNothing() throws IOException {
    WriteCoverage.main(new String[] {root.toString(), "b1", null, ""});

    assertThat(Files.exists(page()), is(false));
  }

  @Test
  void listsOfTheBuildAreWellFormed() throws IOException {
    List<Promise> promises = Promise.parse(WriteCoverage.lines("planned"));
    promises.addAll(Promise.parse(WriteCoverage.lines("required")));

    assertThat(promises.stream().map(Promise::name).distinct().count(), is((long) promises.size()));
  }

  @Test
  void malformedPromiseIsRefused() {
    var twice =
        assertThrows(
            IllegalArgumentException.class,
            () -> Promise.parse(List.of("row 1 | a |", "row 1 | b |")));
    var runner =
        assertThrows(
            IllegalArgumentException.class, () -> Promise.parse(List.of("row 1 | a | Spork")));

    assertThat(twice.getMessage(), containsString("row 1 | b"));
    assertThat(runner.getMessage(), containsString("\"Spork\""));
  }

  private Path page() {
    return root.resolve("src/site/markdown/coverage.md");
  }

  private Records read() throws IOException {
    return Records.read(root, "b1", List.of("io/unit", "pipelines/unit"));
  }

  private void record(String module, String test, String runner, String... covers)
      throws IOException {
    Path directory = Files.createDirectories(root.resolve(module).resolve("target/coverage"));
    String line =
        "{\"test\":\"%s\",\"displayName\":\"x\",\"runner\":\"%s\",\"covers\":[\"%s\"]}\n"
            .formatted(test, runner, String.join("\",\"", covers));
    Path file = directory.resolve("unit-b1.jsonl");
    Files.writeString(file, (Files.exists(file) ? Files.readString(file) : "") + line);
  }
}
