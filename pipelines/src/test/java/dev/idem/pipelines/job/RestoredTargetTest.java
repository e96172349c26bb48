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
import static org.hamcrest.Matchers.is;

import dev.idem.pipelines.targets.DeltaTarget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table that is restored between two batches of one process. */
class RestoredTargetTest {

  private static final Pattern ADDED = Pattern.compile("\\{\"add\":\\{\"path\":\"([^\"]+)\".*");

  @TempDir Path root;

  private final Numbers numbers = new Numbers().holding(6);

  @Test
  void nextBatchIsRefusedAndHidesNothing() {
    Said said = run();

    assertThat(said.exit(), is(Job.REFUSED));
    assertThat(
        said.err(),
        is(
            "idem: Table \""
                + root.resolve("numbers")
                + "\" must hold all rows up to version 2, the last commit of \"numbers/numbers\", but"
                + " was: restored to an older version by version 3. Restore it to version 2, or start"
                + " the application anew.\n"));
    assertThat(Numbers.in(root.resolve("numbers")), is(List.of(0L, 1L)));
  }

  @Test
  void nextBatchGoesOnIfThatWasAskedFor() {
    Said said = run("--onLostTarget=continue");

    assertThat(said.err(), is(""));
    assertThat(Numbers.in(root.resolve("numbers")), is(List.of(0L, 1L, 4L, 5L)));
  }

  /** Runs three batches of two numbers; the table is restored before the third is committed. */
  private Said run(String... more) {
    Job job =
        Job.named("numbers")
            .from(numbers)
            .through(
                (batch, events) -> {
                  if (batch.id() == 2) {
                    restoreToTheFirstBatch();
                  }
                  return events;
                })
            .into(DeltaTarget.at("numbers", root.resolve("numbers").toString()));
    String[] options = new String[more.length + 1];
    options[0] = "--maxRecordsPerBatch=2";
    System.arraycopy(more, 0, options, 1, more.length);
    return Said.by(job, root.resolve("checkpoint"), options);
  }

  /** Does what {@code RESTORE TABLE numbers TO VERSION AS OF 1} does. */
  private void restoreToTheFirstBatch() {
    Path log = root.resolve("numbers/_delta_log");
    StringBuilder entry =
        new StringBuilder(
            "{\"commitInfo\":{\"timestamp\":1,\"operation\":\"RESTORE\",\"operationParameters\":"
                + "{\"version\":\"1\",\"timestamp\":null}}}\n");
    try {
      for (String line : Files.readAllLines(log.resolve("%020d.json".formatted(2)))) {
        Matcher added = ADDED.matcher(line);
        if (added.matches()) {
          entry.append(
              "{\"remove\":{\"path\":\"%s\",\"deletionTimestamp\":1,\"dataChange\":true}}\n"
                  .formatted(added.group(1)));
        }
      }
      Files.writeString(log.resolve("%020d.json".formatted(3)), entry);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
