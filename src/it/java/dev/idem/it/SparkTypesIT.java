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
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.JsonNode;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.testing.RandomRows;
import dev.idem.testing.SparkReader;
import dev.idem.testing.SparkReader.Query;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values of every type, between this library and Delta Lake's own Spark connector, both ways. */
class SparkTypesIT {

  private static final int ROWS = 1_000;

  private static final FieldType SHORTS =
      FieldType.array(FieldType.array(FieldType.INT16.withNullable(true)).withNullable(true));

  private static final FieldType DEEP =
      FieldType.row(
          Schema.builder()
              .addNullableField("a", FieldType.STRING)
              .addNullableField(
                  "b",
                  FieldType.row(
                      Schema.builder()
                          .addNullableField(
                              "c",
                              FieldType.array(
                                  FieldType.row(
                                          Schema.builder()
                                              .addNullableField("d", decimal(20, 5))
                                              .addNullableField("e", timestamp())
                                              .build())
                                      .withNullable(true)))
                          .build()))
              .build());

  private static final Schema SCHEMA =
      Schema.builder()
          .addInt64Field("id")
          .addNullableField("text", FieldType.STRING)
          .addNullableField("int8", FieldType.BYTE)
          .addNullableField("int16", FieldType.INT16)
          .addNullableField("int32", FieldType.INT32)
          .addNullableField("int64", FieldType.INT64)
          .addNullableField("float32", FieldType.FLOAT)
          .addNullableField("float64", FieldType.DOUBLE)
          .addNullableField("flag", FieldType.BOOLEAN)
          .addNullableField("bytes", FieldType.BYTES)
          .addNullableField("day", FieldType.logicalType(SqlTypes.DATE))
          .addNullableField("at", timestamp())
          .addNullableField("local", FieldType.logicalType(SqlTypes.DATETIME))
          .addNullableField("decimal1", decimal(1, 1))
          .addNullableField("decimal9", decimal(9, 2))
          .addNullableField("decimal10", decimal(10, 0))
          .addNullableField("decimal18", decimal(18, 18))
          .addNullableField("decimal19", decimal(19, 4))
          .addNullableField("decimal38", decimal(38, 10))
          .addNullableField("days", FieldType.array(FieldType.logicalType(SqlTypes.DATE)))
          .addNullableField("grid", FieldType.array(SHORTS.withNullable(true)))
          .addNullableField("scores", FieldType.map(FieldType.INT64, FieldType.DOUBLE))
          .addNullableField(
              "history",
              FieldType.map(
                  timestamp(), FieldType.map(FieldType.STRING, SHORTS).withNullable(true)))
          .addNullableField("deep", DEEP)
          .addNullableField("deeps", FieldType.array(DEEP.withNullable(true)))
          .build();

  @TempDir private Path directory;

  private static FieldType timestamp() {
    return FieldType.logicalType(new MicrosInstant());
  }

  private static FieldType decimal(int precision, int scale) {
    return FieldType.logicalType(FixedPrecisionNumeric.of(precision, scale));
  }

  @Test
  void sparkReadsEveryValueOfOursAndWeReadAndExtendWhatItWrote() throws IOException {
    long seed = System.nanoTime();
    System.out.println("values of every type with seed " + seed);
    List<Row> rows = rows(seed);
    Path ours = directory.resolve("ours");
    Path theirs = directory.resolve("theirs");
    append(ours, rows, 0);

    assertSparkReads(ours, rows, seed);

    SparkReader.shared()
        .sql(
            "CREATE TABLE delta.`"
                + theirs
                + "` USING delta AS SELECT * FROM delta.`"
                + ours
                + "`");
    assertWeRead(theirs, rows, seed);

    List<Row> more =
        rows(seed + 1).stream().map(row -> withId(row, 2 * ROWS + row.getInt64(0))).toList();
    append(theirs, more, 0);
    List<Row> all = new ArrayList<>(rows);
    all.addAll(more);
    assertSparkReads(theirs, all, seed);
    assertWeRead(theirs, all, seed);
  }

  private static List<Row> rows(long seed) {
    List<Row> random = RandomRows.of(SCHEMA, ROWS, seed);
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      rows.add(withId(random.get(i), 2L * i));
    }
    return rows;
  }

  private static Row withId(Row row, long id) {
    List<Object> values = new ArrayList<>(row.getValues());
    values.set(0, id);
    return Row.withSchema(SCHEMA).attachValues(values);
  }

  private static void append(Path table, List<Row> rows, long batch) throws IOException {
    String json = DeltaSchemas.toJson(SCHEMA);
    try (DataFileWriter writer = DataFileWriter.open(DataFileSpec.of(table.toString(), json))) {
      for (Row row : rows) {
        writer.write(row);
      }
      DeltaTable.at(table.toString(), Map.of())
          .commit(
              DeltaCommit.of("types/main", batch, "plan", "content", json)
                  .withFiles(writer.finish()));
    }
  }

  /** Spark makes every column and every element of its own tables nullable. */
  private static void assertWeRead(Path table, List<Row> rows, long seed) {
    List<Row> read =
        DeltaRows.read(table.toString()).toList().stream()
            .sorted(Comparator.comparing(row -> row.getInt64("id")))
            .toList();
    assertSame(read.stream().map(SparkJson::of).toList(), rows, seed);
  }

  private static void assertSparkReads(Path table, List<Row> rows, long seed) {
    assertSame(SparkReader.shared().rows(Query.of(table).orderBy("id")), rows, seed);
  }

  private static void assertSame(List<JsonNode> read, List<Row> rows, long seed) {
    assertThat("rows", read.size(), is(rows.size()));
    for (int i = 0; i < rows.size(); i++) {
      JsonNode expected = SparkJson.of(rows.get(i));
      for (String column : SCHEMA.getFieldNames()) {
        assertThat(
            "row " + i + ", column " + column + ", seed " + seed,
            read.get(i).get(column),
            is(expected.get(column)));
      }
    }
  }
}
