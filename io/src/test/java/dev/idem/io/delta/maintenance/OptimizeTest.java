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
package dev.idem.io.delta.maintenance;

import static dev.idem.io.delta.table.Tables.actions;
import static dev.idem.io.delta.table.Tables.column;
import static dev.idem.io.delta.table.Tables.commit;
import static dev.idem.io.delta.table.Tables.names;
import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import dev.idem.io.delta.error.CommitUnknownException;
import dev.idem.io.delta.error.DeltaTableException;
import dev.idem.io.delta.error.RestoredTableException;
import dev.idem.io.delta.error.UnusableTableException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.CommitOutcome;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.Tables;
import dev.idem.io.file.DurableFiles;
import dev.idem.io.file.FileObserver;
import dev.idem.io.file.FileOperation;
import dev.idem.io.file.FileOperation.Kind;
import dev.idem.testing.RandomRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Small files become large ones; rows, batch ids and other writers are left alone. */
class OptimizeTest {

  private static final String SINK = "orders/main";
  private static final OptimizeSpec ALL = OptimizeSpec.ofDefaults();

  @TempDir Path directory;

  private void commitEach(String... rows) throws IOException {
    for (int batch = 0; batch < rows.length; batch++) {
      table(directory).commit(commit(directory, SINK, batch, rows[batch]).withoutGaps());
    }
  }

  private long version() {
    return table(directory).state().orElseThrow().version();
  }

  private static TableMaintenance maintenance(Path directory) {
    return TableMaintenance.at(directory.toString(), Map.of());
  }

  @Test
  void smallFilesBecomeOneAndHistorySaysSo() throws IOException {
    commitEach("a", "b", "c");
    List<DataFile> before = table(directory).files();
    long bytes = before.stream().mapToLong(DataFile::size).sum();

    OptimizeResult result = maintenance(directory).optimize(ALL);

    List<DataFile> after = table(directory).files();
    assertThat(after, hasSize(1));
    assertThat(after.get(0).rows(), is(3L));
    assertThat(after.get(0).stats(), containsString("\"minValues\":{\"id\":97,\"name\":\"a\"}"));
    assertThat(names(directory), contains("a", "b", "c"));
    assertThat(result, is(new OptimizeResult(3, bytes, 3, bytes, 1, after.get(0).size(), 1, 0)));
    assertThat(result.filesAfter(), is(1L));
    assertThat(result.bytesAfter(), is(after.get(0).size()));
    JsonNode info = actions(directory, 4, "commitInfo").get(0);
    assertThat(info.path("operation").asText(), is("OPTIMIZE"));
    assertThat(info.path("isBlindAppend").asBoolean(true), is(false));
    assertThat(info.path("operationParameters").path("predicate").asText(), is("true"));
    JsonNode metrics = info.path("operationMetrics");
    assertThat(metrics.path("numRemovedFiles").asText(), is("3"));
    assertThat(metrics.path("numRemovedBytes").asText(), is(Long.toString(bytes)));
    assertThat(metrics.path("numAddedFiles").asText(), is("1"));
    assertThat(metrics.path("numAddedBytes").asText(), is(Long.toString(after.get(0).size())));
    for (String action : List.of("add", "remove")) {
      for (JsonNode file : actions(directory, 4, action)) {
        assertThat(file.path("dataChange").asBoolean(true), is(false));
      }
    }
    assertThat(actions(directory, 4, "remove"), hasSize(3));
    assertThat(actions(directory, 4, "txn"), hasSize(0));
    assertThat(actions(directory, 4, "metaData"), hasSize(0));
  }

  @Test
  void filesOfOlderVersionsStay() throws IOException {
    commitEach("a", "b", "c");
    List<Path> before = Tables.dataFiles(directory);

    maintenance(directory).optimize(ALL);

    assertThat(Tables.dataFiles(directory).containsAll(before), is(true));
    assertThat(Tables.dataFiles(directory), hasSize(4));
  }

  @Test
  void batchIdsAndRecordsStay() throws IOException {
    commitEach("a", "b", "c");

    maintenance(directory).optimize(ALL);

    assertThat(table(directory).record(SINK).orElseThrow().batch(), is(2L));
    assertThat(
        table(directory).commit(commit(directory, SINK, 2, "c").withoutGaps()),
        instanceOf(CommitOutcome.AlreadyCommitted.class));
    assertThat(
        table(directory).commit(commit(directory, SINK, 3, "d").withoutGaps()),
        instanceOf(CommitOutcome.Committed.class));
    assertThat(table(directory).discardRemoved(SINK, 2), is(0));
    assertThat(names(directory), contains("a", "b", "c", "d"));
  }

