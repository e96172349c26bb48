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
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.delta.DeltaLakeIO;
import dev.idem.io.delta.DeltaTable;
import dev.idem.io.delta.ReadTable;
import dev.idem.io.delta.UnusableTableException;
import dev.idem.testing.RunnerUnderTest;
import dev.idem.testing.SparkReader;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables as Spark leaves them, read by this library. */
class SparkTablesIT {

  @TempDir private Path directory;
  private String table;

  @BeforeEach
  void name() {
    table = "delta.`" + directory.resolve("table") + "`";
  }

  private static void sql(String... statements) {
    for (String statement : statements) {
      SparkReader.shared().sql(statement);
    }
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
    var refused =
        assertThrows(
            UnusableTableException.class,
            () -> DeltaTable.at(directory.resolve("table").toString(), Map.of()).refuseUnusable());
    assertThat(refused.getMessage(), containsString("columnMapping"));
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
