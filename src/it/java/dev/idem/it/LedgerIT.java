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
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.JsonNode;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.testing.SparkReader;
import dev.idem.testing.SparkReader.Query;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Spark tells of a job's commits: the table's history, and its change data feed. */
class LedgerIT {

  @TempDir private Path directory;

  private static Map<String, String> text(JsonNode map, String... without) {
    Map<String, String> texts = new HashMap<>();
    map.fields().forEachRemaining(each -> texts.put(each.getKey(), each.getValue().asText()));
    Stream.of(without).forEach(texts::remove);
    return texts;
  }

  /** Returns the history entry of a version. */
  private static JsonNode version(Path table, long version) {
    return SparkReader.shared().history(table).stream()
        .filter(entry -> entry.get("version").asLong() == version)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void historyReadsLikeALedger() {
    EventJob job = EventJob.in(directory).with("--watermarkDelay", "5s");
    job.send(0, 10);
    job.send(8, 9);
    job.sendValue(EventJob.event(9).replace("\"amount\":90", "\"amount\":1"));
    job.sendValue(EventJob.event(2).replace("e2", "late"));
    job.sendValue("no JSON");
    job.send(10, 16);

    job.run("--applicationId=ledger").done();

    DeltaTable table = DeltaTable.at(job.table().toString(), Map.of());
    List<DataFile> files = table.files();
    String epoch = table.record("ledger/table").orElseThrow().epoch();
    JsonNode first = version(job.table(), 1);
    JsonNode second = version(job.table(), 2);
    assertThat(first.get("operation").asText(), is("STREAMING UPDATE"));
    assertThat(first.get("isBlindAppend").asBoolean(), is(true));
    assertThat(
        text(first.get("operationParameters")),
        equalTo(
            Map.of(
                "sink",
                "ledger/table",
                "batchId",
                "0",
                "epoch",
                epoch,
                "offsets:" + job.topic + "-0",
                "0..10")));
    assertThat(
        text(second.get("operationParameters")),
        equalTo(
            Map.of(
                "sink",
                "ledger/table",
                "batchId",
                "1",
                "epoch",
                epoch,
                "offsets:" + job.topic + "-0",
                "10..20")));
    assertThat(second.get("isBlindAppend").asBoolean(), is(true));
    assertThat(
        text(second.get("operationMetrics"), "numFiles", "numOutputBytes"),
        equalTo(
            Map.of(
                "numOutputRows", "6",
                "numRecordsRead", "10",
                "numDuplicates", "1",
                "numLate", "1",
                "numConflicts", "1",
                "numFiltered", "0",
                "numDeadLetters", "3")));
    assertThat(
        sum(first, second, "numFiles") + " files of " + sum(first, second, "numOutputBytes"),
        is(files.size() + " files of " + files.stream().mapToLong(DataFile::size).sum()));
  }

  private static long sum(JsonNode first, JsonNode second, String metric) {
    return first.get("operationMetrics").get(metric).asLong()
        + second.get("operationMetrics").get(metric).asLong();
  }

  private static void sql(String statement) {
    SparkReader.shared().sql(statement);
  }

  /** Returns every change of a table as {@code version type id=amount}. */
  private static List<String> changes(Path table) {
    return SparkReader.shared()
        .sql(
            "SELECT concat(_commit_version, ' ', _change_type, ' ', id, '=', amount) AS change"
                + " FROM table_changes_by_path('"
                + table
                + "', 0) ORDER BY _commit_version, id")
        .stream()
        .map(row -> row.get("change").asText())
        .toList();
  }

  private static List<String> inserts(long version, int from, int to) {
    return EventJob.events(from, to).stream().map(e -> version + " insert " + e).toList();
  }

  @Test
  void changeFeedShowsEachAppendedRowOnce() throws IOException {
    EventJob job = EventJob.in(directory);
    sql(
        "CREATE TABLE delta.`"
            + job.table()
            + "` (id STRING, at STRING, amount BIGINT) USING delta"
            + " TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')");
    job.send(0, 20);
    job.crash("after-target-commit:1");
    job.run().done();
    DeltaTable table = DeltaTable.at(job.table().toString(), Map.of());
    List<DataFile> old = table.files();

    table.commit(
        DeltaCommit.of(
                "compact/table", 0, "plan", "content", table.state().orElseThrow().schemaJson())
            .withRewrittenFiles(old, copy(job.table(), table)));
    job.send(20, 30);
    job.run().done();

    assertThat(
        changes(job.table()),
        is(
            Stream.of(inserts(1, 0, 10), inserts(2, 10, 20), inserts(4, 20, 30))
                .flatMap(List::stream)
                .toList()));
    assertThat(job.rows(), is(EventJob.events(0, 30)));
    assertThat(
        SparkReader.shared().count(Query.of(job.table()), "id"), is(new SparkReader.Count(30, 30)));
  }

  /** Writes the rows of a table into one file, as a compaction does. */
  private static List<DataFile> copy(Path path, DeltaTable table) throws IOException {
    String schema = table.state().orElseThrow().schemaJson();
    try (DataFileWriter writer = DataFileWriter.open(DataFileSpec.of(path.toString(), schema))) {
      for (Row row : DeltaRows.read(path.toString()).toList()) {
        writer.write(row);
      }
      return writer.finish();
    }
  }
}
