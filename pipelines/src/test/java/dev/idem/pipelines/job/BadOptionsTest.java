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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.pipelines.batch.PipelineFunction;
import dev.idem.pipelines.targets.DeltaTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is asked for wrongly ends a job before it touches anything. */
class BadOptionsTest {

  @TempDir Path root;

  private final Numbers numbers = new Numbers().holding(3);

  @ParameterizedTest
  @ValueSource(strings = {"--keyz=secret", "--targetParallelism=secret", "--runner=secret"})
  void optionThatNeitherTheJobNorBeamTakesIsBadUsage(String option) throws IOException {
    String name = option.substring(0, option.indexOf('='));
    for (List<String> more : List.of(List.<String>of(), List.of("--dryRun"))) {
      Said said =
          Said.by(
              job((batch, events) -> events), root.resolve("checkpoint"), List.of(option), more);

      assertThat(said.exit(), is(Job.BAD_USAGE));
      assertThat(
          said.err(),
          startsWith(
              "Options that the job does not know must be Beam's, but were: [" + name + "]."));
      assertThat(said.err().lines().count(), is(1L));
    }
    assertThat(files(), is(List.of()));
  }

  @Test
  void secondDeduplicationOfABatchIsBadUsageThatNamesTheFirst() throws IOException {
    Said said =
        Said.by(
            job(
                (batch, events) ->
                    events
                        .apply("First", batch.deduplicateBy("id"))
                        .apply("Second", batch.deduplicateBy("id", "name"))),
            root.resolve("checkpoint"));

    assertThat(said.exit(), is(Job.BAD_USAGE));
    assertThat(
        said.err().lines().findFirst().orElseThrow(),
        is(
            "idem: Batch must be deduplicated once, because an event is remembered under one key, but"
                + " was: by \"id\" and by \"id,name\". Deduplicate by one list of columns."));
    assertThat(Files.exists(root.resolve("numbers")), is(false));
  }

  @Test
  void oneTableUnderTwoPathsIsOneTable() {
    var refused =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                Job.named("orders")
                    .from(numbers)
                    .into(
                        DeltaTarget.at("orders", "/data/orders"),
                        DeltaTarget.at("copy", "file:/data/orders/")));

    assertThat(refused.getMessage(), containsString("\"copy\" at /data/orders was given twice"));
  }

  private Job job(PipelineFunction function) {
    return Job.named("numbers")
        .from(numbers)
        .through(function)
        .into(DeltaTarget.at("numbers", root.resolve("numbers").toString()));
  }

  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.list(root)) {
      return all.map(file -> file.getFileName().toString()).toList();
    }
  }
}
