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
package dev.idem.it;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.JsonNode;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.CommitOutcome;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRecord;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.testing.Covers.Case;
import dev.idem.testing.SparkReader;
import dev.idem.testing.SparkReader.Query;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables that this library wrote, read by Delta Lake's own Spark connector. */
class SparkReadsIT {

  private static final String LETTERS =
      "{\"type\":\"struct\",\"fields\":["
          + "{\"name\":\"letter\",\"type\":\"string\",\"nullable\":false,\"metadata\":{}}]}";

  private static final String TIMES =
      "{\"type\":\"struct\",\"fields\":["
          + "{\"name\":\"n\",\"type\":\"integer\",\"nullable\":false,\"metadata\":{}},"
          + "{\"name\":\"ts\",\"type\":\"timestamp\",\"nullable\":false,\"metadata\":{}},"
          + "{\"name\":\"at\",\"type\":\"timestamp\",\"nullable\":false,\"metadata\":{}}]}";

  private static final int ROUNDS = 20;

  @TempDir private Path directory;

  @Case("DEV-17")
  @Test
  void timesBefore1970KeepTheirInstantAsPartitionAndAsColumn() throws IOException {
    List<Long> micros = List.of(-500_000L, -1_500_000L, -1_000L, 0L);
    Path table = directory.resolve("times");
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < micros.size(); i++) {
      Instant at = Instant.EPOCH.plus(micros.get(i), ChronoUnit.MICROS);
      rows.add(Row.withSchema(DeltaSchemas.parse(TIMES)).addValues(i + 1, at, at).build());
    }
    DataFileSpec spec =
        DataFileSpec.of(table.toString(), TIMES).withPartitionColumns(List.of("ts"));
    table(table)
        .commit(
            DeltaCommit.of("times/main", 0, "plan", "content", TIMES)
                .withPartitionColumns(List.of("ts"))
                .withFiles(write(spec, rows)));

    List<JsonNode> read =
        SparkReader.shared().rows(Query.of(table).columns("n", "ts", "at").orderBy("n"));
    List<JsonNode> before =
        SparkReader.shared()
            .rows(Query.of(table).columns("n").where("at < '1970-01-01'").orderBy("n"));
    List<JsonNode> beforeByPartition =
        SparkReader.shared()
            .rows(Query.of(table).columns("n").where("ts < '1970-01-01'").orderBy("n"));

    SparkReader.shared().sql("SET spark.sql.session.timeZone = America/New_York");
    List<JsonNode> elsewhere =
        SparkReader.shared().rows(Query.of(table).columns("n", "ts").orderBy("n"));
    SparkReader.shared().sql("SET spark.sql.session.timeZone = UTC");

