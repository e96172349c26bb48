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
package dev.idem.io.delta.changes;

import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.delta.DeltaLakeIO;
import dev.idem.io.delta.error.TableChangedException;
import dev.idem.io.delta.error.UnusableTableException;
import dev.idem.io.delta.error.VersionGoneException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.kernel.RowDeletions;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.io.delta.table.Tables;
import dev.idem.testing.RunnerUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TimestampedValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReadChangesTest {

  private static final String NUMBERS = Tables.schema("n long");
  private static final Schema ROWS = DeltaSchemas.parse(NUMBERS);

  @TempDir Path directory;

  private static Row row(long n) {
    return Row.withSchema(ROWS).addValue(n).build();
  }

  private static List<Row> rows(long from, long to) {
    return LongStream.range(from, to).mapToObj(ReadChangesTest::row).toList();
  }

  private List<DataFile> write(long from, long to) throws IOException {
    return Tables.write(
        DataFileSpec.of(directory.toString(), NUMBERS), rows(from, to).toArray(Row[]::new));
  }

  private DeltaCommit batch(long id) {
    return DeltaCommit.of("a/b", id, "p" + id, "c", NUMBERS);
  }

  /** Version 0 is the creation; then versions 1 to 3 add ten rows each. */
  private void threeVersions() throws IOException {
    for (long batch = 0; batch < 3; batch++) {
      table(directory).commit(batch(batch).withFiles(write(10 * batch, 10 * batch + 10)));
    }
  }

  private TableChanges changes(OnChanges onChanges) {
    return TableChanges.of(directory.toString(), onChanges, Map.of());
  }

  private ReadChanges read() {
    return DeltaLakeIO.readChanges().from(directory.toString());
  }

  private static void assertReads(RunnerUnderTest runner, ReadChanges read, List<Row> rows) {
    Pipeline pipeline = Pipeline.create(runner.options());
    PAssert.that(pipeline.apply(read)).containsInAnyOrder(rows);
    pipeline.run().waitUntilFinish();
  }

  @ParameterizedTest
  @EnumSource
  void everyVersionIsReadOnceAndOnlyThoseThatAreAsked(RunnerUnderTest runner) throws IOException {
    threeVersions();

    assertReads(runner, read().betweenVersions(0, 3), rows(0, 30));
    assertReads(runner, read().betweenVersions(2, 2), rows(10, 20));
    assertReads(runner, read().upToVersion(2), rows(0, 20));
  }

  @Test
  void schemaIsThatOfTheLastVersion() throws IOException {
    threeVersions();
    String wide = Tables.schema("n long", "word string");
    Row row = Row.withSchema(DeltaSchemas.parse(wide)).addValues(30L, "thirty").build();
    table(directory)
        .evolving(SchemaEvolution.ADD)
        .commit(
            DeltaCommit.of("a/b", 3, "p3", "c", wide)
                .withFiles(Tables.write(DataFileSpec.of(directory.toString(), wide), row)));

    assertThat(changes(OnChanges.FAIL).schema(3).getFieldNames(), contains("n"));
    assertThat(changes(OnChanges.FAIL).schema(4).getFieldNames(), contains("n", "word"));
  }

  @Test
  void filesThatOnlyMoveRowsAreNoChange() throws IOException {
    threeVersions();
    List<DataFile> before = table(directory).files();
    table(directory).commit(batch(3).withRewrittenFiles(before, write(0, 30)));
    table(directory).commit(batch(4).withFiles(write(30, 31)));

    assertReads(RunnerUnderTest.DIRECT, read().betweenVersions(3, 5), rows(20, 31).subList(0, 11));
    assertThat(changes(OnChanges.FAIL).end(1, 5, Long.MAX_VALUE), is(5L));
  }

  @Test
  void commitThatTakesRowsOutEndsTheRangeBeforeItAndIsRefusedByItsVersion() throws IOException {
    threeVersions();
    DataFile second = table(directory).files().get(1);
    table(directory).commit(batch(3).withRemovedFiles(List.of(second)).withFiles(write(100, 101)));
    table(directory).commit(batch(4).withFiles(write(30, 31)));

    assertThat(changes(OnChanges.FAIL).end(1, 5, Long.MAX_VALUE), is(3L));
    TableChangedException refused =
        assertThrows(
            TableChangedException.class, () -> changes(OnChanges.FAIL).end(4, 5, Long.MAX_VALUE));
    assertThat(refused.version(), is(4L));
    assertThat(refused.getMessage(), containsString("Version 4"));
    Exception failed =
        assertThrows(
            Exception.class,
            () -> assertReads(RunnerUnderTest.DIRECT, read().betweenVersions(1, 5), List.of()));
    assertThat(failed.getCause().getMessage(), is(refused.getMessage()));

    // Left out whole: not even what the commit added is read.
    assertReads(
        RunnerUnderTest.DIRECT,
        read().betweenVersions(4, 5).onChanges(OnChanges.IGNORE),
        List.of(row(30)));
    assertThat(changes(OnChanges.IGNORE).ignored(1, 5), is(1L));
    assertThat(changes(OnChanges.IGNORE).rows(4, 5), is(1L));
  }

  @ParameterizedTest
  @EnumSource
  void deletionOfRowsEndsTheRangeBeforeItAndTheirVersionIsReadWithout(RunnerUnderTest runner)
      throws IOException {
    table(directory)
        .commit(
            batch(0)
                .withTableProperties(Map.of("delta.enableDeletionVectors", "true"))
                .withFiles(write(0, 10)));
    RowDeletions.delete(directory, "n", n -> (Long) n % 2 == 0);
    table(directory).commit(batch(1).withFiles(write(10, 12)));
    RowDeletions.delete(directory, "n", n -> (Long) n > 4);

    assertThat(changes(OnChanges.FAIL).end(0, 4, Long.MAX_VALUE), is(1L));
    assertReads(runner, read().betweenVersions(0, 4).onChanges(OnChanges.IGNORE), rows(0, 12));
    Pipeline pipeline = Pipeline.create(runner.options());
    PAssert.that(pipeline.apply(DeltaLakeIO.read().from(directory.toString()).withVersion(2)))
        .containsInAnyOrder(row(1), row(3), row(5), row(7), row(9));
    PAssert.that(pipeline.apply("Last", DeltaLakeIO.read().from(directory.toString())))
        .containsInAnyOrder(row(1), row(3));
    pipeline.run().waitUntilFinish();
  }

  @Test
  void rangeTakesWholeVersionsOfAtMostAboutSoManyRows() throws IOException {
    threeVersions();

    assertThat(
        List.of(
            changes(OnChanges.FAIL).end(0, 3, 20),
            changes(OnChanges.FAIL).end(0, 3, 19),
            changes(OnChanges.FAIL).end(1, 3, 1),
            changes(OnChanges.FAIL).end(1, 3, 30),
            changes(OnChanges.FAIL).rows(1, 3),
            changes(OnChanges.FAIL).rowsAt(2)),
        contains(2L, 1L, 1L, 3L, 30L, 20L));
  }

  @Test
  void positionsTellTheRowsOfAVersionApartAndStayAtEveryRead() throws IOException {
    List<DataFile> files = new ArrayList<>(write(0, 5));
    files.addAll(write(5, 10));
    table(directory).commit(batch(0).withFiles(files));
    List<Row> expected =
        List.of(
                0L,
                1L,
                2L,
                3L,
                4L,
                1L << 40,
                (1L << 40) + 1,
                (1L << 40) + 2,
                (1L << 40) + 3,
                (1L << 40) + 4)
            .stream()
            .map(ReadChangesTest::row)
            .toList();

    Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
    PAssert.that(
            pipeline.apply(
                read()
                    .betweenVersions(0, 1)
                    .map(
                        change -> TimestampedValue.atMinimumTimestamp(row(change.position())),
                        RowCoder.of(ROWS))))
        .containsInAnyOrder(expected);
    pipeline.run().waitUntilFinish();
  }

  @Test
  void versionThatTheLogLostIsNamedWithTheFirstOneLeft() throws IOException {
    for (long batch = 0; batch < 11; batch++) {
      table(directory).commit(batch(batch));
    }
    for (int version = 0; version < 9; version++) {
      Files.delete(directory.resolve("_delta_log").resolve("%020d.json".formatted(version)));
    }

    VersionGoneException gone =
        assertThrows(
            VersionGoneException.class,
            () -> changes(OnChanges.FAIL).forEachChanged(8, 11, file -> {}));
    assertThat(gone.getMessage(), containsString("Version 8 "));
    assertThat(gone.getMessage(), containsString("begins at version: 9."));
    assertThat(changes(OnChanges.FAIL).earliestVersion(), is(9L));
  }

  @Test
  void changeDataFeedThatATableDoesNotHaveIsRefusedByItsProperty() throws IOException {
    threeVersions();

    assertThat(
        assertThrows(UnusableTableException.class, () -> changes(OnChanges.CDF).lastVersion())
            .getMessage(),
        containsString("delta.enableChangeDataFeed"));
  }

  @Test
  void tableThatIsNotThereIsNamed() {
    assertThat(
        assertThrows(
                IllegalArgumentException.class,
                () -> Pipeline.create().apply(read().betweenVersions(0, 1)))
            .getMessage(),
        containsString(directory.toString()));
    assertThrows(
        IllegalArgumentException.class, () -> Pipeline.create().apply(DeltaLakeIO.readChanges()));
    assertThrows(IllegalArgumentException.class, () -> read().betweenVersions(3, 2));
  }
}
