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

import static dev.idem.io.delta.table.Tables.schema;
import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.error.UnusableTableException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.schema.DeltaType;
import dev.idem.io.delta.schema.SchemaJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableChecksTest {

  @TempDir Path directory;

  private void foreignTable(String schemaJson, String configuration, String protocol)
      throws IOException {
    Files.createDirectories(directory.resolve("_delta_log"));
    String schema = new JsonMapper().writeValueAsString(schemaJson);
    Files.writeString(
        Tables.entry(directory, 0),
        "{\"protocol\":"
            + protocol
            + "}\n{\"metaData\":{\"id\":\"11111111-1111-1111-1111-111111111111\",\"format\":"
            + "{\"provider\":\"parquet\",\"options\":{}},\"schemaString\":"
            + schema
            + ",\"partitionColumns\":[],\"configuration\":"
            + configuration
            + ",\"createdTime\":1}}\n");
  }

  private static String withMetadata(String metadata) {
    return schema("a long").replace("\"metadata\":{}", "\"metadata\":" + metadata);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"delta.constraints.c\":\"a > 0\"} | {} | checkConstraints",
        "{\"delta.setTransactionRetentionDuration\":\"interval 1 week 2 days\"} | {} |"
            + " delta.setTransactionRetentionDuration",
        "{} | {\"delta.generationExpression\":\"b + 1\"} | generatedColumns",
        "{} | {\"delta.identity.start\":1,\"delta.identity.step\":1} | identityColumns",
        "{} | {\"CURRENT_DEFAULT\":\"1\"} | allowColumnDefaults",
        "{} | {\"delta.invariants\":\"x\"} | invariants",
        "{} | {\"__CHAR_VARCHAR_TYPE_STRING\":\"varchar(3)\"} | char/varchar",
      })
  void featureThatWouldNotBeHonouredIsRefusedByName(
      String configuration, String metadata, String feature) throws IOException {
    foreignTable(
        withMetadata(metadata), configuration, "{\"minReaderVersion\":1,\"minWriterVersion\":2}");

    var refused =
        assertThrows(UnusableTableException.class, () -> table(directory).refuseUnusable());
    assertThrows(
        UnusableTableException.class,
        () -> table(directory).commit(DeltaCommit.of("a/b", 0, "p", "c", schema("a long"))));

    assertThat(refused.feature(), is(feature));
    assertThat(refused.getMessage(), containsString("\"" + feature + "\""));
    assertThat(Files.exists(Tables.entry(directory, 1)), is(false));
    assertThat(Files.exists(directory.resolve("_idem")), is(false));
  }

  @Test
  void transactionRetentionIsAcceptedFromTheGivenDurationOn() throws IOException {
    foreignTable(
        schema("a long"),
        "{\"delta.setTransactionRetentionDuration\":\"interval 1 week 2 days\"}",
        "{\"minReaderVersion\":1,\"minWriterVersion\":2}");
    DeltaCommit batch = DeltaCommit.of("a/b", 0, "p", "c", schema("a long"));
    DeltaTable nine = table(directory).acceptTransactionRetention(Duration.ofDays(9));
    DeltaTable more = table(directory).acceptTransactionRetention(Duration.ofDays(9).plusMillis(1));

    var refused = assertThrows(UnusableTableException.class, () -> more.commit(batch));
    assertThrows(UnusableTableException.class, more::refuseUnusable);
    nine.requireFit(schema("a long"), List.of());

    assertThat(refused.getMessage(), containsString("for PT216H0.001S or longer"));
    assertThat(refused.getMessage(), containsString("of PT216H"));
    assertThat(nine.commit(batch), is(new CommitOutcome.Committed(1)));
  }

  @Test
  void plainAppendNeedsNoTransactionIds() throws IOException {
    foreignTable(
        schema("a long"),
        "{\"delta.setTransactionRetentionDuration\":\"interval 1 second\"}",
        "{\"minReaderVersion\":1,\"minWriterVersion\":2}");
    List<DataFile> files =
        Tables.write(
            DataFileSpec.of(directory.toString(), schema("a long")),
            Row.withSchema(DeltaSchemas.parse(schema("a long"))).addValue(5L).build());

    assertThat(table(directory).append(schema("a long"), List.of(), files), is(1L));
  }

  @Test
  void rowsDoNotLeaveATableWithAChangeFeed() throws IOException {
    table(directory)
        .commit(
            Tables.commit(directory, "a/b", 0, "x")
                .withTableProperties(Map.of("delta.enableChangeDataFeed", "true")));
    List<DataFile> first = table(directory).files();
    DeltaCommit removal = Tables.commit(directory, "a/b", 1, "y").withRemovedFiles(first);

    var refused =
        assertThrows(UnusableTableException.class, () -> table(directory).commit(removal));
    table(directory)
        .commit(
            Tables.commit(directory, "a/b", 1, "y")
                .withRewrittenFiles(first, Tables.orders(directory, "x")));

    assertThat(refused.feature(), is("delta.enableChangeDataFeed"));
    assertThat(Tables.names(directory), is(List.of("x", "y")));
  }

  @Test
  void unsupportedColumnTypeIsRefusedByColumn() throws IOException {
    foreignTable(schema("v variant"), "{}", "{\"minReaderVersion\":1,\"minWriterVersion\":2}");

    var refused =
        assertThrows(UnusableTableException.class, () -> table(directory).refuseUnusable());

    assertThat(refused.getMessage(), containsString("Column \"v\""));
  }

  @Test
  void unknownWriterFeatureIsRefusedByName() throws IOException {
    foreignTable(
        schema("a long"),
        "{}",
        "{\"minReaderVersion\":1,\"minWriterVersion\":7,\"writerFeatures\":[\"futureThing\"]}");

    var refused =
        assertThrows(UnusableTableException.class, () -> table(directory).refuseUnusable());

    assertThat(refused.feature(), is("futureThing"));
  }

  @Test
  void protocolThatCannotBeReadIsRefused() throws IOException {
    foreignTable(schema("a long"), "{}", "{\"minReaderVersion\":9,\"minWriterVersion\":9}");

    var refused = assertThrows(UnusableTableException.class, () -> table(directory).state());

    assertThat(refused.feature(), is("protocol version"));
    assertThat(refused.getMessage(), containsString("9"));
  }

  @Test
  void plainForeignTableIsUsable() throws IOException {
    foreignTable(schema("a long"), "{}", "{\"minReaderVersion\":1,\"minWriterVersion\":2}");

    table(directory).refuseUnusable();
    CommitOutcome outcome =
        table(directory).commit(DeltaCommit.of("a/b", 0, "p", "c", schema("a long")));

    assertThat(outcome.version(), is(1L));
  }

  @Test
  void schemaThatDoesNotFitIsRefusedByColumn() throws IOException {
    table(directory)
        .commit(
            DeltaCommit.of("a/b", 0, "p", "c", schema("id long not", "n string", "p string"))
                .withPartitionColumns(List.of("p")));

    assertThat(refusedColumn(List.of("p"), "n string", "p string"), is("id"));
    assertThat(refusedColumn(List.of("p"), "id long not", "x long", "p string"), is("x"));
    assertThat(refusedColumn(List.of("p"), "id integer not", "p string"), is("id"));
    assertThat(refusedColumn(List.of("p"), "id long", "p string"), is("id"));
    assertThat(refusedColumn(List.of("p"), "id long not", "N string", "p string"), is("N"));
    assertThat(refusedColumn(List.of(), "id long not", "n string", "p string"), is("p"));
    assertThat(table(directory).state().orElseThrow().version(), is(1L));
  }

  private String refusedColumn(List<String> partition, String... columns) {
    DeltaCommit commit =
        DeltaCommit.of("a/b", 1, "p", "c", schema(columns)).withPartitionColumns(partition);
    return assertThrows(SchemaMismatchException.class, () -> table(directory).commit(commit))
        .column();
  }

  @Test
  void filesAreRefusedByTheirSchemaAloneAndNothingIsWritten() throws IOException {
    table(directory).commit(DeltaCommit.of("a/b", 0, "p", "c", schema("id long")));
    Path none = directory.resolve("none");

    table(directory).requireFit(schema("id long"), List.of());
    table(none).requireFit(schema("id long", "p string"), List.of("p"));
    assertThat(unfit(directory, List.of(), "id string"), is("id"));
    assertThat(unfit(none, List.of("q"), "id long"), is(""));

    assertThat(table(directory).state().orElseThrow().version(), is(1L));
    assertThat(Files.exists(none), is(false));
  }

  private static String unfit(Path path, List<String> partition, String... columns) {
    return assertThrows(
            SchemaMismatchException.class, () -> table(path).requireFit(schema(columns), partition))
        .column();
  }

  @ParameterizedTest
  @ValueSource(strings = {" ", ",", ";", "{", "}", "(", ")", "\n", "\t", "="})
  void nameThatParquetDoesNotTakeIsRefusedByColumn(String character) {
    String name = "a" + character + "b";
    String json = SchemaJson.write(List.of(new DeltaColumn(name, DeltaType.Primitive.LONG, true)));

    var refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> DataFileWriter.open(DataFileSpec.of(directory.toString(), json)));

    assertThat(refused.getMessage(), containsString("\"" + name + "\""));
  }

  @Test
  void missingNullableColumnFits() throws IOException {
    table(directory).commit(Tables.commit(directory, "a/b", 0, "x"));

    String ids = schema("id long not");
    table(directory)
        .commit(
            DeltaCommit.of("a/b", 1, "p", "c", ids)
                .withFiles(
                    Tables.write(
                        DataFileSpec.of(directory.toString(), ids),
                        Row.withSchema(DeltaSchemas.parse(ids)).addValue(5L).build())));

    assertThat(
        DeltaRows.read(directory.toString()).toList().stream()
            .filter(row -> row.getString("name") == null)
            .map(row -> row.getInt64("id"))
            .toList(),
        is(List.of(5L)));
  }
}
