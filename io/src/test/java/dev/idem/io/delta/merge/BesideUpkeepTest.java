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
package dev.idem.io.delta.merge;

import static dev.idem.io.delta.merge.Merging.delete;
import static dev.idem.io.delta.merge.Merging.truncate;
import static dev.idem.io.delta.merge.Merging.upsert;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.transforms.changes.ApplyChanges;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is kept beside a table goes after the retention, and is one file again. */
class BesideUpkeepTest {

  private static final Clock NOW = Clock.systemUTC();
  private static final Clock DAYS_6 = Clock.offset(NOW, Duration.ofDays(6));
  private static final Clock DAYS_8 = Clock.offset(NOW, Duration.ofDays(8));

  @TempDir Path directory;

  private Merging table() {
    return Merging.into(directory.resolve("t"), Merging.rules());
  }

  private static int files(Merging table) {
    return DeltaTable.at(table.table + BesideTable.SUFFIX, Map.of()).files().size();
  }

  private static long besideVersion(Merging table) {
    return DeltaTable.at(table.table + BesideTable.SUFFIX, Map.of())
        .state()
        .orElseThrow()
        .version();
  }

  /** Keeps up after a batch that is not among those that are looked at. */
  private static boolean keepUp(Merging table, Clock clock) throws IOException {
    return new BesideUpkeep(table.spec(1000), clock).run();
  }

  @Test
  void whatIsOlderThanTheRetentionGoesAndIsRemembered() throws IOException {
    Merging table = table();
    table.run(0, List.of(upsert(1, "one", 10), upsert(2, "two", 10)));
    table.run(1, List.of(delete(1, 20), delete(3, 25)));
    table.run(2, List.of(truncate(5)));

    assertThat(keepUp(table, DAYS_6), is(false));
    assertThat(table.beside(), hasSize(3));
    assertThat(keepUp(table, DAYS_8), is(true));
    assertThat(
        "the latest that went", table.beside(), contains("[null, 25, false, app/main, 1000]"));
    assertThat(keepUp(table, DAYS_8), is(false));

    MergeOutcome outcome =
        table.run(
            3,
            List.of(
                upsert(1, "late", 15),
                upsert(2, "two", 11),
                upsert(3, "late", 25),
                upsert(4, "new", 26),
                delete(5, 1)));
    assertThat(outcome.counts(), equalTo(new MergeCounts(4, 0, 0, 0, 0, 2)));
    assertThat(
        table.rows("id", "value"), contains("[1, late]", "[2, two]", "[3, late]", "[4, new]"));
  }

  @Test
  void rememberedSequenceOutlivesWhatGoesLater() throws IOException {
    Merging table = table();
    table.run(0, List.of(delete(1, 20)));
    keepUp(table, DAYS_8);
    table.run(1, List.of(delete(2, 10)));

    assertThat(keepUp(table, Clock.offset(NOW, Duration.ofDays(16))), is(true));

    assertThat(table.beside(), contains("[null, 20, false, app/main, 1000]"));
  }

  @Test
  void batchThatWasJustMergedStaysHoweverShortTheRetention() throws IOException {
    Merging table = table();
    table.run(0, List.of(delete(1, 20)));
    table.run(1, List.of(delete(2, 30)));

    assertThat(new BesideUpkeep(table.spec(1), DAYS_8).run(), is(true));

    assertThat(
        table.beside(), contains("[2, 30, true, app/main, 1]", "[null, 20, false, app/main, 1]"));
  }

  @Test
  void mergesMakeOneFileOfManySmallOnes() throws IOException {
    Merging table = table();
    List<String> expected = new ArrayList<>();
    for (int batch = 0; batch <= BesideUpkeep.SMALL_FILES; batch++) {
      assertThat(batch < 1 || files(table) == batch, is(true));
      table.run(batch, List.of(delete(batch, 10)));
      expected.add("[%d, 10, true, app/main, %d]".formatted(batch, batch));
    }
    assertThat(files(table), is(1));
    assertThat(table.beside(), equalTo(expected.stream().sorted().toList()));

    List<Row> late = new ArrayList<>();
    for (int id = 0; id <= BesideUpkeep.SMALL_FILES; id++) {
      late.add(upsert(id, "late", 10));
    }
    table.run(BesideUpkeep.SMALL_FILES + 1, late);
    assertThat(table.rows(), empty());
  }

