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
package dev.idem.io.delta.table;

import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.schema.SchemaFit;
import dev.idem.io.delta.schema.SchemaJson;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaEvolutionTest {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String NARROW = Tables.schema("n long");
  private static final String WIDE = Tables.schema("n long", "word string");

  @TempDir Path directory;

  private static EvolvedSchema widened(String table, String given) {
    return EvolvedSchema.of(table, SchemaJson.read(given), SchemaEvolution.WIDEN, true, false, 0);
  }

  private static Row row(String schema, Object... values) {
    return Row.withSchema(DeltaSchemas.parse(schema)).addValues(values).build();
  }

  private DeltaCommit batch(long id, String schema, Row... rows) throws IOException {
    DataFileSpec spec =
        table(directory)
            .evolving(SchemaEvolution.ADD)
            .fitted(DataFileSpec.of(directory.toString(), schema));
    return DeltaCommit.of("a/b", id, "p" + id, "c", spec.schemaJson())
        .withFiles(Tables.write(spec, rows));
  }

  @Test
  void columnIsAddedInTheCommitWithTheRowsThatNeedIt() throws IOException {
    table(directory).commit(batch(0, NARROW, row(NARROW, 1L)));
    DeltaCommit wider = batch(1, WIDE, row(WIDE, 2L, "two"));

    assertThat(
        table(directory).evolving(SchemaEvolution.ADD).schemaChanges(WIDE),
        contains("added column word string"));
    SchemaMismatchException refused =
        assertThrows(SchemaMismatchException.class, () -> table(directory).commit(wider));
    assertThat(refused.getMessage(), containsString("word"));
    table(directory).evolving(SchemaEvolution.ADD).commit(wider);
    table(directory).evolving(SchemaEvolution.ADD).commit(batch(2, NARROW, row(NARROW, 3L)));

    assertThat(table(directory).state().orElseThrow().version(), is(3L));
    List<List<Object>> read = new ArrayList<>();
    DeltaRows.read(directory.toString()).toList().forEach(each -> read.add(each.getValues()));
    read.sort((left, right) -> Long.compare((Long) left.get(0), (Long) right.get(0)));
    assertThat(read.toString(), is("[[1, null], [2, two], [3, null]]"));
    assertThat(table(directory).evolving(SchemaEvolution.ADD).schemaChanges(NARROW), empty());
  }

  @Test
  void replayOfAnEvolvingBatchChangesNothing() throws IOException {
    table(directory).commit(batch(0, NARROW, row(NARROW, 1L)));
    DeltaTable evolving = table(directory).evolving(SchemaEvolution.ADD);
    DeltaCommit wider = batch(1, WIDE, row(WIDE, 2L, "two"));
    evolving.commit(wider);
    long version = evolving.state().orElseThrow().version();

    evolving.commit(wider);

    assertThat(evolving.state().orElseThrow().version(), is(version));
  }

  @Test
  void addedColumnIsLastAndNullableAndTheRestOfTheSchemaStays() throws IOException {
    String table =
        """
        {"type":"struct","fields":[
          {"name":"n","type":"long","nullable":false,"metadata":{"comment":"a number"}},
          {"name":"s","type":{"type":"struct","fields":[
            {"name":"a","type":"string","nullable":true,"metadata":{"comment":"within"}}]},
           "nullable":true,"metadata":{}}]}""";
    String given =
        """
        {"type":"struct","fields":[
          {"name":"first","type":"integer","nullable":false,"metadata":{}},
          {"name":"n","type":"long","nullable":false,"metadata":{}},
          {"name":"s","type":{"type":"struct","fields":[
            {"name":"b","type":"date","nullable":false,"metadata":{}},
            {"name":"a","type":"string","nullable":true,"metadata":{}}]},
           "nullable":true,"metadata":{}}]}""";

    EvolvedSchema evolved =
        EvolvedSchema.of(table, SchemaJson.read(given), SchemaEvolution.ADD, false, false, 0);

    assertThat(
        JSON.readTree(evolved.json()),
        is(
            JSON.readTree(
                """
                {"type":"struct","fields":[
                  {"name":"n","type":"long","nullable":false,"metadata":{"comment":"a number"}},
                  {"name":"s","type":{"type":"struct","fields":[
                    {"name":"a","type":"string","nullable":true,
                     "metadata":{"comment":"within"}},
                    {"name":"b","type":"date","nullable":true,"metadata":{}}]},
                   "nullable":true,"metadata":{}},
                  {"name":"first","type":"integer","nullable":true,"metadata":{}}]}""")));
    assertThat(evolved.changes(), contains("added column first integer", "added column s.b date"));
  }

  @Test
  void columnsOfAMappedTableGetNumbersAndNamesThatNoOtherHas() {
    String table =
        """
        {"type":"struct","fields":[
          {"name":"n","type":"long","nullable":true,"metadata":{
            "delta.columnMapping.id":4,"delta.columnMapping.physicalName":"col-n"}}]}""";

    EvolvedSchema evolved =
        EvolvedSchema.of(
            table,
            SchemaJson.read(Tables.schema("n long", "a string", "b string")),
            SchemaEvolution.ADD,
            false,
            true,
            7);

    List<DeltaColumn> columns = evolved.columns();
    assertThat(columns.stream().map(DeltaColumn::fieldId).toList(), is(List.of(4, 8, 9)));
    assertThat(columns.get(0).physicalName(), is("col-n"));
    assertThat(columns.get(1).physicalName().startsWith("col-"), is(true));
    assertThat(columns.stream().map(DeltaColumn::physicalName).distinct().count(), is(3L));
    assertThat(evolved.forCommit().orElseThrow().maxFieldId(), is(9));

    // Files that have those names fit as long as nobody else took the numbers.
    EvolvedSchema again = EvolvedSchema.of(table, columns, SchemaEvolution.ADD, false, true, 7);
    assertThat(again.columns(), is(columns));
    EvolvedSchema taken = EvolvedSchema.of(table, columns, SchemaEvolution.ADD, false, true, 8);
    assertThrows(
        SchemaMismatchException.class, () -> SchemaFit.require("t", taken.columns(), columns));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "byte|short",
        "byte|integer",
        "byte|long",
        "short|integer",
        "integer|long",
        "byte|double",
        "integer|double",
        "float|double",
        "date|timestamp_ntz",
        "integer|decimal(10,0)",
        "integer|decimal(12,2)",
        "long|decimal(20,0)",
        "decimal(5,2)|decimal(7,3)",
        "decimal(5,2)|decimal(6,2)",
        "decimal(5,2)|decimal(6,3)"
      })
  void typeIsWidenedAsTheProtocolAllows(String from, String to) throws IOException {
    EvolvedSchema evolved = widened(Tables.schema("c " + from), Tables.schema("c " + to));

    assertThat(evolved.changes(), contains("widened column c " + from + " to " + to));
    JsonNode field = JSON.readTree(evolved.json()).path("fields").path(0);
    assertThat(field.path("type").asText(), is(to));
    assertThat(
        field.path("metadata").path("delta.typeChanges"),
        is(JSON.readTree("[{\"fromType\":\"%s\",\"toType\":\"%s\"}]".formatted(from, to))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "long|integer",
        "long|double",
        "double|float",
        "string|long",
        "long|string",
        "integer|decimal(9,0)",
        "integer|decimal(10,1)",
        "long|decimal(19,0)",
        "decimal(5,2)|decimal(5,3)",
        "decimal(5,2)|decimal(5,1)",
        "timestamp|timestamp_ntz",
        "date|timestamp",
        "integer|float",
        "decimal(5,2)|decimal(5,2)"
      })
  void otherTypesStay(String from, String to) {
    EvolvedSchema evolved = widened(Tables.schema("c " + from), Tables.schema("c " + to));

    assertThat(evolved.changes(), empty());
  }

  @Test
  void typeWithinAnArrayOrAMapIsWidenedWithItsPath() throws IOException {
    String nested =
        """
        {"type":"struct","fields":[{"name":"c","nullable":true,"metadata":{},"type":
          {"type":"map","valueContainsNull":true,"keyType":"%s","valueType":
            {"type":"array","elementType":"%s","containsNull":true}}}]}""";

    EvolvedSchema evolved =
        widened(nested.formatted("byte", "float"), nested.formatted("long", "double"));

    JsonNode field = JSON.readTree(evolved.json()).path("fields").path(0);
    assertThat(
        field.path("metadata").path("delta.typeChanges"),
        is(
            JSON.readTree(
                "[{\"fromType\":\"byte\",\"toType\":\"long\",\"fieldPath\":\"key\"},"
                    + "{\"fromType\":\"float\",\"toType\":\"double\","
                    + "\"fieldPath\":\"value.element\"}]")));
    assertThat(
        evolved.changes(),
        contains(
            "widened column c.key byte to long", "widened column c.value.element float to double"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void typesStayUnlessTheyMayBeWidenedAndTheTableSaysSo(boolean table) {
    EvolvedSchema evolved =
        EvolvedSchema.of(
            Tables.schema("c integer"),
            SchemaJson.read(Tables.schema("c long")),
            table ? SchemaEvolution.ADD : SchemaEvolution.WIDEN,
            table,
            false,
            0);

    assertThat(evolved.changes(), empty());
  }
}
