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
package dev.idem.io.delta;

import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.Tables;
import dev.idem.testing.RandomRows;
import dev.idem.testing.RunnerUnderTest;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReadTableTest {

  private static final String SALES =
      Tables.schema("n long", "region string", "day date", "rate decimal(5,2)", "at timestamp");
  private static final Schema SALES_ROWS = DeltaSchemas.parse(SALES);
  private static final List<String> PARTITIONS = List.of("region", "day", "rate", "at");

  @TempDir Path directory;

  private static Row sale(long n, String region, String day, String rate) {
    return Row.withSchema(SALES_ROWS)
        .addValues(
            n,
            region,
            day == null ? null : LocalDate.parse(day),
            rate == null ? null : new BigDecimal(rate),
            Instant.parse("1969-12-31T23:59:59.999999Z"))
        .build();
  }

  private void append(long batch, String json, List<String> partitions, List<Row> rows)
      throws IOException {
    DataFileSpec spec =
        DataFileSpec.of(directory.toString(), json).withPartitionColumns(partitions);
    List<DataFile> files = Tables.write(spec, rows.toArray(Row[]::new));
    table(directory)
        .commit(
            DeltaCommit.of("a/b", batch, "p" + batch, "c", json)
                .withPartitionColumns(partitions)
                .withFiles(files));
  }

  private void assertReads(RunnerUnderTest runner, ReadTable read, List<Row> rows) {
    Pipeline pipeline = Pipeline.create(runner.options());
    PAssert.that(pipeline.apply(read)).containsInAnyOrder(rows);
    pipeline.run().waitUntilFinish();
  }

  private ReadTable read() {
    return DeltaLakeIO.read().from(directory.toString());
  }

  @ParameterizedTest
  @EnumSource
  void everyRowOfTheLastVersionIsReadOnceWhateverIsNestedInIt(RunnerUnderTest runner)
      throws IOException {
    long seed = System.nanoTime();
    System.out.println("everyRowOfTheLastVersionIsReadOnce seed " + seed);
    List<Row> all = new ArrayList<>();
    for (int batch = 0; batch < 3; batch++) {
      List<Row> rows = RandomRows.of(DeltaSchemas.parse(Tables.NESTED), 200, seed + batch);
      append(batch, Tables.NESTED, List.of(), rows);
      all.addAll(rows);
    }

    assertReads(runner, read(), all);
  }

  @ParameterizedTest
  @EnumSource
  void versionIsSettledWhenTheReadIsApplied(RunnerUnderTest runner) throws IOException {
    append(0, SALES, PARTITIONS, List.of(sale(1, "a", null, null)));
    Pipeline pipeline = Pipeline.create(runner.options());
    PAssert.that(pipeline.apply(read())).containsInAnyOrder(sale(1, "a", null, null));

    append(1, SALES, PARTITIONS, List.of(sale(2, "a", null, null)));

    pipeline.run().waitUntilFinish();
  }

  @Test
  void anyVersionIsReadByItsNumberOrItsTime() throws IOException {
    for (int batch = 0; batch < 3; batch++) {
      append(batch, SALES, PARTITIONS, List.of(sale(batch, "a", null, null)));
    }
    // Versions 0, without rows, to 3; a log entry's time is that of its file.
    Instant first = Instant.parse("2026-01-01T00:00:00Z");
    for (int version = 0; version <= 3; version++) {
      Files.setLastModifiedTime(
          Tables.entry(directory, version), FileTime.from(first.plusSeconds(version * 60L)));
    }

    assertReads(
        RunnerUnderTest.DIRECT,
        read().withVersion(2),
        List.of(sale(0, "a", null, null), sale(1, "a", null, null)));
    assertReads(RunnerUnderTest.DIRECT, read().withVersion(0), List.of());
    assertReads(
        RunnerUnderTest.DIRECT,
        read().asOf(first.plusSeconds(119)),
        List.of(sale(0, "a", null, null)));
    assertReads(
        RunnerUnderTest.DIRECT,
        read().asOf(first.plusSeconds(10_000_000)),
        List.of(sale(0, "a", null, null), sale(1, "a", null, null), sale(2, "a", null, null)));
    var early =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                assertReads(RunnerUnderTest.DIRECT, read().asOf(first.minusMillis(1)), List.of()));
    var late =
        assertThrows(
            IllegalArgumentException.class,
            () -> assertReads(RunnerUnderTest.DIRECT, read().withVersion(4), List.of()));
    assertThat(early.getMessage(), containsString("the one of 2025-12-31T23:59:59.999Z"));
    assertThat(late.getMessage(), containsString("but was: 4"));
  }

  @ParameterizedTest
  @EnumSource
  void onlyFilesOfTheWantedPartitionsAreOpened(RunnerUnderTest runner) throws IOException {
    List<Row> rows =
        List.of(
            sale(1, "a", "2026-01-01", "1.50"),
            sale(2, "a", null, "1.50"),
            sale(3, "b", "2026-01-01", "1.50"),
            sale(4, null, "2026-01-01", "2.00"),
            sale(5, "", "1969-12-31", null));
    append(0, SALES, PARTITIONS, rows);
    // A file that is opened in vain fails the read.
    for (DataFile file : table(directory).files()) {
      if ("b".equals(file.partitionValues().get("region"))) {
        Files.delete(directory.resolve(URI.create(file.path()).getPath()));
      }
    }

    assertReads(runner, read().wherePartition("region", "a"), rows.subList(0, 2));
    assertReads(
        runner,
        read().wherePartition("region", "a", null, ""),
        List.of(rows.get(0), rows.get(1), rows.get(3), rows.get(4)));
    assertReads(
        runner,
        read().wherePartition("region", "a").wherePartition("day", LocalDate.parse("2026-01-01")),
        rows.subList(0, 1));
    assertReads(
        runner,
        read().wherePartition("region", "a", null).wherePartition("rate", new BigDecimal("1.5")),
        rows.subList(0, 2));
    assertReads(
        runner,
        read()
            .wherePartition("region", "a")
            .wherePartition("at", Instant.parse("1969-12-31T23:59:59.999999Z")),
        rows.subList(0, 2));
  }

  @Test
  void fileThatVacuumTookIsNamedWithItsVersion() throws IOException {
    append(0, SALES, PARTITIONS, List.of(sale(1, "a", null, null)));
    DataFile file = table(directory).files().get(0);
    Files.delete(directory.resolve(URI.create(file.path()).getPath()));

    var failed =
        assertThrows(
            Pipeline.PipelineExecutionException.class,
            () -> assertReads(RunnerUnderTest.DIRECT, read().withVersion(1), List.of()));

    assertThat(failed.getCause().toString(), containsString("of version 1 of table"));
    assertThat(failed.getCause().toString(), containsString("VACUUM"));
  }

  @ParameterizedTest
  @EnumSource
  void chosenColumnsComeInTheirOrder(RunnerUnderTest runner) throws IOException {
    append(0, SALES, PARTITIONS, List.of(sale(1, "a", "2026-01-01", "1.50")));
    Schema schema =
        Schema.builder()
            .addField(SALES_ROWS.getField("rate"))
            .addField(SALES_ROWS.getField("n"))
            .build();

    assertReads(
        runner,
        read().withColumns("rate", "n"),
        List.of(Row.withSchema(schema).addValues(new BigDecimal("1.50"), 1L).build()));
  }

  @Test
  void whatCannotBeReadIsRefusedWhenTheReadIsApplied() throws IOException {
    append(0, SALES, PARTITIONS, List.of());

    assertThat(
        List.of(
            refused(DeltaLakeIO.read()).contains("but was: none. Call from(path)"),
            refused(DeltaLakeIO.read().from(directory.resolve("no").toString()))
                .contains("must exist"),
            refused(read().withColumns("nothing")).contains("\"nothing\""),
            refused(read().wherePartition("n", 1L)).contains("\"n\". Filter the rows"),
            refused(read().wherePartition("rate", 1.5)).contains("\"rate\"")),
        is(List.of(true, true, true, true, true)));
  }

  private static String refused(ReadTable read) {
    return assertThrows(
            IllegalArgumentException.class,
            () -> Pipeline.create(RunnerUnderTest.DIRECT.options()).apply(read))
        .getMessage();
  }

  @Test
  void configurationIsNotShown() {
    ReadTable read = read().withHadoopConfiguration(Map.of("fs.key", "secret"));

    assertThat(read.toString(), is("DeltaLakeIO.read(" + directory + ")"));
  }
}
