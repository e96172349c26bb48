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
package dev.idem.testing;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherFactory;

class CoverageListenerTest {

  @TempDir private Path directory;

  @Test
  void testsThatPassedAreRecordedWithTheirRunner() throws IOException {
    run(Samples.class);

    assertThat(
        records(),
        containsInAnyOrder(
            line("coversTwo()", "", "coversTwo", "\"row 2\",\"DEV-19\""),
            line("[1] runner=DIRECT", "DirectRunner", "onRunner", "\"row 3\""),
            line("[2] runner=SPARK", "SparkRunner", "onRunner", "\"row 3\"")));
  }

  @Test
  void classNameTellsTheRunner() throws IOException {
    run(SamplesOnSpark.class);

    assertThat(
        records(),
        contains(
            "{\"test\":\""
                + SamplesOnSpark.class.getName()
                + "#readsDirectory\","
                + "\"displayName\":\"readsDirectory()\",\"runner\":\"SparkRunner\","
                + "\"covers\":[\"row 4\"]}"));
  }

  @Test
  void testThatCoversTooMuchFailsAndIsNotRecorded() throws IOException {
    List<String> failures = run(TooMany.class);

    assertThat(
        failures,
        contains(
            allOf(
                containsString("coversFour must cover 1 to 3 rows and cases, but was:"),
                containsString("[row 1, row 2, DEV-01, DEV-02]"))));
    assertThat(records(), empty());
  }

  @Test
  void testThatCoversWhatCannotExistFails() {
    assertThat(run(Misnamed.class), contains(containsString("but was: \"DEV-1\"")));
  }

  @Test
  void suiteWithoutSuchTestsStillTellsThatItRanAndDropsOlderBuilds() throws IOException {
    Files.writeString(directory.resolve("unit-b0.jsonl"), "{}\n");
    Files.writeString(directory.resolve("it-b1.jsonl"), "{}\n");

    run(Plain.class);

    try (var files = Files.list(directory)) {
      assertThat(
          files.map(file -> file.getFileName().toString()).toList(),
          containsInAnyOrder("unit-b1.jsonl", "it-b1.jsonl"));
    }
    assertThat(records(), is(empty()));
  }

  private List<String> run(Class<?> tests) {
    var failures = new Failures();
    LauncherFactory.create(
            LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .addTestExecutionListeners(
                    new CoverageListener(directory.toString(), "b1", "unit"), failures)
                .build())
        .execute(request().selectors(selectClass(tests)).build());
    return failures.messages;
  }

  private List<String> records() throws IOException {
    return Files.readAllLines(directory.resolve("unit-b1.jsonl"));
  }

  private static String line(String displayName, String runner, String method, String covers) {
    return "{\"test\":\""
        + Samples.class.getName()
        + "#"
        + method
        + "\",\"displayName\":\""
        + displayName
        + "\",\"runner\":\""
        + runner
        + "\",\"covers\":["
        + covers
        + "]}";
  }

  private static final class Failures implements TestExecutionListener {
    private final List<String> messages = new ArrayList<>();

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      result.getThrowable().ifPresent(e -> messages.add(e.getMessage()));
    }
  }

  enum Runner {
    DIRECT,
    SPARK
  }

  static class Samples {
    @Test
    @Covers.Row(2)
    @Covers.Case("DEV-19")
    void coversTwo() {}

    @ParameterizedTest
    @EnumSource
    @Covers.Row(3)
    void onRunner(Runner runner) {
      assertThat(runner, is(runner));
    }

    @Test
    @Covers.Row(9)
    void fails() {
      throw new IllegalStateException("Sample fails.");
    }

    @Test
    void coversNothing() {}
  }

  static class SamplesOnSpark {
    @Test
    @Covers.Row(4)
    void readsDirectory() {}
  }

  static class TooMany {
    @Test
    @Covers.Row({1, 2})
    @Covers.Case({"DEV-01", "DEV-02"})
    void coversFour() {}
  }

  static class Misnamed {
    @Test
    @Covers.Case("DEV-1")
    void coversUnknown() {}
  }

  static class Plain {
    @Test
    void coversNothing() {}
  }
}
