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
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.JsonNode;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.pipelines.command.IdemInProcess;
import dev.idem.pipelines.event.MapRows;
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.job.JobInProcess;
import dev.idem.pipelines.source.DeltaSource;
import dev.idem.pipelines.targets.DeltaTarget;
import dev.idem.testing.Covers;
import dev.idem.testing.SparkReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that read a table which Spark writes, and append to another one, which Spark reads. */
class DeltaToDeltaIT {

  @TempDir private Path directory;

  private Path source() {
    return directory.resolve("source");
  }

  private Path copy() {
    return directory.resolve("copy");
  }

  private String sourceSql() {
    return "delta.`" + source() + "`";
  }

  private static void sql(String... statements) {
    for (String statement : statements) {
      SparkReader.shared().sql(statement);
    }
  }

  private List<String> command(String name, String... more) {
    List<String> arguments = new ArrayList<>(List.of("delta-to-delta"));
    arguments.add("--sourceTable=" + source());
    arguments.add("--table=" + directory.resolve(name));
    arguments.add("--checkpoint=" + directory.resolve(name + "-checkpoint"));
    arguments.addAll(List.of(more));
    return arguments;
  }

  private Outcome run(String... more) {
    return IdemInProcess.run(command("copy", more).toArray(String[]::new));
  }

  private void crash(String point, String... more) {
    String[] all =
        Stream.concat(Stream.of("--crashAt=" + point), Stream.of(more)).toArray(String[]::new);
    Forked.idem(command("copy", all)).exits(CrashPoint.EXIT_CODE);
  }

  private List<String> rowsOfTheCopy() {
    return SparkReader.shared().rows(SparkReader.Query.of(copy()).orderBy("id")).stream()
        .map(JsonNode::toString)
        .toList();
  }

  private static List<Long> ids(Path table) {
    return SparkReader.shared().rows(SparkReader.Query.of(table).columns("id")).stream()
        .map(row -> row.get("id").asLong())
        .sorted()
        .toList();
  }