  @Test
  void restoreBehindTheLastBatchIsFoundThroughIt() throws IOException {
    commitEach("a", "b");
    maintenance(directory).optimize(ALL);
    assertThat(table(directory).behind(SINK), is(false));

    restore(2);
    assertThat(table(directory).behind(SINK), is(false));
    maintenance(directory).optimize(ALL);
    restore(1);
    maintenance(directory).optimize(ALL);

    var behind =
        assertThrows(RestoredTableException.class, () -> table(directory).refuseRestored(SINK));
    assertThat(behind.getMessage(), containsString("version 2, the last commit"));
  }

  /** Leaves the log as RESTORE to a version does; which files it names does not matter here. */
  private void restore(long to) throws IOException {
    Files.writeString(
        Tables.entry(directory, version() + 1),
        "{\"commitInfo\":{\"timestamp\":1,\"operation\":\"RESTORE\",\"operationParameters\":"
            + "{\"version\":\""
            + to
            + "\"}}}\n");
  }

  @Test
  void groupsFillTheTargetSizeAndASecondRunFindsNothingToDo() throws IOException {
    Random random = new Random(7);
    String[] names = new String[7];
    for (int i = 0; i < names.length; i++) {
      byte[] bytes = new byte[20_000];
      random.nextBytes(bytes);
      names[i] = i + Base64.getEncoder().encodeToString(bytes);
    }
    commitEach(names);
    long size = table(directory).files().stream().mapToLong(DataFile::size).max().orElseThrow();
    OptimizeSpec threeEach = ALL.withTargetFileSize(3 * size);

    OptimizeResult first = maintenance(directory).optimize(threeEach);
    OptimizeResult second = maintenance(directory).optimize(threeEach);

    assertThat(first.commits(), is(2L));
    assertThat(first.removedFiles(), is(6L));
    assertThat(first.filesAfter(), is(3L));
    assertThat(second.commits(), is(0L));
    assertThat(second.yielded(), is(0L));
    assertThat(names(directory), contains(names));
    // Those that were written one after the other are together.
    assertThat(
        table(directory).files().stream().map(DataFile::rows).sorted().toList(),
        contains(1L, 3L, 3L));
  }

  @Test
  void largeFilesAreLeftAlone() throws IOException {
    commitEach("a", "b", "c");
    List<DataFile> before = table(directory).files();
    long size = before.stream().mapToLong(DataFile::size).min().orElseThrow();

    OptimizeResult result = maintenance(directory).optimize(ALL.withTargetFileSize(size));

    assertThat(result.removedFiles(), is(0L));
    assertThat(result.filesAfter(), is(3L));
    assertThat(table(directory).files(), containsInAnyOrder(before.toArray()));
    assertThat(version(), is(3L));
  }

  @Test
  void fileThatIsLargeEnoughIsNotRewrittenForASmallOne() throws IOException {
    commitEach("x".repeat(30_000).replace('x', 'y'), "small");
    List<DataFile> before = table(directory).files();
    long bytes = before.stream().mapToLong(DataFile::size).sum();
    long large = before.stream().mapToLong(DataFile::size).max().orElseThrow();

    OptimizeSpec both = ALL.withTargetFileSize(Math.max(bytes, large * 4 / 3));

    assertThat(large > both.targetFileSize() * 3 / 4, is(true));
    assertThat(maintenance(directory).optimize(both).commits(), is(0L));
  }

  @Test
  void dryRunTellsAndWritesNothing() throws IOException {
    commitEach("a", "b", "c");
    List<Path> before = Tables.dataFiles(directory);

    OptimizeResult result = maintenance(directory).optimize(ALL.dryRunOnly());

    assertThat(result.removedFiles(), is(3L));
    assertThat(result.filesAfter(), is(1L));
    assertThat(version(), is(3L));
    assertThat(Tables.dataFiles(directory), is(before));
  }

  private static final String PARTITIONED =
      Tables.struct(
          column("id", "\"long\"", false),
          column("region", "\"string\"", true),
          column("at", "\"timestamp\"", true));

  private void appendPartitioned(long id, String region, String at) throws IOException {
    DataFileSpec spec =
        DataFileSpec.of(directory.toString(), PARTITIONED)
            .withPartitionColumns(List.of("region", "at"));
    Row row = Row.withSchema(DeltaSchemas.parse(PARTITIONED)).addValues(id, region, null).build();
    DataFile file = Tables.write(spec, row).get(0);
    Map<String, String> values = new HashMap<>(file.partitionValues());
    values.put("at", at);
    table(directory)
        .append(
            PARTITIONED,
            List.of("region", "at"),
            List.of(
                new DataFile(
                    file.path(),
                    file.size(),
                    file.modificationTime(),
                    values,
                    file.stats(),
                    file.rows())));
  }

