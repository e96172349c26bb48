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
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.not;

import com.fasterxml.jackson.databind.JsonNode;
import dev.idem.io.delta.maintenance.CleanSpec;
import dev.idem.io.delta.maintenance.OptimizeResult;
import dev.idem.io.delta.maintenance.OptimizeSpec;
import dev.idem.io.delta.maintenance.TableMaintenance;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.file.DurableFiles;
import dev.idem.io.file.FileObserver;
import dev.idem.io.file.FileOperation;
import dev.idem.testing.SparkReader;
import dev.idem.testing.SparkReader.Query;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables of Spark's whose files this library rewrites, and Spark reads. */
class OptimizeIT {

  @TempDir private Path directory;
  private Path path;
  private String table;

  @BeforeEach
  void name() {
    path = directory.resolve("table");
    table = "delta.`" + path + "`";
  }

  private static List<JsonNode> sql(String statement) {
    return SparkReader.shared().sql(statement);
  }

  private TableMaintenance maintenance() {
    return TableMaintenance.at(path.toString(), Map.of());
  }

  private DeltaTable idem() {
    return DeltaTable.at(path.toString(), Map.of());
  }

  private List<JsonNode> rows() {
    return SparkReader.shared().rows(Query.of(path).orderBy("id"));
  }

  /** Makes a table of nested values of every type, in six files, with rows deleted in four. */
  private void create(String mode) {
    sql(
        "CREATE TABLE "
            + table
            + " (id BIGINT, old STRING, flag BOOLEAN, b TINYINT, s SMALLINT, i INT, f FLOAT,"
            + " d DOUBLE, small DECIMAL(9,2), large DECIMAL(38,10), bin BINARY, day DATE,"
            + " at TIMESTAMP, local TIMESTAMP_NTZ, nested STRUCT<x: INT, old: ARRAY<STRUCT<k:"
            + " STRING, m: MAP<STRING, DECIMAL(5,1)>>>>, p STRING, since TIMESTAMP) USING delta"
            + " PARTITIONED BY (p, since) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true',"
            + " 'delta.columnMapping.mode' = '"
            + mode
            + "')");
    for (int part = 0; part < 3; part++) {
      sql(
          "INSERT INTO "
              + table
              + " SELECT /*+ COALESCE(1) */ id, concat('n', id), id % 2 = 0, cast(id AS TINYINT),"
              + " cast(id * 3 AS SMALLINT), cast(id * 1000 AS INT), cast(id / 3 AS FLOAT),"
              + " IF(id = 7, double('NaN'), id / 7), cast(id / 8 AS DECIMAL(9,2)),"
              + " cast(cast(id AS DECIMAL(20,0)) / 3 AS DECIMAL(38,10)),"
              + " cast(cast(id AS STRING) AS BINARY), date_add('1969-12-20', cast(id AS INT)),"
              + " timestamp_micros(id * 1234567 - 20000000), cast('2026-01-01 00:00:00.000001' AS"
              + " TIMESTAMP_NTZ), IF(id % 5 = 0, NULL, named_struct('x', cast(id AS INT), 'old',"
              + " array(NULL, named_struct('k', 'k', 'm', map('a', cast(id / 10 AS DECIMAL(5,1)),"
              + " 'b', NULL))))), IF(id % 2 = 0, 'a/b %c', NULL),"
              + " TIMESTAMP '2026-01-01 00:00:00' FROM range("
              + part * 10
              + ", "
              + (part + 1) * 10
              + ")");
    }
    sql("DELETE FROM " + table + " WHERE id IN (1, 2, 11, 28)");
    sql("ALTER TABLE " + table + " RENAME COLUMN old TO `new name`");
    sql("ALTER TABLE " + table + " RENAME COLUMN nested.old TO young");
    sql("ALTER TABLE " + table + " ADD COLUMN later INT");
  }