  private static List<Long> ids(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  private void createSource(String... properties) {
    sql(
        "CREATE TABLE "
            + sourceSql()
            + " (id BIGINT, name STRING) USING delta"
            + (properties.length == 0
                ? ""
                : " TBLPROPERTIES (" + String.join(", ", properties) + ")"));
  }

  private void insert(long from, long to) {
    sql(
        "INSERT INTO %s SELECT /*+ COALESCE(1) */ id, concat('n', id) FROM range(%d, %d)"
            .formatted(sourceSql(), from, to));
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row(40)
  void nineEventsThatAPlainCopyDoublesAreCopiedOnce(JobRunner runner) {
    sql(
        "CREATE TABLE "
            + sourceSql()
            + " (order_id INT, customer_id STRING, status STRING, amount DECIMAL(10,2),"
            + " event_time TIMESTAMP) USING delta",
        "INSERT INTO "
            + sourceSql()
            + " SELECT 1001 + id % 4, concat('C', id % 4), element_at(array('created', 'paid',"
            + " 'shipped'), int(id / 4) + 1), (id + 1) * 10.25, timestamp_seconds(1767225600 + id * 60)"
            + " FROM range(9)");
    List<String> counts = new ArrayList<>();

    for (String name : List.of("plain", "ours")) {
      List<String> job = command(name);
      job.addAll(runner.options());
      if (name.equals("plain")) {
        job.add("--writeAtLeastOnce");
      }
      List<String> crashing = new ArrayList<>(job);
      crashing.add("--crashAt=after-target-commit");
      Forked.idem(crashing).exits(CrashPoint.EXIT_CODE);
      counts.add(name + " " + rowsAndDistinct(directory.resolve(name)));
      IdemInProcess.run(job.toArray(String[]::new)).done();
      counts.add(name + " " + rowsAndDistinct(directory.resolve(name)));
    }

    assertThat(counts, is(List.of("plain 9/9", "plain 18/9", "ours 9/9", "ours 9/9")));
  }

  private static String rowsAndDistinct(Path table) {
    SparkReader.Count count =
        SparkReader.shared()
            .count(table, "order_id", "customer_id", "status", "amount", "event_time");
    return count.rows() + "/" + count.distinct();
  }

  @Test
  @Covers.Row(4)
  void everyVersionIsCopiedOnceOverCrashesAndACompaction() {
    createSource();
    insert(0, 10);
    crash("before-target-commit");
    run().done();
    assertThat(ids(copy()), is(ids(0, 10)));

    insert(10, 20);
    insert(20, 30);
    sql("OPTIMIZE " + sourceSql());
    insert(30, 40);
    crash("between-targets:1", "--maxRecordsPerBatch=15");
    insert(40, 50);
    crash("before-commits:2", "--maxRecordsPerBatch=15");
    Outcome done = run("--maxRecordsPerBatch=15").done();

    assertThat(ids(copy()), is(ids(0, 50)));
    assertThat(
        EventJob.view(directory.resolve("copy-checkpoint")).batches().stream()
            .map(each -> each.plan().orElseThrow().ranges().get(0))
            .map(range -> range.start() + ".." + range.end())
            .toList(),
        // The creation and the first rows; then whole versions of at most 15 rows.
        is(List.of("0..2", "2..3", "3..5", "5..6", "6..7")));
    assertThat(done.out(), containsString("batch 4"));
  }

  @Test
  void commitThatTakesRowsOutIsRefusedByItsVersionOrLeftOutByWish() {
    createSource();
    insert(0, 10);
    run().done();
    insert(10, 20);
    sql("DELETE FROM " + sourceSql() + " WHERE id = 3");
    insert(20, 30);

    // What comes before it is copied.
    run().refused("Version 3", "DELETE");
    assertThat(ids(copy()), is(ids(0, 20)));
    run().refused("Version 3", "DELETE");
    assertThat(
        run("--onChanges=ignore").done().out(),
        containsString("commits that take rows out, left out: 1"));
    assertThat(ids(copy()), is(ids(0, 30)));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void changeDataFeedIsCopiedAsSparkReadsIt(boolean deletionVectors) {
    createSource(
        "'delta.enableChangeDataFeed' = 'true'",
        "'delta.enableDeletionVectors' = '" + deletionVectors + "'");
    insert(0, 6);
    run("--onChanges=cdf").done();
    sql(
        "UPDATE " + sourceSql() + " SET name = 'changed' WHERE id IN (1, 2)",
        "DELETE FROM " + sourceSql() + " WHERE id IN (2, 3)",
        "MERGE INTO "
            + sourceSql()
            + " t USING (SELECT id, concat('m', id) AS name FROM range(5, 8)) s ON t.id = s.id"
            + " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        "INSERT OVERWRITE " + sourceSql() + " VALUES (100, 'all')");
    run("--onChanges=cdf").done();

    String columns = "id, name, _change_type, _commit_version";
    List<String> expected =
        SparkReader.shared()
            .sql("SELECT %s FROM table_changes_by_path('%s', 1)".formatted(columns, source()))
            .stream()
            .map(JsonNode::toString)
            .toList();
    assertThat(
        SparkReader.shared().sql("SELECT %s FROM delta.`%s`".formatted(columns, copy())).stream()
            .map(JsonNode::toString)
            .toList(),
        containsInAnyOrder(expected.toArray()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "name"})
  void columnsThatTheSourceGainsAndTypesThatItWidensFollowByWish(String columnMapping) {
    createSource();
    sql(
        "CREATE TABLE delta.`"
            + copy()
            + "` (id BIGINT COMMENT 'kept', name STRING) USING delta TBLPROPERTIES"
            + " ('delta.columnMapping.mode' = '"
            + columnMapping
            + "', 'delta.enableTypeWidening' = 'true')");
    insert(0, 2);
    run().done();
    sql(
        "ALTER TABLE " + sourceSql() + " ADD COLUMNS (n SMALLINT, more STRUCT<a: INT, b: STRING>)",
        "INSERT INTO " + sourceSql() + " VALUES (2, 'n2', 7, named_struct('a', 1, 'b', 'x'))");

    run().refused("\"n\"", "\"more\"");
    crash("before-target-commit:1", "--schemaEvolution=add");
    crash("after-target-commit:1", "--schemaEvolution=add");
    run("--schemaEvolution=add").done();
    sql(
        "ALTER TABLE " + sourceSql() + " SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
        "ALTER TABLE " + sourceSql() + " CHANGE COLUMN n TYPE INT",
        "INSERT INTO " + sourceSql() + " VALUES (3, 'n3', 70000, NULL)");
    run("--schemaEvolution=add").refused("\"n\"", "integer", "short");
    Outcome widened = run("--schemaEvolution=widen").done();

    assertThat(widened.out(), containsString("schema of table: widened column n short to integer"));
    assertThat(
        IdemInProcess.run("inspect", "--checkpoint=" + directory.resolve("copy-checkpoint")).out(),
        containsString("widened column n short to integer"));
    assertThat(
        rowsOfTheCopy(),
        is(
            List.of(
                "{\"id\":0,\"name\":\"n0\",\"n\":null,\"more\":null}",
                "{\"id\":1,\"name\":\"n1\",\"n\":null,\"more\":null}",
                "{\"id\":2,\"name\":\"n2\",\"n\":7,\"more\":{\"a\":1,\"b\":\"x\"}}",
                "{\"id\":3,\"name\":\"n3\",\"n\":70000,\"more\":null}")));
    assertThat(
        SparkReader.shared().history(copy()).stream()
            .map(each -> each.path("operationParameters").path("schemaChanges").asText(""))
            .filter(changes -> !changes.isEmpty())
            .toList(),
        is(
            List.of(
                "widened column n short to integer",
                "added column n short, added column more struct<a:integer,b:string>")));
    assertThat(
        SparkReader.shared().sql("DESCRIBE TABLE delta.`" + copy() + "`").toString(),
        containsString("kept"));
    // Others append to what it became.
    sql("INSERT INTO delta.`" + copy() + "` VALUES (4, 'n4', 4, NULL)");
    assertThat(ids(copy()), is(ids(0, 5)));
  }

  /** Spark wrote a checkpoint of version 10, without which older entries could not go. */
  private void loseVersionsBelowFive() throws IOException {
    for (int version = 0; version < 5; version++) {
      Files.delete(source().resolve("_delta_log").resolve("%020d.json".formatted(version)));
    }
  }

  @Test
  void versionsThatTheLogLostAreRefusedOrCountedByWish() throws IOException {
    createSource();
    insert(0, 10);
    run().done();
    for (int n = 1; n <= 12; n++) {
      insert(10L * n, 10L * n + 10);
    }
    loseVersionsBelowFive();

    run().refused("version 2", "begins at version: 5", "3 versions are gone");
    run("--onDataLoss=continue").done();

    List<Long> expected = new ArrayList<>(ids(0, 10));
    expected.addAll(ids(40, 130));
    assertThat(ids(copy()), is(expected));
  }

  @Test
  void tableCreatedAnewAtThePathIsAnotherSource() throws IOException {
    createSource();
    insert(0, 10);
    run("--applicationId=copy").done();
    Files.move(source(), directory.resolve("moved"));
    createSource();
    insert(0, 10);
    insert(10, 20);

    run("--applicationId=copy").refused(source().toString(), "must have the id");
    assertThat(ids(copy()), is(ids(0, 10)));
  }

  @Test
  @Covers.Row(36)
  void tableThatIsMovedIsTheSameSource() throws IOException {
    createSource();
    insert(0, 10);
    run().done();
    Path moved = directory.resolve("moved");
    Files.move(source(), moved);
    SparkReader.shared().sql("INSERT INTO delta.`%s` VALUES (10, 'n10')".formatted(moved));

    List<String> again = command("copy");
    again.set(1, "--sourceTable=" + moved);
    IdemInProcess.run(again.toArray(String[]::new)).done();

    assertThat(ids(copy()), is(ids(0, 11)));
  }

  @Test
  void rowsThatCannotBeTakenAreDeadLettersAsJson() {
    sql(
        "CREATE TABLE " + sourceSql() + " (id BIGINT, at STRING, tags ARRAY<STRING>) USING delta",
        "INSERT INTO "
            + sourceSql()
            + " VALUES (1, '2026-01-01T00:00:00Z', array('a')), (2, 'noon', array('b', null)),"
            + " (3, null, null)");
    run("--eventTime=at").done();

    assertThat(ids(copy()), is(List.of(1L)));
    assertThat(
        SparkReader.shared()
            .sql(
                "SELECT reason, `column`, string(value) AS value, `offset` FROM"
                    + " delta.`%s_dead_letter`".formatted(copy()))
            .stream()
            .map(JsonNode::toString)
            .toList(),
        containsInAnyOrder(
            "{\"reason\":\"parse error\",\"column\":\"at\",\"value\":\"{\\\"id\\\":2,"
                + "\\\"at\\\":\\\"noon\\\",\\\"tags\\\":[\\\"b\\\",null]}\",\"offset\":1}",
            "{\"reason\":\"missing field\",\"column\":\"at\",\"value\":\"{\\\"id\\\":3,"
                + "\\\"at\\\":null,\\\"tags\\\":null}\",\"offset\":1}"));
  }

  /** Three rows, of which the second has an event time that is none and the third has none. */
  private void twoDeadLetters() {
    sql(
        "CREATE TABLE "
            + sourceSql()
            + " (id BIGINT, at STRING, tags ARRAY<STRING>, score DOUBLE) USING delta",
        "INSERT INTO "
            + sourceSql()
            + " VALUES (1, '2026-01-01T00:00:00Z', array('a'), 0.5), (2, 'noon', array('b', null),"
            + " double('NaN')), (3, null, null, null)");
    run("--eventTime=at").done();
    assertThat(ids(copy()), is(List.of(1L)));
    assertThat(deadLetters(), is(List.of("2 parse error", "3 missing field")));
  }

  /** Corrects what the second row has for an event time, where it is kept. */
  private void correct() {
    sql(
        "UPDATE delta.`%s_dead_letter` SET value = binary(replace(string(value), 'noon', '%s'))"
            .formatted(copy(), "2026-01-01T12:00:00Z"));
  }

  /** Returns the dead letters as {@code ID REASON}, sorted. */
  private List<String> deadLetters() {
    return SparkReader.shared()
        .sql(
            "SELECT concat(get_json_object(string(value), '$.id'), ' ', reason) AS letter FROM"
                + " delta.`%s_dead_letter` ORDER BY letter".formatted(copy()))
        .stream()
        .map(row -> row.get("letter").asText())
        .toList();
  }

  private Outcome redrive(String reason, String... more) {
    List<String> arguments = new ArrayList<>(List.of("redrive"));
    arguments.addAll(command("copy", more));
    arguments.add("--reason=" + reason);
    return IdemInProcess.run(arguments.toArray(String[]::new));
  }

  private void assertRedriven() {
    assertThat(
        rowsOfTheCopy(),
        is(
            List.of(
                "{\"id\":1,\"at\":\"2026-01-01T00:00:00Z\",\"tags\":[\"a\"],\"score\":0.5}",
                "{\"id\":2,\"at\":\"2026-01-01T12:00:00Z\",\"tags\":[\"b\",null],"
                    + "\"score\":\"NaN\"}")));
    assertThat(deadLetters(), is(List.of("3 missing field")));
  }

  private List<String> batches() {
    return EventJob.view(directory.resolve("copy-checkpoint")).batches().stream()
        .map(each -> each.batch() + ":" + each.state())
        .toList();
  }

  @ParameterizedTest
  @EnumSource
  void deadLettersThatAreCorrectedAreRowsOnceAndTheOthersStayOnce(JobRunner runner) {
    twoDeadLetters();
    List<String> options = new ArrayList<>(List.of("--eventTime=at"));
    options.addAll(runner.options());
    String[] all = options.toArray(String[]::new);

    redrive("parse error", all).done();
    assertThat(ids(copy()), is(List.of(1L)));
    assertThat(deadLetters(), is(List.of("2 parse error", "3 missing field")));
    correct();
    Outcome redriven = redrive("parse error", all).done();

    assertThat(redriven.out(), containsString("1 dead letters of application"));
    assertRedriven();
    redrive("parse error", all).done();
    redrive("missing field", all).done();
    assertRedriven();
    assertThat(batches(), is(List.of("0:COMMITTED", "1:COMMITTED", "2:COMMITTED", "3:COMMITTED")));
    sql("INSERT INTO " + sourceSql() + " VALUES (4, '2026-01-02T00:00:00Z', null, null)");
    run("--eventTime=at").done();
    assertThat(ids(copy()), is(List.of(1L, 2L, 4L)));
  }

  @Test
  void everyCrashOfARedriveIsGoneOnFromUntilEachRowIsOnceInATable() {
    twoDeadLetters();
    correct();
    String[] redrive = {"--eventTime=at", "--redrive=parse error"};

    crash("after-offsets:1", redrive);
    assertThat(ids(copy()), is(List.of(1L)));
    assertThat(deadLetters(), is(List.of("2 parse error", "3 missing field")));
    crash("between-targets:1", "--eventTime=at");
    assertThat(ids(copy()), is(List.of(1L, 2L)));
    assertThat(deadLetters(), is(List.of("2 parse error", "3 missing field")));
    crash("after-target-commit:1", redrive);
    assertRedriven();
    run("--eventTime=at").done();

    assertRedriven();
    assertThat(batches(), is(List.of("0:COMMITTED", "1:COMMITTED")));
  }

  @Test
  void redriveOfRowsThatJsonCannotHoldIsRefusedBeforeItIsPlanned() {
    sql(
        "CREATE TABLE " + sourceSql() + " (id BIGINT, at STRING, m MAP<INT, INT>) USING delta",
        "INSERT INTO " + sourceSql() + " VALUES (1, 'noon', map(1, 2))");
    run("--eventTime=at").done();

    Outcome refused = redrive("parse error", "--eventTime=at").exits(2);

    assertThat(refused.err(), containsString("\"m\" must have a type that JSON can fill"));
    assertThat(batches(), is(List.of("0:COMMITTED")));
    sql("INSERT INTO " + sourceSql() + " VALUES (2, '2026-01-02T00:00:00Z', null)");
    run("--eventTime=at").done();
    assertThat(ids(copy()), is(List.of(2L)));
  }

  @Test
  void deadLetterIsTheRowThatWasReadWhateverAFunctionMadeOfIt() {
    createSource();
    sql("INSERT INTO " + sourceSql() + " VALUES (1, 'n1'), (NULL, 'none')");
    Schema ids = Schema.builder().addNullableField("id", Schema.FieldType.INT64).build();
    Job job =
        Job.named("mapped")
            .from(DeltaSource.table(source().toString()))
            .through(
                (batch, events) ->
                    events
                        .apply(
                            "KeepId",
                            MapRows.into(ids)
                                .via(
                                    row ->
                                        Row.withSchema(ids).addValue(row.getInt64("id")).build()))
                        .apply("OncePerId", batch.deduplicateBy("id")))
            .into(DeltaTarget.at("copy", copy().toString()));

    JobInProcess.run(job, "--checkpoint=" + directory.resolve("copy-checkpoint")).done();

    assertThat(ids(copy()), is(List.of(1L)));
    assertThat(
        SparkReader.shared()
            .sql("SELECT string(value) AS value FROM delta.`%s_dead_letter`".formatted(copy()))
            .toString(),
        is("[{\"value\":\"{\\\"id\\\":null,\\\"name\\\":\\\"none\\\"}\"}]"));
  }

  @Test
  void refreshEmptiesTheCopyWithTheFirstVersionAndFillsItOnce() {
    createSource();
    for (int n = 0; n < 3; n++) {
      insert(10L * n, 10L * n + 10);
    }
    String[] options = {"--startingVersion=1", "--maxRecordsPerBatch=10"};
    run(options).done();
    assertThat(ids(copy()), is(ids(0, 30)));
    long before = DeltaTable.at(copy().toString(), Map.of()).state().orElseThrow().version();

    List<String> refresh = new ArrayList<>(List.of("refresh"));
    refresh.addAll(command("copy", options));
    crash("before-target-commit:3", "--startingVersion=1", "--maxRecordsPerBatch=10", "--refresh");
    assertThat(ids(copy()), is(ids(0, 30)));
    crash("after-target-commit:3", options);
    assertThat(
        DeltaTable.at(copy().toString(), Map.of()).state().orElseThrow().version(), is(before + 1));
    assertThat(ids(copy()), is(ids(0, 10)));
    run(options).done();
    assertThat(ids(copy()), is(ids(0, 30)));
    Outcome again = IdemInProcess.run(refresh.toArray(String[]::new)).done();

    assertThat(again.out(), containsString("begun anew: batch 6 empties every table first"));
    assertThat(ids(copy()), is(ids(0, 30)));
    assertThat(batches(), is(List.of("6:COMMITTED", "7:COMMITTED", "8:COMMITTED")));
  }

  @Test
  void refreshIsRefusedByBothVersionsOnceTheLogHasLostTheFirst() throws IOException {
    createSource();
    for (int n = 0; n < 13; n++) {
      insert(n, n + 1);
    }
    run("--startingVersion=2").done();
    assertThat(ids(copy()), is(ids(1, 13)));
    long version = DeltaTable.at(copy().toString(), Map.of()).state().orElseThrow().version();
    loseVersionsBelowFive();

    run("--refresh", "--startingVersion=2")
        .refused("version 2, with which --startingVersion begins", "begins at version: 5");
    run("--refresh", "--startingVersion=5", "--onDataLoss=continue")
        .refused(
            "table " + source() + " from version 2, the first that was ever read",
            "can begin at: 5",
            "rows of 3 versions");

    assertThat(
        DeltaTable.at(copy().toString(), Map.of()).state().orElseThrow().version(), is(version));
    run("--startingVersion=2").done();
    assertThat(ids(copy()), is(ids(1, 13)));
  }
}