  private List<String> partitions() {
    return table(directory).files().stream()
        .map(file -> new TreeMap<>(file.partitionValues()) + " " + file.rows())
        .sorted()
        .toList();
  }

  @Test
  void partitionValuesStayLetterByLetter() throws IOException {
    // Without a zone a value means another instant to each reader; that is not ours to decide.
    String local = "2026-01-01 00:00:00";
    String utc = "2026-01-01T00:00:00.000000Z";
    for (long id = 0; id < 2; id++) {
      appendPartitioned(id, "a/b ü%", local);
      appendPartitioned(10 + id, "a/b ü%", utc);
      appendPartitioned(20 + id, null, null);
      appendPartitioned(30 + id, "", null);
    }

    OptimizeResult result = maintenance(directory).optimize(ALL);

    assertThat(result.commits(), is(4L));
    assertThat(
        partitions(),
        containsInAnyOrder(
            "{at=" + local + ", region=a/b ü%} 2",
            "{at=" + utc + ", region=a/b ü%} 2",
            "{at=null, region=null} 2",
            "{at=null, region=} 2"));
    assertThat(
        DeltaRows.read(directory.toString()).select("id").toList().stream()
            .map(row -> row.getInt64("id"))
            .sorted()
            .toList(),
        contains(0L, 1L, 10L, 11L, 20L, 21L, 30L, 31L));
    // Every file is in the directory that is named after its values.
    table(directory)
        .files()
        .forEach(
            file -> {
              String name = file.partitionValues().get("region");
              String region =
                  name == null
                      ? "__HIVE"
                      : name.isEmpty() ? "region=%25/" : "a%252Fb%2520%25C3%25BC%2525";
              assertThat(file.path(), containsString(region));
            });
  }

