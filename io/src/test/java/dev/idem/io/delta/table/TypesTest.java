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
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.io.delta.error.RowRefusedException;
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.testing.RandomRows;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.EnumerationType;
import org.apache.beam.sdk.schemas.logicaltypes.FixedBytes;
import org.apache.beam.sdk.schemas.logicaltypes.FixedString;
import org.apache.beam.sdk.schemas.logicaltypes.NanosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.schemas.logicaltypes.Timestamp;
import org.apache.beam.sdk.schemas.logicaltypes.UuidLogicalType;
import org.apache.beam.sdk.schemas.logicaltypes.VariableBytes;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every type of a column, at every depth. */
class TypesTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;

  private List<DataFile> write(String json, List<Row> rows) throws IOException {
    return write(DataFileSpec.of(directory.toString(), json), json, rows);
  }

  private List<DataFile> write(DataFileSpec spec, String json, List<Row> rows) throws IOException {
    List<DataFile> files = Tables.write(spec, rows.toArray(Row[]::new));
    table(directory)
        .commit(
            DeltaCommit.of("a/b", 0, "p", "c", json)
                .withPartitionColumns(spec.partitionColumns())
                .withFiles(files));
    return files;
  }

  private List<Row> read() {
    return DeltaRows.read(directory.toString()).toList();
  }

  private static String field(String type, boolean nullable) {
    String quoted = type.startsWith("{") ? type : "\"" + type + "\"";
    return "{\"type\":\"struct\",\"fields\":[{\"name\":\"v\",\"type\":"
        + quoted
        + ",\"nullable\":"
        + nullable
        + ",\"metadata\":{}}]}";
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "string",
        "byte",
        "short",
        "integer",
        "long",
        "float",
        "double",
        "boolean",
        "binary",
        "date",
        "timestamp",
        "timestamp_ntz",
        "decimal(1,0)",
        "decimal(1,1)",
        "decimal(9,9)",
        "decimal(10,0)",
        "decimal(18,7)",
        "decimal(19,3)",
        "decimal(38,0)",
        "decimal(38,38)"
      })
  void everyTypeComesBackAloneInArraysAndInMaps(String type) throws IOException {
    // Of two arrays with equal bytes Java makes two keys.
    String key = type.equals("binary") ? "string" : type;
    String json =
        Tables.struct(
            Tables.column("v", "\"" + type + "\"", true),
            Tables.column("required", "\"" + type + "\"", false),
            Tables.column("array", Tables.array("\"" + type + "\"", true), true),
            Tables.column("map", Tables.map("\"" + key + "\"", "\"" + type + "\"", true), true));
    long seed = System.nanoTime();
    System.out.println("everyTypeComesBackAloneInArraysAndInMaps " + type + " seed " + seed);
    List<Row> rows = RandomRows.of(DeltaSchemas.parse(json), 1_000, seed);

    write(json, rows);

    assertThat("seed " + seed, read(), equalTo(rows));
    assertThat(DeltaSchemas.toJson(DeltaSchemas.parse(json)), is(json));
  }

  @Test
  void valuesThreeDeepComeBackWithNullsAtEveryLevel() throws IOException {
    String json = Tables.NESTED;
    long seed = System.nanoTime();
    System.out.println("valuesThreeDeepComeBackWithNullsAtEveryLevel seed " + seed);
    List<Row> rows = RandomRows.of(DeltaSchemas.parse(json), 1_000, seed);

    write(json, rows);

    assertThat("seed " + seed, read(), equalTo(rows));
    assertThat(DeltaSchemas.toJson(DeltaSchemas.parse(json)), is(json));
  }

  @Test
  void statisticsOfFieldsWithinAStructAreTheirs() throws IOException {
    String json =
        Tables.struct(
            Tables.column("tags", Tables.array("\"long\"", true), true),
            Tables.column(
                "s",
                Tables.struct(
                    Tables.column("m", Tables.map("\"string\"", "\"long\"", true), true),
                    Tables.column("a", "\"short\"", true),
                    Tables.column("t", "\"timestamp_ntz\"", true)),
                true),
            Tables.column("last", "\"float\"", true));
    Schema schema = DeltaSchemas.parse(json);
    Schema inner = schema.getField("s").getType().getRowSchema();
    List<Row> rows =
        List.of(
            Row.withSchema(schema)
                .addValues(
                    List.of(7L, 8L),
                    Row.withSchema(inner)
                        .addValues(
                            Map.of("k", 9L),
                            (short) -3,
                            LocalDateTime.of(2026, 1, 2, 3, 4, 5, 678_901_000))
                        .build(),
                    1.5f)
                .build(),
            Row.withSchema(schema).addValues(null, null, 2.5f).build());

    JsonNode stats = JSON.readTree(write(json, rows).get(0).stats());

    assertThat(
        stats,
        equalTo(
            JSON.readTree(
                "{\"numRecords\":2,"
                    + "\"minValues\":{\"s\":{\"a\":-3,\"t\":\"2026-01-02T03:04:05.678\"},"
                    + "\"last\":1.5},"
                    + "\"maxValues\":{\"s\":{\"a\":-3,\"t\":\"2026-01-02T03:04:05.679\"},"
                    + "\"last\":2.5},"
                    + "\"nullCount\":{\"s\":{\"a\":1,\"t\":1},\"last\":0}}")));
  }

  @Test
  void boundsOfFloatsAreThoseOfTheFile() throws IOException {
    List<Row> rows =
        List.of(
            Row.withSchema(DeltaSchemas.parse(field("float", true))).addValue(0.1f).build(),
            Row.withSchema(DeltaSchemas.parse(field("float", true))).addValue(-0.3f).build());

    JsonNode stats = JSON.readTree(write(field("float", true), rows).get(0).stats());

    assertThat((float) stats.at("/minValues/v").asDouble(), is(-0.3f));
    assertThat((float) stats.at("/maxValues/v").asDouble(), is(0.1f));
  }

  @Test
  void logicalTypesOfBeamAreTakenForTheirCounterparts() throws IOException {
    EnumerationType colours = EnumerationType.create("RED", "GREEN");
    Schema schema =
        Schema.builder()
            .addLogicalTypeField("uuid", new UuidLogicalType())
            .addLogicalTypeField("colour", colours)
            .addLogicalTypeField("fixed", FixedBytes.of(3))
            .addLogicalTypeField("variable", VariableBytes.of(9))
            .addLogicalTypeField("code", FixedString.of(2))
            .addLogicalTypeField("millis", Timestamp.MILLIS)
            .addLogicalTypeField("local", SqlTypes.DATETIME)
            .addField("uuids", FieldType.array(FieldType.logicalType(new UuidLogicalType())))
            .build();
    UUID uuid = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    LocalDateTime local = LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_000);
    Row row =
        Row.withSchema(schema)
            .attachValues(
                uuid,
                colours.valueOf("GREEN"),
                new byte[] {1, 2, 3},
                new byte[] {4},
                "de",
                Instant.ofEpochMilli(-1),
                local,
                List.of(uuid));

    write(DeltaSchemas.toJson(schema), List.of(row));

    Row read = read().get(0);
    assertThat(
        read,
        equalTo(
            Row.withSchema(read.getSchema())
                .attachValues(
                    uuid.toString(),
                    "GREEN",
                    new byte[] {1, 2, 3},
                    new byte[] {4},
                    "de",
                    Instant.ofEpochMilli(-1),
                    local,
                    List.of(uuid.toString()))));
  }

  @Test
  void nanosecondsAreRefusedUnlessTruncationIsChosen() throws IOException {
    Schema schema = Schema.builder().addLogicalTypeField("at", new NanosInstant()).build();
    Schema digits = Schema.builder().addLogicalTypeField("at", Timestamp.of(7)).build();
    Row row = Row.withSchema(schema).attachValues(Instant.ofEpochSecond(-1, 999_999_999));
    String json = Tables.struct(Tables.column("at", "\"timestamp\"", true));

    var refused = assertThrows(IllegalArgumentException.class, () -> DeltaSchemas.toJson(schema));
    var refusedDigits =
        assertThrows(IllegalArgumentException.class, () -> DeltaSchemas.toJson(digits));
    var refusedRow = assertThrows(IllegalArgumentException.class, () -> write(json, List.of(row)));
    write(DataFileSpec.of(directory.toString(), json).truncatingNanoseconds(), json, List.of(row));

    assertThat(
        refused.getMessage(), containsString("Column \"at\" must be a timestamp of at most"));
    assertThat(refusedDigits.getMessage(), containsString("nanoseconds"));
    assertThat(refusedRow.getMessage(), containsString("truncateNanoseconds()"));
    assertThat(read().get(0).getValue(0), equalTo(Instant.ofEpochSecond(-1, 999_999_000)));
  }

  @Test
  void whatMayNotBeNullInsideIsRefusedByItsPath() throws IOException {
    String json =
        Tables.struct(
            Tables.column("tags", Tables.array("\"string\"", false), true),
            Tables.column("m", Tables.map("\"string\"", "\"long\"", false), true),
            Tables.column("s", Tables.struct(Tables.column("a", "\"long\"", false)), true));
    Schema inner = Schema.builder().addNullableField("a", FieldType.INT64).build();
    Schema schema =
        Schema.builder()
            .addNullableField("tags", FieldType.array(FieldType.STRING.withNullable(true)))
            .addNullableField(
                "m", FieldType.map(FieldType.STRING, FieldType.INT64.withNullable(true)))
            .addNullableField("s", FieldType.row(inner))
            .build();
    Map<String, Long> nullValue = new HashMap<>();
    nullValue.put("k", null);
    List<Row> rows =
        List.of(
            Row.withSchema(schema).addValues(Arrays.asList("a", null), null, null).build(),
            Row.withSchema(schema).addValues(null, nullValue, null).build(),
            Row.withSchema(schema)
                .addValues(null, null, Row.withSchema(inner).addValue(null).build())
                .build());

    List<String> columns =
        rows.stream()
            .map(row -> assertThrows(RowRefusedException.class, () -> write(json, List.of(row))))
            .map(RowRefusedException::column)
            .toList();

    assertThat(columns, is(List.of("tags.element", "m.value", "s.a")));
  }

  @Test
  void typeThatDoesNotFitInsideIsRefusedByItsPath() throws IOException {
    String wide =
        Tables.struct(
            Tables.column(
                "s",
                Tables.array(Tables.struct(Tables.column("a", "\"long\"", true)), true),
                true));
    String narrow =
        Tables.struct(
            Tables.column(
                "s",
                Tables.array(Tables.struct(Tables.column("a", "\"integer\"", true)), true),
                true));
    String more =
        Tables.struct(
            Tables.column(
                "s",
                Tables.array(Tables.struct(Tables.column("b", "\"long\"", true)), true),
                true));
    write(wide, List.of());

    var other =
        assertThrows(
            SchemaMismatchException.class, () -> table(directory).requireFit(narrow, List.of()));
    var extra =
        assertThrows(
            SchemaMismatchException.class, () -> table(directory).requireFit(more, List.of()));
    var rows =
        assertThrows(
            SchemaMismatchException.class,
            () -> write(wide, List.of(RandomRows.of(DeltaSchemas.parse(narrow), 3, 5).get(2))));

    assertThat(other.column(), is("s.element.a"));
    assertThat(extra.column(), is("s.element.b"));
    assertThat(rows.column(), is("s.element.a"));
  }

  @Test
  void refusalListsEveryDifference() throws IOException {
    String held =
        Tables.struct(
            Tables.column("a", "\"long\"", true),
            Tables.column("b", "\"string\"", true),
            Tables.column(
                "s",
                Tables.struct(Tables.column("x", Tables.array("\"date\"", true), true)),
                true));
    String other =
        Tables.struct(
            Tables.column("a", "\"integer\"", true),
            Tables.column("B", "\"string\"", true),
            Tables.column("more", "\"string\"", true),
            Tables.column(
                "s",
                Tables.struct(Tables.column("x", Tables.array("\"long\"", true), true)),
                true));
    write(held, List.of());

    var refused =
        assertThrows(
            SchemaMismatchException.class, () -> table(directory).requireFit(other, List.of()));

    assertThat(refused.column(), is("a"));
    assertThat(
        refused.getMessage().lines().map(line -> line.split("\"", 3)[1]).toList(),
        is(List.of("a", "s.x.element", "more")));
  }

  @Test
  void everyPartitionTypeThatIsNewHereComesBack() throws IOException {
    String json =
        Tables.struct(
            Tables.column("n", "\"long\"", true),
            Tables.column("b", "\"byte\"", true),
            Tables.column("s", "\"short\"", true),
            Tables.column("f", "\"float\"", true),
            Tables.column("t", "\"timestamp_ntz\"", true));
    List<String> partition = List.of("b", "s", "f", "t");
    Schema schema = DeltaSchemas.parse(json);
    Row row =
        Row.withSchema(schema)
            .addValues(
                1L,
                (byte) -128,
                (short) 32767,
                -1.5e-30f,
                LocalDateTime.of(1969, 12, 31, 23, 59, 59, 1_000))
            .build();
    Row nulls = Row.withSchema(schema).addValues(2L, null, null, null, null).build();

    write(
        DataFileSpec.of(directory.toString(), json).withPartitionColumns(partition),
        json,
        List.of(row, nulls));

    assertThat(read(), containsInAnyOrder(row, nulls));
  }

  @ParameterizedTest
  @ValueSource(strings = {"array", "map", "struct"})
  void nestedColumnIsNoPartitionColumn(String kind) {
    String type =
        switch (kind) {
          case "array" -> Tables.array("\"long\"", true);
          case "map" -> Tables.map("\"long\"", "\"long\"", true);
          default -> Tables.struct(Tables.column("a", "\"long\"", true));
        };
    String json =
        Tables.struct(Tables.column("n", "\"long\"", true), Tables.column("p", type, true));

    var refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> DataFileSpec.of(directory.toString(), json).withPartitionColumns(List.of("p")));

    assertThat(refused.getMessage(), containsString("\"p\""));
  }

  @Test
  void decimalWithoutPrecisionIsRefusedAtAnyDepth() {
    Schema schema = Schema.builder().addField("a", FieldType.array(FieldType.DECIMAL)).build();

    var refused = assertThrows(IllegalArgumentException.class, () -> DeltaSchemas.toJson(schema));

    assertThat(refused.getMessage(), containsString("\"a.element\""));
  }
}
