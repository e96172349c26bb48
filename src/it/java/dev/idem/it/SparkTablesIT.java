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
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import dev.idem.io.delta.DeltaLakeIO;
import dev.idem.io.delta.ReadTable;
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.kernel.RowDeletions;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.testing.RunnerUnderTest;
import dev.idem.testing.SparkReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables as Spark leaves them, read and extended by this library. */
class SparkTablesIT {

  @TempDir private Path directory;
  private String table;

  @BeforeEach
  void name() {
    table = "delta.`" + directory.resolve("table") + "`";
  }

  private static void sql(String... statements) {
    for (String statement : statements) {
      sql(statement);
    }
  }

  private static List<JsonNode> sql(String statement) {
    return SparkReader.shared().sql(statement);
  }

  private ReadTable read() {
    return DeltaLakeIO.read().from(directory.resolve("table").toString());
  }

  private static void assertReads(RunnerUnderTest runner, ReadTable read, String... rows) {
    Pipeline pipeline = Pipeline.create(runner.options());
    PAssert.that(
            pipeline
                .apply(read)
                .apply(
                    MapElements.into(TypeDescriptors.strings())
                        .via(row -> String.valueOf(row.getValues()))))
        .containsInAnyOrder(Arrays.asList(rows));
    pipeline.run().waitUntilFinish();
  }

  @ParameterizedTest
  @EnumSource
  void rowsThatDeletionVectorsTakeOutAreNotRead(RunnerUnderTest runner) {
    sql(
        "CREATE TABLE "
            + table
            + " (id BIGINT, name STRING) USING delta"
            + " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
        "INSERT INTO " + table + " SELECT /*+ COALESCE(1) */ id, concat('n', id) FROM range(6)",
        "DELETE FROM " + table + " WHERE id IN (1, 4)",
        "UPDATE " + table + " SET name = 'changed' WHERE id = 2");

    assertReads(runner, read(), "[0, n0]", "[2, changed]", "[3, n3]", "[5, n5]");
    assertReads(runner, read().withVersion(2), "[0, n0]", "[2, n2]", "[3, n3]", "[5, n5]");
    assertReads(
        runner,
        read().withVersion(1).withColumns("name"),
        "[n0]",
        "[n1]",
        "[n2]",
        "[n3]",
        "[n4]",
        "[n5]");
  }

  private void delete(LongPredicate which) throws IOException {
    RowDeletions.delete(directory.resolve("table"), "id", id -> which.test((Long) id));
  }

  /** Returns the ids of rows that Spark has, each with the one that it tracks the row by. */
  private Map<Long, Long> tracked(String condition) {
    Map<Long, Long> ids = new TreeMap<>();
    sql("SELECT id, _metadata.row_id AS row FROM " + table + " WHERE " + condition)
        .forEach(row -> ids.put(row.get("id").longValue(), row.get("row").longValue()));
    return ids;
  }

  private void assertBothRead(Map<Long, Long> tracked, Long... ids) {
    Map<Long, Long> left = new TreeMap<>(tracked);
    left.keySet().retainAll(List.of(ids));
    assertThat(left.size(), is(ids.length));
    assertThat(tracked("true"), is(left));
    assertThat(
        DeltaRows.read(directory.resolve("table").toString()).select("id").toList().stream()
            .map(row -> row.getInt64("id"))
            .sorted()
            .toList(),
        is(List.of(ids)));
  }

  @Test
  void sparkAndThisLibraryDeleteRowsOfTheSameFilesInTurn() throws IOException {
    sql(
        "CREATE TABLE "
            + table
            + " (id BIGINT, part INT) USING delta PARTITIONED BY (part)"
            + " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true',"
            + " 'delta.enableRowTracking' = 'true', 'delta.columnMapping.mode' = 'name')");
    sql("INSERT INTO " + table + " SELECT /*+ COALESCE(1) */ id, id % 2 FROM range(20)");
    Map<Long, Long> tracked = tracked("true");

    delete(id -> id % 5 == 0);
    delete(id -> id > 16);
    assertBothRead(tracked, 1L, 2L, 3L, 4L, 6L, 7L, 8L, 9L, 11L, 12L, 13L, 14L, 16L);
    sql("DELETE FROM " + table + " WHERE id IN (2, 3)");
    delete(id -> id == 4 || id == 7);
    assertBothRead(tracked, 1L, 6L, 8L, 9L, 11L, 12L, 13L, 14L, 16L);
    // Bounds of files, which are no longer tight, decide what Spark opens.
    assertThat(tracked("id <= 6 AND part = 0").keySet(), is(Set.of(6L)));
    // Of the odd ones none is left.
    delete(id -> id % 2 == 1 || id == 16);
    sql("REORG TABLE " + table + " APPLY (PURGE)");
    delete(id -> id == 8);
    assertBothRead(tracked, 6L, 12L, 14L);
  }

