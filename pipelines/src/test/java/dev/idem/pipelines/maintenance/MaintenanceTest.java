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
package dev.idem.pipelines.maintenance;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.idem.io.checkpoint.Staging;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.memory.MemoryTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the commands print, and that they do what they print. */
class MaintenanceTest {

  private static final Schema SALES =
      Schema.builder()
          .addInt64Field("id")
          .addNullableField("day", FieldType.logicalType(SqlTypes.DATE))
          .build();
  private static final LocalDate MONDAY = LocalDate.parse("2026-01-05");

  @TempDir Path root;

  private Path path;
  private DeltaTable table;

  @BeforeEach
  void locate() {
    path = root.resolve("sales");
    table = DeltaTable.at(path.toString(), Map.of());
  }

  private static String run(Object command, String... arguments) {
    StringWriter said = new StringWriter();
    CommandLine line = new CommandLine(command);
    line.setOut(new PrintWriter(said));
    line.setErr(new PrintWriter(said));
    line.setExecutionExceptionHandler(
        (failure, parsed, result) -> {
          said.append(String.valueOf(failure.getMessage()));
          return 9;
        });
    int exit = line.execute(arguments);
    return exit + " " + said;
  }

  private String optimize(String... more) {
    return run(new Optimize(), with(more));
  }

  private String[] with(String... more) {
    String[] arguments = new String[more.length + 1];
    arguments[0] = "--table=" + path;
    System.arraycopy(more, 0, arguments, 1, more.length);
    return arguments;
  }

  private List<DataFile> write(long id, LocalDate day) throws IOException {
    String json = DeltaSchemas.toJson(SALES);
    DataFileSpec spec = DataFileSpec.of(path.toString(), json).withPartitionColumns(List.of("day"));
    try (DataFileWriter writer = DataFileWriter.open(spec)) {
      writer.write(Row.withSchema(SALES).addValues(id, day).build());
      return writer.finish();
    }
  }

  private void append(long id, LocalDate day) throws IOException {
    table.append(DeltaSchemas.toJson(SALES), List.of("day"), write(id, day));
  }

  private void twoADay() throws IOException {
    for (long id = 0; id < 6; id++) {
      append(id, id % 3 == 2 ? null : MONDAY.plusDays(id % 3));
    }
  }

  private String bytes(int files) {
    List<DataFile> now = table.files();
    assertThat(now.size(), is(files));
    return String.format(Locale.ROOT, "%,d", now.stream().mapToLong(DataFile::size).sum());
  }

  @Test
  void optimizePrintsFilesBeforeAndAfter() throws IOException {
    twoADay();
    String before = bytes(6);

    String would = optimize("--dryRun");
    assertThat(bytes(6), is(before));
    String did = optimize();

    assertThat(
        would,
        is(
            "0 before: 6 files, %s bytes%nwould be rewritten: 6 files, %s bytes, into at least 3%n"
                .formatted(before, before)));
    String after = bytes(3);
    assertThat(
        did,
        is(
            ("0 before: 6 files, %s bytes%nrewritten: 6 files, %s bytes, into 3 files, %s bytes;"
                    + " 3 commits%nafter: 3 files, %s bytes%n")
                .formatted(before, before, after, after)));
    assertThat(
        DeltaRows.read(path.toString()).toList().stream()
            .map(row -> row.getInt64("id"))
            .sorted()
            .toList(),
        is(List.of(0L, 1L, 2L, 3L, 4L, 5L)));
  }

  @Test
  void optimizeTakesTheWantedPartitionsAlone() throws IOException {
    twoADay();

    assertThat(
        optimize("--dryRun", "--where=day=2026-01-05", "--where=day=__HIVE_DEFAULT_PARTITION__")
            .lines()
            .skip(1)
            .findFirst()
            .orElseThrow()
            .replaceAll("[\\d,]+ bytes", "N bytes"),
        is("would be rewritten: 4 files, N bytes, into at least 2"));
    optimize("--where=day=2026-01-06");
    bytes(5);
    assertThat(
        optimize("--where=day=Monday"),
        is("9 Value of column \"day\" must be of type date, but was: \"Monday\"."));
    assertThat(
        optimize("--where=id=1"),
        is("9 Column must be one of the partition columns [day], but was: \"id\"."));
    assertThat(optimize("--where=day"), is("9 --where must be COLUMN=VALUE, but was: \"day\"."));
  }

  @Test
  void optimizeTakesSizesWithAUnit() throws IOException {
    twoADay();

    // A file of one row has some hundred bytes: nothing is small for a target of 16.
    String none = optimize("--dryRun", "--targetFileSize=16");
    String all = optimize("--dryRun", "--targetFileSize=4KiB");
    String bad = optimize("--dryRun", "--targetFileSize=large");

    assertThat(none.contains("would be rewritten: 0 files, 0 bytes"), is(true));
    assertThat(all.contains("would be rewritten: 6 files"), is(true));
    assertThat(bad.startsWith("2 "), is(true));
    assertThat(bad.contains("Size must be a number with k, m or g"), is(true));
    SizeConverter sizes = new SizeConverter();
    assertThat(sizes.convert("128MiB"), is(128L << 20));
    assertThat(sizes.convert("2g"), is(2L << 30));
    assertThat(sizes.convert("3kb"), is(3L << 10));
  }

