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
import static dev.idem.io.delta.merge.Merging.foreign;
import static dev.idem.io.delta.merge.Merging.upsert;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.kernel.RowDeletions;
import dev.idem.io.delta.maintenance.OptimizeSpec;
import dev.idem.io.delta.maintenance.TableMaintenance;
import dev.idem.io.delta.table.Tables;
import dev.idem.testing.Covers;
import dev.idem.transforms.changes.ApplyChanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Commits of others between the reading of a table and the commit of a merge. */
class MergeConflictTest {

  private static final int ROUNDS = 8;
  private static final int KEYS = 12;

  @TempDir Path directory;

  private enum Kind {
    WHOLE_ROWS {
      @Override
      ApplyChanges rules() {
        return Merging.rules();
      }
    },
    PARTS_OF_ROWS {
      @Override
      ApplyChanges rules() {
        return Merging.rules().ignoreNullUpdates();
      }
    },
    HISTORY {
      @Override
      ApplyChanges rules() {
        return ApplyChanges.keys("id")
            .sequenceBy("seq")
            .applyAsDeleteWhen(row -> "delete".equals(row.getString("op")))
            .columns("id", "value", "other")
            .storedAsScdType2()
            .withShards(4);
      }
    };

    abstract ApplyChanges rules();
  }

  @ParameterizedTest
  @EnumSource(
      value = MergeMode.class,
      names = {"MERGE_ON_READ", "COPY_ON_WRITE"})
  void rowThatSomebodyAppendsBeforeTheCommitCountsAsOneOfItsKey(MergeMode mode) throws IOException {
    Merging table = Merging.into(directory.resolve("t"), Merging.rules()).with(mode);
    table.run(0, List.of(upsert(1, "one", 10), upsert(2, "two", 10), upsert(3, "three", 10)));
    var merge = table.merge(1, List.of(upsert(1, "new", 11), upsert(2, "stale", 9), delete(4, 5)));
    table.append(foreign(1, "foreign"), foreign(2, "foreign"), foreign(4, "foreign"));
    table.append(foreign(3, "foreign"));

    MergeOutcome outcome = merge.commit();

    assertThat(
        table.rows(),
        contains(
            "[1, new, null, 11]",
            "[2, two, null, 10]",
            "[3, foreign, null, null]",
            "[3, three, null, 10]"));
    assertThat(outcome.version(), is(table.version()));
    MergeOutcome folded = table.run(2, List.of(upsert(3, "three", 10)));
    assertThat(folded.counts(), equalTo(new MergeCounts(0, 0, 1, 0, 1, 0)));
    assertThat(
        table.rows(), contains("[1, new, null, 11]", "[2, two, null, 10]", "[3, three, null, 10]"));
  }

  @Test
  void olderInsertDoesNotBringBackWhatAnotherApplicationDeletes() throws IOException {
    Merging one = Merging.into(directory.resolve("t"), Merging.rules());
    Merging two = one.by("two");
    one.run(0, List.of(upsert(1, "one", 3)));
    var inserts = one.merge(1, List.of(upsert(1, "five", 5), upsert(2, "five", 5)));
    two.run(0, List.of(delete(1, 10), delete(2, 10)));

    inserts.commit();

    assertThat(one.rows(), empty());
    var deletes = two.merge(1, List.of(delete(3, 10)));
    one.run(2, List.of(upsert(3, "five", 5)));
    deletes.commit();
    assertThat(one.rows(), empty());
  }

  @ParameterizedTest
  @EnumSource(
      value = MergeMode.class,
      names = {"MERGE_ON_READ", "COPY_ON_WRITE"})
  void newerRowThatSomebodyCopiesThereBeforeTheCommitStays(MergeMode mode) throws IOException {
    Merging table = Merging.into(directory.resolve("t"), Merging.rules()).with(mode);
    table.run(0, List.of(upsert(1, "one", 10), upsert(2, "two", 10), upsert(3, "three", 10)));
    // The file that row 1 leaves is written anew before row 2 has to leave it, too.
    var merge = table.merge(1, List.of(upsert(1, "new", 11), upsert(2, "stale", 9)));
    Row copied =
        Row.withSchema(
                Schema.builder()
                    .addInt64Field("id")
                    .addStringField("value")
                    .addInt64Field("_idem_sequence")
                    .build())
            .addValues(2L, "copied", 99L)
            .build();
    Tables.append(table.table, copied.getSchema(), copied);

    merge.commit();

    assertThat(
        table.rows(),
        contains("[1, new, null, 11]", "[2, copied, null, 99]", "[3, three, null, 10]"));
  }