  @ParameterizedTest
  @EnumSource
  void overwriteReplacesFilesWithDeletionVectorsAndTheirRowsStayOut(RunnerUnderTest runner) {
    sql(
        "CREATE TABLE "
            + table
            + " (id BIGINT, name STRING, region STRING) USING delta PARTITIONED BY (region)"
            + " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true',"
            + " 'delta.enableRowTracking' = 'true')",
        "INSERT INTO "
            + table
            + " SELECT /*+ COALESCE(1) */ id, concat('n', id), IF(id < 4, 'east', 'west')"
            + " FROM range(8)",
        "DELETE FROM " + table + " WHERE id IN (1, 5)");
    Pipeline pipeline = Pipeline.create(runner.options());
    Schema schema =
        Schema.builder()
            .addNullableField("id", FieldType.INT64)
            .addNullableField("name", FieldType.STRING)
            .addNullableField("region", FieldType.STRING)
            .build();
    pipeline
        .apply(
            Create.of(Row.withSchema(schema).addValues(9L, "new", "east").build())
                .withRowSchema(schema))
        .apply(
            DeltaLakeIO.writeExactlyOnce("corrections")
                .to(directory.resolve("table").toString())
                .withPartitionColumns("region")
                .withBatch(0)
                .overwriting(PartitionPredicate.in("region", "east")));
    pipeline.run().waitUntilFinish();

    assertThat(
        SparkReader.shared()
            .sql("SELECT concat_ws(' ', id, name, region) AS text FROM " + table + " ORDER BY text")
            .stream()
            .map(row -> row.get("text").textValue())
            .toList(),
        is(List.of("4 n4 west", "6 n6 west", "7 n7 west", "9 new east")));
    assertReads(
        runner, read(), "[4, n4, west]", "[6, n6, west]", "[7, n7, west]", "[9, new, east]");
    assertThat(
        SparkReader.shared()
            .history(directory.resolve("table"))
            .get(0)
            .at("/operationParameters/predicate")
            .textValue(),
        is("region in (east)"));
  }

  @ParameterizedTest
  @EnumSource
  void mappedColumnsAreReadByTheirNames(RunnerUnderTest runner) {
    sql(
        "CREATE TABLE "
            + table
            + " (id BIGINT, `old name` STRING, region STRING) USING delta"
            + " PARTITIONED BY (region) TBLPROPERTIES ('delta.columnMapping.mode' = 'name',"
            + " 'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5')",
        "INSERT INTO " + table + " VALUES (1, 'a', 'east'), (2, 'b', 'west')",
        "ALTER TABLE " + table + " RENAME COLUMN `old name` TO `new name`",
        "INSERT INTO " + table + " VALUES (3, 'c', 'east')",
        "ALTER TABLE " + table + " RENAME COLUMN region TO area");

    assertReads(
        runner,
        read().wherePartition("area", "east").withColumns("new name", "id"),
        "[a, 1]",
        "[c, 3]");
  }

  private static final Schema EVENTS =
      Schema.builder()
          .addNullableField("new name", FieldType.INT64)
          .addNullableField("region", FieldType.STRING)
          .addNullableField(
              "place",
              FieldType.row(
                  Schema.builder()
                      .addNullableField("CITY", FieldType.STRING)
                      .addNullableField("tags", FieldType.array(FieldType.STRING))
                      .build()))
          .build();