  private List<Integer> ids(String condition) {
    return SparkReader.shared().rows(Query.of(path).where(condition).orderBy("id")).stream()
        .map(row -> row.get("id").asInt())
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"id,", "name, NEW NAME"})
  void rowsOfAMappedTableWithDeletedRowsStayValueByValue(String mode, String clusterBy)
      throws IOException {
    create(mode);
    List<JsonNode> before = rows();

    OptimizeSpec spec = OptimizeSpec.ofDefaults();
    OptimizeResult result =
        maintenance().optimize(clusterBy == null ? spec : spec.clusterBy(clusterBy));

    assertThat(before, hasSize(26));
    assertThat(rows(), is(before));
    assertThat(result.removedFiles(), is(6L));
    assertThat(result.addedFiles(), is(2L));
    assertThat(SparkReader.shared().files(Query.of(path)), is(2));
    // Bounds and partition values of the new files decide what Spark opens.
    assertThat(ids("`new name` >= 'n25' AND nested.x < 27 AND p IS NULL"), contains(3, 7, 9));
    assertThat(ids("p = 'a/b %c' AND since = TIMESTAMP '2026-01-01' AND i > 25000"), contains(26));
    long version = idem().state().orElseThrow().version();
    assertThat(
        SparkReader.shared().rows(Query.of(path).version(version - 2).orderBy("id")), is(before));
    JsonNode history = SparkReader.shared().history(path).get(0);
    assertThat(history.get("operation").asText(), is("OPTIMIZE"));
    assertThat(history.get("operationMetrics").get("numRemovedFiles").asText(), is("3"));
    assertThat(
        Files.readString(TableLog.entry(path, version)), not(containsString("\"metaData\"")));
    // Spark goes on with what it finds.
    sql("DELETE FROM " + table + " WHERE id < 20");
    sql("INSERT INTO " + table + " (id) VALUES (100)");
    assertThat(ids("true"), contains(20, 21, 22, 23, 24, 25, 26, 27, 29, 100));
  }

  @Test
  void rowsThatAreDeletedMeanwhileStayDeleted() throws IOException {
    create("name");
    List<Integer> before = ids("id <> 5");
    boolean[] deleted = {false};
    FileObserver observer =
        new FileObserver() {
          @Override
          public void before(FileOperation operation) {
            if (operation.kind() == FileOperation.Kind.LINK && !deleted[0]) {
              deleted[0] = true;
              sql("DELETE FROM " + table + " WHERE id = 5");
            }
          }

          @Override
          public void after(FileOperation operation) {}
        };
    OptimizeResult result;
    DurableFiles.Observation observation = DurableFiles.observe(path, observer);
    try {
      result = maintenance().optimize(OptimizeSpec.ofDefaults());
    } finally {
      observation.close();
    }

    assertThat(result.commits(), is(1L));
    assertThat(result.yielded(), is(1L));
    assertThat(ids("true"), is(before));
    assertThat(maintenance().optimize(OptimizeSpec.ofDefaults()).commits(), is(1L));
    assertThat(ids("true"), is(before));
    assertThat(SparkReader.shared().files(Query.of(path)), is(2));
  }

  @Test
  void deletionVectorsOfEveryVersionStayAndOrphansGo() throws IOException {
    create("name");
    maintenance().optimize(OptimizeSpec.ofDefaults());
    sql("DELETE FROM " + table + " WHERE id = 3");
    List<List<JsonNode>> before = versions();
    Path vector = files(".bin").get(0);
    Path orphan = path.resolve("deletion_vector_61d16c75-6994-46b7-a15b-8b538852e50e.bin");
    Files.copy(vector, orphan);
    Path data = files(".parquet").get(0);
    Path aborted = data.resolveSibling("part-00000-aborted.c000.snappy.parquet");
    Files.copy(data, aborted);
    int all = files(".bin").size() + files(".parquet").size();
    Clock later = Clock.offset(Clock.systemUTC(), Duration.ofDays(8));

    List<String> deleted =
        TableMaintenance.at(path.toString(), Map.of(), later)
            .clean(CleanSpec.olderThan(Duration.ofDays(7)))
            .files();

    assertThat(
        deleted,
        containsInAnyOrder(
            path.relativize(orphan).toString(), path.relativize(aborted).toString()));
    assertThat(files(".bin").size() + files(".parquet").size(), is(all - 2));
    assertThat(versions(), is(before));
  }

  /** Returns the rows of the versions after the first deletion, after the rewrite, and the last. */
  private List<List<JsonNode>> versions() {
    long last = idem().state().orElseThrow().version();
    return Stream.of(4L, last - 1, last)
        .map(version -> SparkReader.shared().rows(Query.of(path).version(version).orderBy("id")))
        .toList();
  }

  /** Text of which Java and UTF-8 have another order each. */
  private static final String TEXT = "concat(IF(id % 2 = 0, '\\uFFFD', '\\uD83D\\uDE00'), k)";

  @Test
  void sparkSkipsFilesByTheRangesOfClusteredColumns() {
    sql(
        "CREATE TABLE "
            + table
            + " (id BIGINT, k BIGINT, name STRING, p INT) USING delta PARTITIONED BY (p)"
            + " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')");
    for (int part = 0; part < 3; part++) {
      sql(
          "INSERT INTO "
              + table
              + " SELECT /*+ COALESCE(1) */ id, k, "
              + TEXT
              + ", id % 2 FROM (SELECT id, (id * 7919) % 30011 AS k FROM range("
              + part * 10_000
              + ", "
              + (part + 1) * 10_000
              + "))");
    }
    sql("DELETE FROM " + table + " WHERE id % 3000 = 1");
    List<JsonNode> before = rows();
    Query some = Query.of(path).where("k BETWEEN 5000 AND 5050");
    assertThat(SparkReader.shared().opened(some), is(6));

    OptimizeSpec spec = OptimizeSpec.ofDefaults().withTargetFileSize(40_000).clusterBy("k", "name");
    assertThat(maintenance().optimize(spec).commits(), is(2L));

    assertThat(rows(), is(before));
    assertThat(SparkReader.shared().files(Query.of(path)), greaterThanOrEqualTo(8));
    assertThat(SparkReader.shared().opened(some), lessThanOrEqualTo(4));
    assertThat(maintenance().optimize(spec).commits(), is(0L));
    // A few deleted rows are worth nothing, many a rewrite; and so is any new file.
    sql("DELETE FROM " + table + " WHERE id % 1000 = 2");
    assertThat(maintenance().optimize(spec).commits(), is(0L));
    sql("DELETE FROM " + table + " WHERE p = 1 AND k < 1000");
    List<JsonNode> fewer = rows();
    assertThat(maintenance().optimize(spec).commits(), is(1L));
    assertThat(rows(), is(fewer));
    assertThat(maintenance().optimize(spec).commits(), is(0L));
    assertThat(
        maintenance().optimize(spec.clusterBy("name").withTargetFileSize(80_000)).commits(),
        is(2L));
    assertThat(rows(), is(fewer));
  }

  private List<Path> files(String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      return files
          .filter(file -> file.toString().endsWith(suffix))
          .filter(file -> !file.startsWith(path.resolve("_delta_log")))
          .sorted()
          .toList();
    }
  }

  @Test
  void changeFeedSaysThatNothingChanged() {
    sql(
        "CREATE TABLE "
            + table
            + " (id BIGINT) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')");
    for (int id = 0; id < 3; id++) {
      sql("INSERT INTO " + table + " VALUES (" + id + ")");
    }

    assertThat(maintenance().optimize(OptimizeSpec.ofDefaults()).removedFiles(), is(3L));

    assertThat(
        sql("SELECT _commit_version FROM table_changes_by_path('" + path + "', 1)").stream()
            .map(row -> row.get("_commit_version").asInt())
            .sorted()
            .toList(),
        contains(1, 2, 3));
    assertThat(ids("true"), contains(0, 1, 2));
  }
}