  /** A replay after a crash between both commits, with an upkeep by another one in between. */
  @Test
  void batchThatWasCommittedBesideOnlyIsHealedAfterAnUpkeep() throws IOException {
    Merging table = table();
    table.run(0, List.of(upsert(1, "one", 10), delete(2, 10)));
    List<Row> changes = List.of(delete(1, 20), upsert(2, "late", 9));
    table.merge(1, changes).commitBeside();
    table.by("other").run(0, List.of(delete(5, 1)));
    makeOneFile(table);

    MergeOutcome healed = table.run(1, changes);

    assertThat(healed.counts(), equalTo(new MergeCounts(0, 1, 1, 0, 0, 0)));
    assertThat(table.rows(), empty());
    assertThat(
        table.beside(),
        contains(
            "[1, 20, true, app/main, 1]",
            "[2, 10, true, app/main, 0]",
            "[5, 1, true, other/main, 0]"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void mergeThatWasPlannedBeforeKnowsWhatItKnew(boolean expired) throws IOException {
    Merging table = table();
    table.run(0, List.of(delete(1, 20), truncate(5)));
    table.run(1, List.of(delete(3, 8), upsert(4, "four", 6)));
    var merge = table.merge(2, List.of(upsert(1, "late", 15), upsert(2, "two", 6), delete(4, 7)));
    table.append(Merging.foreign(1, "foreign"));
    if (expired) {
      assertThat(keepUp(table, DAYS_8), is(true));
    } else {
      makeOneFile(table);
    }

    merge.commit();

    assertThat(table.rows(), contains("[2, two, null, 6]"));
  }

  @Test
  void everyOtherCommitComesFirst() throws IOException {
    Merging table = table();
    table.run(0, List.of(delete(1, 20)));
    KernelSnapshot before = table.spec(1000).besideTable(NOW).load().orElseThrow();
    table.run(1, List.of(delete(2, 20)));
    List<String> data = table.dataFiles();
    long version = besideVersion(table);

    boolean done = new BesideUpkeep(table.spec(1000), DAYS_8).run(before);

    assertThat(done, is(false));
    assertThat(besideVersion(table), is(version));
    assertThat("its files are deleted", table.dataFiles(), equalTo(data));
    assertThat(
        table.beside(), contains("[1, 20, true, app/main, 0]", "[2, 20, true, app/main, 1]"));
  }

  @Test
  void hiddenChangesOfAHistoryGoToo() throws IOException {
    ApplyChanges rules =
        ApplyChanges.keys("id")
            .sequenceBy("seq")
            .applyAsDeleteWhen(row -> "delete".equals(row.getString("op")))
            .columns("id", "value", "other")
            .storedAsScdType2();
    Merging table = Merging.into(directory.resolve("t"), rules);
    table.run(0, List.of(upsert(1, "x", 5), upsert(1, "x", 7), delete(2, 8)));
    assertThat(table.beside(), hasSize(2));

    assertThat(keepUp(table, DAYS_8), is(true));
    MergeOutcome late = table.run(1, List.of(upsert(2, "late", 3), upsert(1, "y", 6)));

    assertThat(late.counts().suspectedLate(), is(1L));
    assertThat(
        table.rows("id", "value", "__START_AT", "__END_AT"),
        contains("[1, x, 5, 6]", "[1, y, 6, null]", "[2, late, 3, null]"));
  }

  /** Moves all that is kept into one file. */
  private static void makeOneFile(Merging table) throws IOException {
    assertThat(new BesideUpkeep(table.by("many").spec(0), NOW, 1).run(), is(true));
  }
}
