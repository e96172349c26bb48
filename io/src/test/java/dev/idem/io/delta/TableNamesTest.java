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

import static dev.idem.io.delta.table.Tables.array;
import static dev.idem.io.delta.table.Tables.column;
import static dev.idem.io.delta.table.Tables.map;
import static dev.idem.io.delta.table.Tables.struct;
import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.Tables;
import dev.idem.testing.RandomRows;
import dev.idem.testing.RunnerUnderTest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows whose columns are called as the table's but for case. */
class TableNamesTest {

  private static final String TABLE =
      struct(
          column("OrderId", "\"long\"", true),
          column("Region", "\"string\"", true),
          column(
              "Items",
              array(
                  struct(
                      column("Sku", "\"string\"", true),
                      column("Prices", map("\"string\"", "\"double\"", true), true)),
                  true),
              true));
  private static final String ROWS =
      struct(
          column("region", "\"string\"", true),
          column("ORDERID", "\"long\"", true),
          column(
              "items",
              array(
                  struct(
                      column("PRICES", map("\"string\"", "\"double\"", true), true),
                      column("sku", "\"string\"", true)),
                  true),
              true));
  private static final List<String> PARTITIONS = List.of("Region");

  @TempDir Path directory;

  private void create() {
    table(directory)
        .commit(DeltaCommit.of("a/b", 0, "p", "c", TABLE).withPartitionColumns(PARTITIONS));
  }

  @ParameterizedTest
  @EnumSource
  void valuesOfRowsArriveUnderTheTablesNames(RunnerUnderTest runner) {
    create();
    List<Row> rows = RandomRows.of(DeltaSchemas.parse(ROWS), 50, 7);
    Pipeline pipeline = Pipeline.create(runner.options());
    pipeline
        .apply(Create.of(rows).withRowSchema(DeltaSchemas.parse(ROWS)))
        .apply(
            DeltaLakeIO.writeExactlyOnce("orders")
                .to(directory.toString())
                .withPartitionColumns("REGION")
                .withBatch(0));
    pipeline.run().waitUntilFinish();

    assertThat(
        DeltaRows.read(directory.toString()).toList(),
        containsInAnyOrder(
            rows.stream().map(TableNamesTest::underTheTablesNames).toArray(Row[]::new)));
  }

  private static Row underTheTablesNames(Row row) {
    Schema schema = DeltaSchemas.parse(TABLE);
    Schema item = schema.getField("Items").getType().getCollectionElementType().getRowSchema();
    Collection<Row> given = row.getArray("items");
    List<Row> items = given == null ? null : new ArrayList<>();
    if (given != null) {
      for (Row each : given) {
        items.add(
            each == null
                ? null
                : Row.withSchema(item).attachValues(each.getValue("sku"), each.getValue("PRICES")));
      }
    }
    return Row.withSchema(schema)
        .attachValues(row.getInt64("ORDERID"), row.getString("region"), items);
  }

  @Test
  void fitIsDecidedWithoutRegardToCase() {
    create();

    table(directory).requireFit(ROWS, List.of("region"));
    var extra =
        assertThrows(
            SchemaMismatchException.class,
            () ->
                table(directory)
                    .requireFit(
                        struct(
                            column("orderid", "\"long\"", true),
                            column("region", "\"string\"", true),
                            column("order_id", "\"long\"", true)),
                        List.of("region")));
    var type =
        assertThrows(
            SchemaMismatchException.class,
            () ->
                table(directory)
                    .requireFit(
                        struct(
                            column("orderid", "\"string\"", true),
                            column("region", "\"string\"", true)),
                        List.of("region")));

    assertThat(extra.column(), is("order_id"));
    assertThat(type.column(), is("OrderId"));
  }

  @Test
  void filesUnderOtherNamesThanTheTablesAreNotCommitted() throws IOException {
    create();
    List<DataFile> files =
        Tables.write(
            DataFileSpec.of(directory.toString(), ROWS).withPartitionColumns(List.of("region")),
            RandomRows.of(DeltaSchemas.parse(ROWS), 3, 7).toArray(Row[]::new));

    var refused =
        assertThrows(
            SchemaMismatchException.class,
            () ->
                table(directory)
                    .commit(
                        DeltaCommit.of("a/b", 1, "p", "c", ROWS)
                            .withPartitionColumns(List.of("region"))
                            .withFiles(files)));

    assertThat(refused.getMessage(), containsString("but was: unknown there"));
    assertThat(DeltaRows.read(directory.toString()).toList(), is(List.of()));
  }

  @Test
  void rowsWithTwoNamesThatDifferInCaseAreRefused() throws IOException {
    create();
    Schema schema =
        Schema.builder()
            .addNullableField("orderid", FieldType.INT64)
            .addNullableField("OrderID", FieldType.INT64)
            .build();
    Row row = Row.withSchema(schema).addValues(1L, 2L).build();
    try (DataFileWriter writer =
        DataFileWriter.open(DataFileSpec.of(directory.toString(), TABLE))) {

      var refused = assertThrows(SchemaMismatchException.class, () -> writer.write(row));

      assertThat(refused.column(), is("OrderID"));
      assertThat(refused.getMessage(), containsString("in other case"));
    }
  }
}
