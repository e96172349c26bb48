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

import dev.idem.io.delta.table.DeltaTable;
import dev.idem.pipelines.targets.DeltaTarget;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job that rewrites small files after its batches. */
class CompactionTest {

  @TempDir Path root;

  private final Numbers numbers = new Numbers();

  private Said run(String... more) {
    Job job =
        Job.named("numbers")
            .from(numbers)
            .through((batch, events) -> events)
            .into(DeltaTarget.at("numbers", root.resolve("numbers").toString()));
    return Said.by(job, root.resolve("checkpoint"), more);
  }

  private DeltaTable table() {
    return DeltaTable.at(root.resolve("numbers").toString(), Map.of());
  }

  private static List<String> compactions(Said said) {
    return said.out().stream()
        .filter(line -> line.contains(", compacted "))
        .map(line -> line.replaceAll(":.*, compacted", " compacted"))
        .toList();
  }

  @Test
  void filesAreRewrittenWhenThereAreEnoughAndTheNextRunAgreesWithTheTable() {
    numbers.holding(8);
    Said first = run("--maxRecordsPerBatch=1", "--compactSmallFiles=4");
    int files = table().files().size();
    numbers.holding(11);
    Said second = run("--maxRecordsPerBatch=1", "--compactSmallFiles=4");

    assertThat(first.err() + second.err(), is(""));
    assertThat(
        compactions(first),
        is(List.of("batch 3 compacted 4 files into 1", "batch 6 compacted 4 files into 1")));
    assertThat(files, is(2));
    assertThat(compactions(second), is(List.of("batch 9 compacted 4 files into 1")));
    assertThat(table().files().size(), is(2));
    assertThat(Numbers.in(root.resolve("numbers")), is(LongStream.range(0, 11).boxed().toList()));
    assertThat(table().record("numbers/numbers").orElseThrow().batch(), is(10L));
  }

  @Test
  void filesAreLeftAloneUnlessItIsAskedFor() {
    numbers.holding(5);

    Said said = run("--maxRecordsPerBatch=1");

    assertThat(compactions(said), is(List.of()));
    assertThat(table().files().size(), is(5));
  }

  @Test
  void oneFileIsNotEnough() {
    Said said = run("--compactSmallFiles=1");

    assertThat(said.exit(), is(Job.BAD_USAGE));
    assertThat(said.err(), containsString("--compactSmallFiles must be at least 2, but was: 1."));
  }
}