  @Test
  void rowThatSomebodyDeletesBeforeTheCommitIsNotThereForTheMerge() throws IOException {
    Merging table =
        Merging.into(directory.resolve("t"), Merging.rules()).with(MergeMode.MERGE_ON_READ);
    table.run(0, List.of(upsert(1, "one", 10), upsert(2, "two", 10)));
    var merge = table.merge(1, List.of(upsert(1, "older", 5), upsert(2, "older", 5)));
    RowDeletions.delete(table.table, "id", id -> id.equals(1L));

    merge.commit();

    assertThat(table.rows(), contains("[1, older, null, 5]", "[2, two, null, 10]"));
  }

  /** Whatever others did before the commit, it ends as if the merge had begun after them. */
  @ParameterizedTest
  @EnumSource
  @Covers.Row(10)
  void mergeThatIsPlannedAgainEndsAsOneThatCameLater(Kind kind) throws IOException {
    long seed = new Random().nextLong();
    System.out.println("MergeConflictTest: seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      MergeMode mode = random.nextBoolean() ? MergeMode.MERGE_ON_READ : MergeMode.COPY_ON_WRITE;
      String which = "seed " + seed + " round " + round + " " + mode;
      Path path = directory.resolve("r" + round).resolve("t");
      Files.createDirectories(path.getParent());
      Merging early = Merging.into(path, kind.rules()).with(mode);
      for (int batch = 0; batch < 2; batch++) {
        early.run(batch, changes(random, kind));
      }
      List<Row> changes = changes(random, kind);
      Merging late = early.at(directory.resolve("l" + round).resolve("t"));
      copy(path.getParent(), late.table.getParent());
      var merge = early.merge(2, changes);

      int others = 1 + random.nextInt(3);
      for (int i = 0; i < others; i++) {
        other(random.nextLong(), i, kind, early, late);
      }

      merge.commit();
      late.run(2, changes);
      assertThat(which, early.rows(), equalTo(late.rows()));
      List<Row> old = new ArrayList<>();
      for (long id = 0; id < KEYS; id++) {
        old.add(upsert(id, "late", random.nextInt(60)));
      }
      early.run(3, old);
      late.run(3, old);
      assertThat(which + " later", early.rows(), equalTo(late.rows()));
    }
  }

  /** Does the same to both tables. */
  private static void other(long seed, int batch, Kind kind, Merging... tables) throws IOException {
    for (Merging table : tables) {
      Random random = new Random(seed);
      switch (random.nextInt(kind == Kind.HISTORY ? 2 : 3)) {
        case 0 -> table.by("other").run(batch, changes(random, kind));
        case 1 ->
            TableMaintenance.at(table.table.toString(), Map.of())
                .optimize(OptimizeSpec.ofDefaults());
        default ->
            table.append(
                foreign(random.nextInt(KEYS), "foreign"), foreign(random.nextInt(KEYS), "other"));
      }
    }
  }

  private static List<Row> changes(Random random, Kind kind) {
    List<Row> changes = new ArrayList<>();
    for (int i = 1 + random.nextInt(14); i > 0; i--) {
      long id = random.nextInt(KEYS);
      long seq = random.nextInt(60);
      switch (random.nextInt(kind == Kind.HISTORY ? 5 : 12)) {
        case 0, 1 -> changes.add(delete(id, seq));
        default ->
            changes.add(
                upsert(
                    id,
                    random.nextInt(4) == 0 ? null : "v" + random.nextInt(5),
                    random.nextInt(3) == 0 ? null : (Long) (long) random.nextInt(5),
                    seq));
      }
    }
    return changes;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path copy = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    }
  }
}