  private static Row event(long id, String region, String city) {
    Row place =
        Row.withSchema(EVENTS.getField("place").getType().getRowSchema())
            .addValues(city, List.of(city + "-tag"))
            .build();
    return Row.withSchema(EVENTS).addValues(id, region, place).build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"name", "id"})
  void mappedColumnsAreWrittenUnderTheNamesThatFilesHave(String mode) {
    sql(
        "CREATE TABLE "
            + table
            + " (`old name` BIGINT, region STRING, place STRUCT<city: STRING, tags: ARRAY<STRING>>)"
            + " USING delta PARTITIONED BY (region) TBLPROPERTIES ('delta.columnMapping.mode' = '"
            + mode
            + "', 'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5')",
        "ALTER TABLE " + table + " RENAME COLUMN `old name` TO `new name`");
    if (mode.equals("name")) {
      sql("ALTER TABLE " + table + " RENAME COLUMN place.city TO town");
      sql("ALTER TABLE " + table + " RENAME COLUMN place.town TO city");
    }
    Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
    pipeline
        .apply(
            Create.of(event(1, "east", "a"), event(2, "west", "b"), event(3, null, "c"))
                .withRowSchema(EVENTS))
        .apply(
            DeltaLakeIO.writeExactlyOnce("events")
                .to(directory.resolve("table").toString())
                .withPartitionColumns("region")
                .withBatch(0));
    pipeline.run().waitUntilFinish();

    // Bounds of files and partition values decide what Spark opens.
    assertThat(
        spark("`new name` >= 2 AND place.city > 'a'"),
        is(List.of("2 west b b-tag", "3 null c c-tag")));
    assertThat(spark("region = 'east'"), is(List.of("1 east a a-tag")));
    assertThat(spark("true"), is(List.of("1 east a a-tag", "2 west b b-tag", "3 null c c-tag")));
    assertReads(
        RunnerUnderTest.DIRECT,
        read().wherePartition("region", "west").withColumns("new name"),
        "[2]");
  }

  private List<String> spark(String condition) {
    return SparkReader.shared()
        .sql(
            "SELECT concat_ws(' ', `new name`, coalesce(region, 'null'), place.city, place.tags[0])"
                + " AS text FROM "
                + table
                + " WHERE "
                + condition
                + " ORDER BY text")
        .stream()
        .map(row -> row.get("text").textValue())
        .toList();
  }

  @Test
  void tableThatForgetsBatchIdsIsTakenOnlyByChoice() {
    EventJob job = EventJob.in(directory);
    sql(
        "CREATE TABLE "
            + table
            + " (id STRING, at STRING, amount BIGINT) USING delta"
            + " TBLPROPERTIES ('delta.setTransactionRetentionDuration' = 'interval 30 days')");
    job.send(0, 10);

    job.run().refused("for ever", "\"delta.setTransactionRetentionDuration\" of PT720H");
    job.run("--acceptTransactionRetention=31d").refused("for PT744H or longer");
    job.run("--acceptTransactionRetention=30d").done();

    assertThat(job.rows(), is(EventJob.events(0, 10)));
  }

  @Test
  void filesThatDoNotHaveTheNamesOfAMappedTableAreNotCommitted() throws IOException {
    sql(
        "CREATE TABLE "
            + table
            + " (id BIGINT) USING delta TBLPROPERTIES"
            + " ('delta.columnMapping.mode' = 'name', 'delta.minReaderVersion' = '2',"
            + " 'delta.minWriterVersion' = '5')");
    Path place = directory.resolve("table");
    Schema schema = Schema.builder().addNullableField("id", FieldType.INT64).build();
    String json = DeltaSchemas.toJson(schema);
    DeltaTable mapped = DeltaTable.at(place.toString(), Map.of());
    try (DataFileWriter writer = DataFileWriter.open(DataFileSpec.of(place.toString(), json))) {
      writer.write(Row.withSchema(schema).addValue(1L).build());
      DeltaCommit commit = DeltaCommit.of("a/b", 0, "p", "c", json).withFiles(writer.finish());

      var refused = assertThrows(SchemaMismatchException.class, () -> mapped.commit(commit));

      assertThat(refused.getMessage(), containsString("DeltaTable.fitted"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void partitionsThatSparkWroteAreFoundByTheirValues(RunnerUnderTest runner) {
    sql(
        "CREATE TABLE "
            + table
            + " (n INT, at TIMESTAMP, local TIMESTAMP_NTZ, d DECIMAL(5,2),"
            + " f DOUBLE, s STRING) USING delta PARTITIONED BY (at, local, d, f, s)",
        "INSERT INTO "
            + table
            + " VALUES"
            + " (1, TIMESTAMP '1969-12-31 23:59:58.5Z', TIMESTAMP_NTZ '2026-01-01 00:00:00', 1.5,"
            + " 1e10, 'a/b %c'),"
            + " (2, NULL, TIMESTAMP_NTZ '2026-01-01 00:00:00.000001', NULL, NULL, NULL)");

    List<ReadTable> first =
        List.of(
            read().wherePartition("at", Instant.parse("1969-12-31T23:59:58.5Z")),
            read().wherePartition("local", LocalDateTime.parse("2026-01-01T00:00:00")),
            read().wherePartition("d", new BigDecimal("1.50")),
            read().wherePartition("f", 1e10),
            read().wherePartition("s", "a/b %c"));
    List<ReadTable> second =
        List.of(
            read().wherePartition("local", LocalDateTime.parse("2026-01-01T00:00:00.000001")),
            read().wherePartition("s", (Object) null));

    first.forEach(read -> assertReads(runner, read.withColumns("n"), "[1]"));
    second.forEach(read -> assertReads(runner, read.withColumns("n"), "[2]"));
  }
}