    assertThat(read.stream().map(row -> row.get("ts").longValue()).toList(), equalTo(micros));
    assertThat(elsewhere.stream().map(row -> row.get("ts").longValue()).toList(), equalTo(micros));
    assertThat(read.stream().map(row -> row.get("at").longValue()).toList(), equalTo(micros));
    assertThat(before.stream().map(row -> row.get("n").intValue()).toList(), contains(1, 2, 3));
    assertThat(
        beforeByPartition.stream().map(row -> row.get("n").intValue()).toList(), contains(1, 2, 3));
    assertThat(SparkReader.shared().count(table, "ts"), is(new SparkReader.Count(4, 4)));
  }

  private static final String REGIONS =
      "{\"type\":\"struct\",\"fields\":["
          + "{\"name\":\"n\",\"type\":\"long\",\"nullable\":false,\"metadata\":{}},"
          + "{\"name\":\"region\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}";

  @Case("DEV-21")
  @Test
  void oddPartitionValuesAreReadAsTheyWereWritten() throws IOException {
    List<String> values =
        Arrays.asList("a/b", "50%", "x=y", "two words", "ünï", "O'Brien", null, "");
    Path table = directory.resolve("regions");
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      rows.add(
          Row.withSchema(DeltaSchemas.parse(REGIONS)).addValues(i + 1L, values.get(i)).build());
    }
    DataFileSpec spec =
        DataFileSpec.of(table.toString(), REGIONS).withPartitionColumns(List.of("region"));
    table(table)
        .commit(
            DeltaCommit.of("regions/main", 0, "plan", "content", REGIONS)
                .withPartitionColumns(List.of("region"))
                .withFiles(write(spec, rows)));

    List<JsonNode> read = SparkReader.shared().rows(Query.of(table).orderBy("n"));
    List<Long> found = new ArrayList<>();
    for (String value : values) {
      String condition =
          value == null ? "region IS NULL" : "region = '" + value.replace("'", "\\'") + "'";
      SparkReader.shared()
          .rows(Query.of(table).where(condition))
          .forEach(row -> found.add(row.get("n").longValue()));
    }

    assertThat(read.stream().map(row -> row.get("region").textValue()).toList(), equalTo(values));
    assertThat(found, contains(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L));
  }

  @Case("DEV-18")
  @Test
  void batchWithoutRowsIsRecordedAndAddsNoFile() throws IOException {
    Path table = directory.resolve("p2");
    letters(table, "p2/main", 4, "a", "b");
    letters(table, "p2/main", 5);
    int filesAfterFive = SparkReader.shared().files(Query.of(table));
    List<String> afterFive = sparkLetters(table);
    letters(table, "p2/main", 6, "c", "d", "e");
    letters(table, "p2/main", 5);
    letters(table, "p2/main", 6, "c", "d", "e");

    assertThat(afterFive, contains("a", "b"));
    assertThat(filesAfterFive, is(1));
    assertThat(sparkLetters(table), contains("a", "b", "c", "d", "e"));
    assertThat(SparkReader.shared().files(Query.of(table)), is(2));
    assertThat(table(table).record("p2/main").map(DeltaRecord::batch).orElse(-1L), is(6L));
  }

  @Case("DEV-19")
  @Test
  void batchIdBelowTheRecordedOneIsSkippedToo() throws IOException {
    Path table = directory.resolve("orders");
    List<CommitOutcome> outcomes = new ArrayList<>();
    outcomes.add(letters(table, "orders/main", 1, "a", "b"));
    outcomes.add(letters(table, "orders/main", 2, "c", "d"));
    outcomes.add(letters(table, "orders/main", 2, "c", "d"));
    outcomes.add(letters(table, "orders/main", 1, "a", "b"));
    outcomes.add(letters(table, "orders/main", 3, "e", "f"));
    List<String> before = sparkLetters(table);
    CommitOutcome refund = letters(table, "refunds/main", 1, "r");

    assertThat(before, contains("a", "b", "c", "d", "e", "f"));
    assertThat(SparkReader.shared().files(Query.of(table)), is(4));
    assertThat(
        outcomes.stream().map(outcome -> outcome.getClass().getSimpleName()).toList(),
        contains("Committed", "Committed", "AlreadyCommitted", "AlreadyCommitted", "Committed"));
    assertThat(refund, instanceOf(CommitOutcome.Committed.class));
    assertThat(table(table).record("orders/main").map(DeltaRecord::batch).orElse(-1L), is(3L));
    assertThat(table(table).record("refunds/main").map(DeltaRecord::batch).orElse(-1L), is(1L));
  }

  @Case("DEV-20")
  @Test
  void rivalsOfOneBatchAddItOnceAndTenApplicationsLoseNothing() throws Exception {
    Path table = directory.resolve("rivals");
    letters(table, "p0/main", 0, "start");
    for (int round = 1; round <= ROUNDS; round++) {
      int batch = round;
      List<CommitOutcome> rivals =
          atOnce(
              List.of(
                  () -> letters(table, "p0/main", batch, "p" + batch),
                  () -> letters(table, "p0/main", batch, "p" + batch)));
      assertThat(
          rivals.stream().map(o -> o.getClass().getSimpleName()).sorted().toList(),
          contains("AlreadyCommitted", "Committed"));
    }
    long versionBefore = table(table).state().orElseThrow().version();
    List<Callable<CommitOutcome>> ten = new ArrayList<>();
    for (int writer = 0; writer < 10; writer++) {
      String sink = "w" + writer + "/main";
      String[] rows = new String[10];
      Arrays.setAll(rows, row -> sink + row);
      ten.add(() -> letters(table, sink, 0, rows));
    }
    List<CommitOutcome> outcomes = atOnce(ten);

    assertThat(
        outcomes.stream().map(CommitOutcome::version).sorted().toList(),
        equalTo(Stream.iterate(versionBefore + 1, version -> version + 1).limit(10).toList()));
    assertThat(
        SparkReader.shared().count(table, "letter"),
        is(new SparkReader.Count(1 + ROUNDS + 100, 1 + ROUNDS + 100)));
    for (CommitOutcome outcome : outcomes) {
      String entry = String.format("%020d.json", outcome.version());
      String log = Files.readString(table.resolve("_delta_log").resolve(entry));
      assertThat(log.split("\"appId\":\"w\\d/main\"", -1).length - 1, is(1));
    }
  }

  private static List<CommitOutcome> atOnce(List<Callable<CommitOutcome>> writers)
      throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(writers.size());
    ExecutorService threads = Executors.newFixedThreadPool(writers.size());
    try {
      List<Future<CommitOutcome>> futures = new ArrayList<>();
      for (Callable<CommitOutcome> writer : writers) {
        futures.add(
            threads.submit(
                () -> {
                  barrier.await();
                  return writer.call();
                }));
      }
      List<CommitOutcome> outcomes = new ArrayList<>();
      for (Future<CommitOutcome> future : futures) {
        outcomes.add(future.get());
      }
      return outcomes;
    } finally {
      threads.shutdownNow();
    }
  }

  private static CommitOutcome letters(Path table, String sink, long batch, String... letters)
      throws IOException {
    List<Row> rows =
        Arrays.stream(letters)
            .map(letter -> Row.withSchema(DeltaSchemas.parse(LETTERS)).addValues(letter).build())
            .toList();
    return table(table)
        .commit(
            DeltaCommit.of(sink, batch, "plan-" + batch, String.join(",", letters) + ".", LETTERS)
                .withFiles(write(DataFileSpec.of(table.toString(), LETTERS), rows)));
  }

  private static List<DataFile> write(DataFileSpec spec, List<Row> rows) throws IOException {
    try (DataFileWriter writer = DataFileWriter.open(spec)) {
      for (Row row : rows) {
        writer.write(row);
      }
      return writer.finish();
    }
  }

  private static DeltaTable table(Path path) {
    return DeltaTable.at(path.toString(), Map.of());
  }

  private static List<String> sparkLetters(Path table) {
    return SparkReader.shared().rows(Query.of(table).columns("letter").orderBy("letter")).stream()
        .map(row -> row.get("letter").textValue())
        .toList();
  }
}