  @Test
  void optimizeClustersByColumnsUntilThereIsNothingToDo() throws IOException {
    twoADay();

    String did = optimize("--clusterBy=id");
    String again = optimize("--clusterBy=id");
    String bad = optimize("--clusterBy=id,day");

    bytes(3);
    assertThat(did.contains("rewritten: 6 files"), is(true));
    assertThat(again.contains("rewritten: 0 files, 0 bytes, into 0 files"), is(true));
    assertThat(
        bad,
        is(
            "9 Column to cluster by must be one that files of table \""
                + path
                + "\" have bounds of, [id], but was: \"day\" of type date. Cluster by another"
                + " column."));
  }

  @Test
  void memoryOfAJobIsNotOptimized() throws IOException {
    Path memory = root.resolve("sales_memory/app");
    String json = DeltaSchemas.toJson(MemoryTable.SCHEMA);
    DeltaTable.at(memory.toString(), Map.of())
        .commit(dev.idem.io.delta.table.DeltaCommit.of("app/memory", 0, "p", "c", json));

    assertThat(
        run(new Optimize(), "--table=" + memory),
        is(
            "9 Table must not be the memory of a job, which merges its files itself, but was: \""
                + memory
                + "\"."));
  }

  @Test
  void cleanNamesWhatItDeletes() throws IOException {
    append(1, MONDAY);
    DataFile lost = write(2, MONDAY).get(0);
    Path file = path.resolve(lost.path());
    Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
    write(3, MONDAY);
    String size = String.format(Locale.ROOT, "%,d", lost.size());

    String would = run(new Clean(), with("--olderThan=1d", "--dryRun"));
    assertThat(Files.exists(file), is(true));
    String did = run(new Clean(), with("--olderThan=7d"));
    String again = run(new Clean(), with("--olderThan=7d"));
    String early = run(new Clean(), with("--olderThan=1h"));

    assertThat(
        would, is("0 %s%nwould be deleted: 1 files, %s bytes%n".formatted(lost.path(), size)));
    assertThat(did, is("0 %s%ndeleted: 1 files, %s bytes%n".formatted(lost.path(), size)));
    assertThat(Files.exists(file), is(false));
    assertThat(again, is("0 deleted: 0 files, 0 bytes%n".formatted()));
    assertThat(
        early,
        is(
            "9 Age of files to delete must be at least a day, but was: PT1H. Give a time that is"
                + " longer than any batch takes."));
    assertThat(table.files().size(), is(1));
  }

  @Test
  void cleanDeletesWhatKilledBackfillsLeftBesideTheTable() throws IOException {
    append(1, MONDAY);
    String[] names = {
      "sales_backfill-", "sales_backfill-", "sales_backfill-", "more-sales_backfill-", "sales-"
    };
    List<Path> attempts = new ArrayList<>();
    for (String name : names) {
      Path attempt = root.resolve(name + UUID.randomUUID());
      new Staging(attempt.toString()).publish(7, "run", "{}");
      attempts.add(attempt);
    }
    Path old = attempts.get(0);
    Path emptied = attempts.get(1);
    Path young = attempts.get(2);
    FileTime longAgo = FileTime.from(Instant.parse("2020-01-01T00:00:00Z"));
    Files.delete(emptied.resolve("staging/7-run"));
    for (Path each : List.of(old.resolve("staging/7-run"), emptied.resolve("staging"), emptied)) {
      Files.setLastModifiedTime(each, longAgo);
    }
    Path notes = Files.createDirectory(root.resolve("sales_backfill-notes"));
    Files.setLastModifiedTime(notes, longAgo);
    for (Path other : attempts.subList(3, 5)) {
      Files.setLastModifiedTime(other.resolve("staging/7-run"), longAgo);
    }

    String would = run(new Clean(), with("--olderThan=1d", "--dryRun"));
    assertThat(attempts.stream().allMatch(Files::exists), is(true));
    String did = run(new Clean(), with("--olderThan=1d"));

    String name = "../" + old.getFileName() + "/staging/7-run";
    assertThat(would, is("0 %s%nwould be deleted: 1 files, 2 bytes%n".formatted(name)));
    assertThat(did, is("0 %s%ndeleted: 1 files, 2 bytes%n".formatted(name)));
    assertThat(Files.exists(old), is(false));
    assertThat(Files.exists(emptied), is(false));
    assertThat(Files.exists(notes), is(true));
    for (Path left : attempts.subList(2, 5)) {
      assertThat(Files.exists(left.resolve("staging/7-run")), is(true));
    }
    assertThat(Files.exists(young), is(true));
    assertThat(table.files().size(), is(1));
  }
}