  @Test
  void onlyTheWantedPartitionsAndOnlyThoseWithEnoughFilesAreRewritten() throws IOException {
    for (long id = 0; id < 3; id++) {
      appendPartitioned(id, "east", null);
      appendPartitioned(10 + id, "west", null);
    }
    appendPartitioned(3, "east", null);

    OptimizeResult none = maintenance(directory).optimize(ALL.withMinInputFiles(5));
    OptimizeResult north =
        maintenance(directory).optimize(ALL.where(PartitionPredicate.in("region", "north")));
    OptimizeResult west =
        maintenance(directory).optimize(ALL.where(PartitionPredicate.in("region", "west")));

    assertThat(none.commits(), is(0L));
    assertThat(none.files(), is(7L));
    assertThat(north.files(), is(0L));
    assertThat(west.files(), is(3L));
    assertThat(
        partitions(),
        contains(
            "{at=null, region=east} 1",
            "{at=null, region=east} 1",
            "{at=null, region=east} 1",
            "{at=null, region=east} 1",
            "{at=null, region=west} 3"));
    assertThat(
        actions(directory, version(), "commitInfo").get(0).toString(),
        containsString("\"predicate\":\"region in (west)\""));
    assertThat(maintenance(directory).optimize(ALL.withMinInputFiles(4)).removedFiles(), is(4L));
    assertThat(
        assertThrows(
                IllegalArgumentException.class,
                () -> maintenance(directory).optimize(ALL.where(PartitionPredicate.in("id", 1L))))
            .getMessage(),
        containsString("partition columns [region, at]"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "id"})
  void everyTypeAtEveryDepthIsRewrittenAsItWas(String clusterBy) throws IOException {
    long seed = new Random().nextLong();
    System.out.println("Seed of everyTypeAtEveryDepthIsRewrittenAsItWas: " + seed);
    String json = Tables.NESTED;
    List<Row> rows = RandomRows.of(DeltaSchemas.parse(json), 200, seed);
    DataFileSpec spec = DataFileSpec.of(directory.toString(), json);
    for (int from = 0; from < rows.size(); from += 40) {
      Row[] part = rows.subList(from, from + 40).toArray(Row[]::new);
      table(directory).append(json, List.of(), Tables.write(spec, part));
    }
    List<Row> before = DeltaRows.read(directory.toString()).toList();

    OptimizeSpec order = clusterBy.isEmpty() ? ALL : ALL.clusterBy(clusterBy);
    assertThat(maintenance(directory).optimize(order).removedFiles(), is(5L));

    assertThat(table(directory).files(), hasSize(1));
    assertThat(
        "seed " + seed,
        DeltaRows.read(directory.toString()).toList(),
        containsInAnyOrder(before.toArray()));
  }

  /** Does something just before each log entry of the run below appears. */
  private interface Before {
    void entry(int attempt) throws IOException;
  }

  private OptimizeResult optimize(Before before) {
    return optimize(before, attempt -> {});
  }

  private OptimizeResult optimize(Before before, Before after) {
    return optimize(ALL, before, after);
  }

  private OptimizeResult optimize(OptimizeSpec spec, Before before, Before after) {
    AtomicInteger attempts = new AtomicInteger();
    Thread thread = Thread.currentThread();
    boolean[] inside = {false};
    FileObserver observer =
        new FileObserver() {
          @Override
          public void before(FileOperation operation) throws IOException {
            run(operation, before, attempts.getAndAdd(isEntry(operation) ? 1 : 0));
          }

          @Override
          public void after(FileOperation operation) throws IOException {
            run(operation, after, attempts.get() - 1);
          }

          private boolean isEntry(FileOperation operation) {
            return operation.kind() == Kind.LINK
                && operation.path().getFileName().toString().matches("\\d{20}\\.json")
                && Thread.currentThread() == thread
                && !inside[0];
          }

          private void run(FileOperation operation, Before action, int attempt) throws IOException {
            if (isEntry(operation)) {
              inside[0] = true;
              try {
                action.entry(attempt);
              } finally {
                inside[0] = false;
              }
            }
          }
        };
    DurableFiles.Observation observation = DurableFiles.observe(directory, observer);
    try {
      return maintenance(directory).optimize(spec);
    } finally {
      observation.close();
    }
  }

  private static List<OptimizeSpec> inBothOrders() {
    return List.of(ALL, ALL.clusterBy("name"));
  }

  @ParameterizedTest
  @MethodSource("inBothOrders")
  void appendThatComesFirstIsKeptAndTheRewriteFollows(OptimizeSpec spec) throws IOException {
    commitEach("a", "b");
    DeltaCommit append = commit(directory, SINK, 2, "c");

    OptimizeResult result =
        optimize(
            spec,
            attempt -> {
              if (attempt == 0) {
                table(directory).commit(append);
              }
            },
            attempt -> {});

    assertThat(result.commits(), is(1L));
    assertThat(result.yielded(), is(0L));
    assertThat(version(), is(4L));
    assertThat(names(directory), contains("a", "b", "c"));
    assertThat(table(directory).files(), hasSize(2));
  }

  @ParameterizedTest
  @MethodSource("inBothOrders")
  void rewriteYieldsToARemovalAndLeavesNoFile(OptimizeSpec spec) throws IOException {
    commitEach("a", "b");
    DataFile first =
        table(directory).files().stream()
            .filter(file -> file.stats().contains("\"a\""))
            .findFirst()
            .orElseThrow();
    DeltaCommit removal = commit(directory, SINK, 2, "c").withRemovedFiles(List.of(first));

    OptimizeResult result =
        optimize(spec, attempt -> table(directory).commit(removal), attempt -> {});

    assertThat(result.commits(), is(0L));
    assertThat(result.yielded(), is(1L));
    assertThat(result.filesAfter(), is(2L));
    assertThat(version(), is(3L));
    assertThat(names(directory), contains("b", "c"));
    assertThat(Tables.dataFiles(directory), hasSize(3));
  }

  @Test
  void rewriteYieldsToAChangeOfTheTable() throws IOException {
    commitEach("a", "b");
    String metadata =
        Files.readAllLines(Tables.entry(directory, 0)).stream()
            .filter(line -> line.startsWith("{\"metaData\""))
            .findFirst()
            .orElseThrow()
            .replace("\"configuration\":{}", "\"configuration\":{\"owner\":\"somebody\"}");

    OptimizeResult result =
        optimize(attempt -> Files.writeString(Tables.entry(directory, 3), metadata + "\n"));

    assertThat(result.yielded(), is(1L));
    assertThat(version(), is(3L));
    assertThat(names(directory), contains("a", "b"));
    assertThat(Tables.dataFiles(directory), hasSize(2));
    assertThat(maintenance(directory).optimize(ALL).commits(), is(1L));
  }

  @Test
  void rewriteThatNeverComesFirstGivesUpWithoutAFailure() throws IOException {
    commitEach("a", "b");
    List<String> all = new ArrayList<>(List.of("a", "b"));

    OptimizeResult result =
        optimize(
            attempt -> {
              String name = "r" + (char) ('a' + attempt);
              all.add(name);
              table(directory).append(Tables.ORDERS, List.of(), Tables.orders(directory, name));
            });

    assertThat(result.yielded(), is(1L));
    assertThat(all, hasSize(22));
    assertThat(names(directory), is(all));
    assertThat(Tables.dataFiles(directory), hasSize(22));
  }

  /** Stands for a machine that dies. */
  private static final class Died extends Error {
    private static final long serialVersionUID = 1L;
  }

  @Test
  void crashBeforeTheCommitLeavesOnlyAFileThatNobodyReads() throws IOException {
    commitEach("a", "b");

    assertThrows(
        Died.class,
        () ->
            optimize(
                attempt -> {
                  throw new Died();
                }));

    assertThat(version(), is(2L));
    assertThat(Tables.dataFiles(directory), hasSize(3));
    assertThat(names(directory), contains("a", "b"));
    assertThat(maintenance(directory).optimize(ALL).commits(), is(1L));
    assertThat(names(directory), contains("a", "b"));
  }

  @Test
  void errorsThatLeaveTheEndOpenAreResolvedOrNamed() throws IOException {
    commitEach("a", "b");

    OptimizeResult once =
        optimize(
            attempt -> {
              if (attempt == 0) {
                throw new IOException("disk busy");
              }
            });
    commitAgain();
    var unknown =
        assertThrows(
            CommitUnknownException.class,
            () ->
                optimize(
                    attempt -> {
                      throw new IOException("disk full");
                    }));

    assertThat(once.commits(), is(1L));
    assertThat(unknown.getMessage(), containsString("Optimize the table again"));
    assertThat(names(directory), contains("a", "b", "c"));
    assertThat(maintenance(directory).optimize(ALL).commits(), is(1L));
    assertThat(names(directory), contains("a", "b", "c"));
  }

  @Test
  void commitWhoseAnswerIsLostIsRecognised() throws IOException {
    commitEach("a", "b");

    OptimizeResult result =
        optimize(
            attempt -> {},
            attempt -> {
              throw new IOException("answer lost");
            });

    assertThat(result.commits(), is(1L));
    assertThat(result.yielded(), is(0L));
    assertThat(version(), is(3L));
    assertThat(names(directory), contains("a", "b"));
  }

  private void commitAgain() throws IOException {
    table(directory).commit(commit(directory, SINK, 2, "c"));
  }

  @Test
  void rowsThatStatisticsDoNotCountAreNotCommitted() throws IOException {
    List<DataFile> files = new ArrayList<>(Tables.orders(directory, "a", "b"));
    DataFile wrong = Tables.orders(directory, "c").get(0);
    files.add(
        new DataFile(
            wrong.path(),
            wrong.size(),
            wrong.modificationTime(),
            Map.of(),
            wrong.stats().replace("\"numRecords\":1", "\"numRecords\":7"),
            7));
    table(directory).append(Tables.ORDERS, List.of(), files);

    var failure =
        assertThrows(DeltaTableException.class, () -> maintenance(directory).optimize(ALL));

    assertThat(failure.getMessage(), containsString("the 9 rows that the statistics"));
    assertThat(failure.getMessage(), containsString("but was: 3"));
    assertThat(version(), is(1L));
  }

  @Test
  void appendOnlyTablesAndThoseWithAChangeFeedAreRewritten() throws IOException {
    for (String property : List.of("delta.appendOnly", "delta.enableChangeDataFeed")) {
      Path path = directory.resolve(property);
      for (int batch = 0; batch < 2; batch++) {
        table(path)
            .commit(
                commit(path, SINK, batch, "n" + batch)
                    .withTableProperties(Map.of(property, "true")));
      }

      assertThat(property, maintenance(path).optimize(ALL).commits(), is(1L));
      assertThat(names(path), contains("n0", "n1"));
    }
  }

  @Test
  void tablesThatPromiseIdsOfRowsAndAbsentOnesAreRefused() throws IOException {
    table(directory)
        .commit(
            commit(directory, SINK, 0, "a")
                .withTableProperties(Map.of("delta.enableRowTracking", "true")));

    assertThat(
        assertThrows(UnusableTableException.class, () -> maintenance(directory).optimize(ALL))
            .feature(),
        is("rowTracking"));
    assertThat(
        assertThrows(
                DeltaTableException.class,
                () -> maintenance(directory.resolve("absent")).optimize(ALL))
            .getMessage(),
        containsString("must exist, but was: none"));
    for (Runnable bad :
        Arrays.<Runnable>asList(() -> ALL.withTargetFileSize(0), () -> ALL.withMinInputFiles(0))) {
      assertThat(
          assertThrows(IllegalArgumentException.class, bad::run).getMessage(),
          containsString("but was: 0"));
    }
  }
}
