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
package dev.idem.io.debezium;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;

import dev.idem.io.debezium.DecodedEvent.Changes;
import dev.idem.io.debezium.DecodedEvent.Reason;
import dev.idem.io.debezium.DecodedEvent.Refused;
import dev.idem.io.debezium.Samples.Sample;
import dev.idem.io.delta.schema.DeltaSchemas;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.util.SerializableUtils;
import org.junit.jupiter.api.Test;

/** On events that Debezium 3.0.8 sent for PostgreSQL 17; long values are shortened in the files. */
class PostgresEventsTest {
  private static final List<Sample> TYPED = Samples.read("postgres-orders-schema.tsv");
  private static final List<Sample> UNTYPED = Samples.read("postgres-orders-plain.tsv");
  private static final List<Sample> PAIRS = Samples.read("postgres-pairs-plain.tsv");
  private static final List<Sample> PLACEHOLDERS = Samples.read("postgres-placeholders-schema.tsv");

  /** The columns of which the update in the files carries none. */
  private static final List<String> LARGE =
      List.of("big", "bigb", "bigj", "bigints", "bigbigs", "bigtexts", "bighs", "bigchar");

  private static final int INSERT = 1;
  private static final int UPDATE = 2;

  private static Map<String, Object> insertedColumns() {
    Map<String, Object> columns = new TreeMap<>();
    columns.put("id", 2L);
    columns.put("big", "xxxxx");
    columns.put("n", new BigDecimal("12345.678"));
    columns.put("nn", "150000000000000000000");
    columns.put("ts", Instant.parse("2026-03-01T10:00:00.123456Z"));
    columns.put("tsn", LocalDateTime.parse("2026-03-01T12:00:00.123456"));
    columns.put("ts3", LocalDateTime.parse("2026-03-01T12:00:00.123"));
    columns.put("d", LocalDate.parse("2026-03-01"));
    columns.put("t", "12:13:14.123456");
    columns.put("tz", "10:13:14.123456Z");
    columns.put("u", "00000000-0000-0000-0000-00000000002a");
    columns.put("j", "{\"a\": 1}");
    columns.put("jj", "{\"b\": 2}");
    columns.put("ints", List.of(1, "null", 3));
    columns.put("texts", List.of("a", "null"));
    columns.put("uuids", List.of("00000000-0000-0000-0000-00000000002a"));
    columns.put("nums", List.of("1.5", "2"));
    columns.put("by", "0x00ff");
    columns.put("b1", true);
    columns.put("bb", "0xaa0a");
    columns.put("vb", "0x05");
    columns.put("m", "ok");
    columns.put("flag", true);
    columns.put("si", (short) -3);
    columns.put("ii", 4);
    columns.put("r", 1.5f);
    columns.put("dp", 2.5);
    columns.put("h", "{\"a\":\"1\",\"b\":null}");
    columns.put("iv", 93_600_000_000L);
    columns.put("inet", "10.0.0.1/8");
    columns.put("mon", new BigDecimal("12.34"));
    columns.put(
        "p", Map.of("x", 1.0, "y", 2.0, "wkb", "0x0101000000000000000000f03f0000000000000040"));
    columns.put("x", "<a/>");
    columns.put("ch", "ab   ");
    columns.put("bigb", "0x00ff00ff");
    columns.put("bigj", "{\"k\": \"yyy\"}");
    columns.put("bigints", List.of(1, 2, 3));
    columns.put("bigbigs", List.of(1L, 2L, 3L));
    columns.put("bigtexts", List.of("zzz", "q"));
    columns.put("bighs", "{\"k\":\"hhh\"}");
    columns.put("bigchar", "vvvv");
    return columns;
  }

  private static Map<String, Object> with(
      Map<String, Object> columns, String op, long commit, long lsn, long timestamp) {
    Map<String, Object> change = new TreeMap<>(columns);
    change.put("__op", op);
    change.put("__commit_lsn", commit);
    change.put("__lsn", lsn);
    change.put("__source_ts_ms", timestamp);
    return change;
  }

  /** Returns the columns after the update: n is 7, and large ones are as they were. */
  private static Map<String, Object> updated(long id, Schema columns) {
    Map<String, Object> change = insertedColumns();
    change.put("id", id);
    change.put("n", new BigDecimal("7.000"));
    change.keySet().removeAll(LARGE);
    List<String> carried = new ArrayList<>(columns.getFieldNames());
    carried.removeAll(LARGE);
    change.put("__columns", carried);
    return change;
  }

  @Test
  void schemasOfEventsGiveColumnsAndKeys() {
    DebeziumTable table = Samples.infer(TYPED);

    assertThat(table.keys(), contains("id"));
    assertThat(table.connector(), is("postgresql"));
    assertThat(table.columns().getFieldNames(), hasSize(insertedColumns().size()));
    assertThat(type(table, "id"), equalTo(FieldType.INT64));
    assertThat(type(table, "n"), equalTo(FieldType.logicalType(FixedPrecisionNumeric.of(12, 3))));
    assertThat(type(table, "nn"), equalTo(FieldType.STRING));
    assertThat(type(table, "ts"), equalTo(FieldType.logicalType(new MicrosInstant())));
    assertThat(type(table, "tsn"), equalTo(FieldType.logicalType(SqlTypes.DATETIME)));
    assertThat(type(table, "ts3"), equalTo(FieldType.logicalType(SqlTypes.DATETIME)));
    assertThat(type(table, "d"), equalTo(FieldType.logicalType(SqlTypes.DATE)));
    assertThat(type(table, "t"), equalTo(FieldType.STRING));
    assertThat(type(table, "mon"), equalTo(FieldType.logicalType(FixedPrecisionNumeric.of(38, 2))));
    assertThat(type(table, "by"), equalTo(FieldType.BYTES));
    assertThat(type(table, "si"), equalTo(FieldType.INT16));
    assertThat(type(table, "r"), equalTo(FieldType.FLOAT));
    assertThat(type(table, "ints"), equalTo(FieldType.array(FieldType.INT32.withNullable(true))));
  }

  private static FieldType type(DebeziumTable table, String column) {
    FieldType type = table.columns().getField(column).getType();
    assertThat(column, type.getNullable(), is(true));
    return type.withNullable(false);
  }

  @Test
  void columnsCanBeKeptAsADeltaSchema() {
    for (List<Sample> samples : List.of(TYPED, UNTYPED, PAIRS, PLACEHOLDERS)) {
      DebeziumTable table = Samples.infer(samples);
      DebeziumDecoder decoder = DebeziumDecoder.json(table);

      assertThat(
          DeltaSchemas.parse(DeltaSchemas.toJson(table.columns())), equalTo(table.columns()));
      assertThat(
          DeltaSchemas.parse(DeltaSchemas.toJson(decoder.schema())), equalTo(decoder.schema()));
    }
  }

  @Test
  void everyTypeOfAnInsertIsRead() {
    DebeziumDecoder decoder = DebeziumDecoder.json(Samples.infer(TYPED));

    assertThat(
        new TreeMap<>(Samples.change(decoder, TYPED.get(INSERT))),
        equalTo(with(insertedColumns(), "c", 23705664, 23705664, 1796057737877L)));
  }

  @Test
  void withoutSchemasDeclaredTypesDecide() {
    DebeziumTable declared = Samples.infer(UNTYPED).withColumns(Samples.infer(TYPED).columns());
    Sample insert = UNTYPED.get(0);
    DebeziumDecoder decoder =
        SerializableUtils.clone(DebeziumDecoder.json(declared).withUnit(ChronoUnit.MICROS));

    Map<String, Object> expected = with(insertedColumns(), "c", 24758248, 24758248, 1796057803436L);
    // The unit is one for all columns, and milliseconds look like microseconds soon after 1970.
    expected.put("ts3", LocalDateTime.parse("1970-01-21T12:19:26.400123"));
    // What is declared as text is the JSON it came as.
    expected.put("nn", "{\"scale\":0,\"value\":\"CCGrDUQUmAAA\"}");
    expected.put(
        "nums", List.of("{\"scale\":1,\"value\":\"Dw==\"}", "{\"scale\":0,\"value\":\"Ag==\"}"));
    expected.put("t", "43994123456");

    assertThat(new TreeMap<>(Samples.change(decoder, insert)), equalTo(expected));
  }

  @Test
  void withoutSchemasNumbersAreNoTimestampsUnlessTheUnitIsSaid() {
    DebeziumTable declared = Samples.infer(UNTYPED).withColumns(Samples.infer(TYPED).columns());

    Refused refused =
        (Refused)
            DebeziumDecoder.json(declared).decode(UNTYPED.get(0).key(), UNTYPED.get(0).value());

    assertThat(
        refused,
        equalTo(
            new Refused(
                Reason.PARSE_ERROR,
                "tsn",
                "A timestamp that is a number needs its unit: say it by withUnit, or have events"
                    + " with schemas.")));
  }

  @Test
  void largeValuesThatAnUpdateLeftAloneAreNotCarried() {
    DebeziumTable table = Samples.infer(TYPED);

    assertThat(
        new TreeMap<>(Samples.change(DebeziumDecoder.json(table), TYPED.get(UPDATE))),
        equalTo(with(updated(2, table.columns()), "u", 23706392, 23706448, 1796057737878L)));
  }

  @Test
  void withoutSchemasPlaceholdersAreKnownToo() {
    Schema columns = Samples.infer(TYPED).columns();
    DebeziumTable table = Samples.infer(UNTYPED).withColumns(columns);
    DebeziumDecoder decoder = DebeziumDecoder.json(table).withUnit(ChronoUnit.MICROS);

    List<String> carried = new ArrayList<>(columns.getFieldNames());
    carried.removeAll(LARGE);
    assertThat(Samples.change(decoder, UNTYPED.get(1)).get("__columns"), equalTo(carried));
  }

  @Test
  void placeholdersAreKnownInArraysAndMaps() {
    DebeziumDecoder decoder = DebeziumDecoder.json(Samples.infer(PLACEHOLDERS));

    Map<String, Object> update = Samples.change(decoder, PLACEHOLDERS.get(1));

    // Large numbers and arrays of floats come as null, which is a value.
    assertThat(update.get("__columns"), equalTo(List.of("id", "v", "num", "numarr", "fl")));
  }

  @Test
  void anotherPlaceholderIsThatOfTheConnector() {
    DebeziumDecoder decoder = DebeziumDecoder.json(Samples.infer(PAIRS)).withUnavailableValue("v");

    Refused refused = (Refused) decoder.decode(PAIRS.get(0).key(), PAIRS.get(0).value());

    assertThat(refused.reason(), is(Reason.MISSING_FIELD));
    assertThat(refused.column(), is("v"));
  }

  @Test
  void aRowThatBeginsWithoutAValueIsRefusedOrAccepted() {
    DebeziumTable table = Samples.infer(TYPED);
    Sample movedTo3 = TYPED.get(5);

    Refused refused =
        (Refused) DebeziumDecoder.json(table).decode(movedTo3.key(), movedTo3.value());

    assertThat(
        refused,
        equalTo(
            new Refused(
                Reason.MISSING_FIELD,
                "big",
                "An event that begins a row must carry every value. Let the source send whole rows,"
                    + " in PostgreSQL by REPLICA IDENTITY FULL, or accept incomplete rows.")));
    assertThat(
        new TreeMap<>(Samples.change(DebeziumDecoder.json(table).acceptIncompleteRows(), movedTo3)),
        equalTo(with(updated(3, table.columns()), "c", 23707120, 23707176, 1796057737878L)));
  }

  @Test
  void aDeleteHasTheKeyAlone() {
    DebeziumDecoder decoder = DebeziumDecoder.json(Samples.infer(TYPED));

    assertThat(
        new TreeMap<>(Samples.change(decoder, TYPED.get(3))),
        equalTo(with(Map.of("id", 2L), "d", 23707120, 23707176, 1796057737878L)));
  }

  @Test
  void aTruncateHasNoKey() {
    DebeziumDecoder decoder = DebeziumDecoder.json(Samples.infer(TYPED));

    assertThat(
        new TreeMap<>(Samples.change(decoder, TYPED.get(8))),
        equalTo(with(Map.of(), "t", 23735016, 23737920, 1796057737881L)));
  }

  @Test
  void aSnapshotIsBeforeAllThatIsStreamed() {
    DebeziumDecoder decoder = DebeziumDecoder.json(Samples.infer(TYPED));

    Map<String, Object> expected =
        with(Map.of("id", 1L, "big", "snap", "n", new BigDecimal("1.500")), "r", 0, 0, 0);
    expected.put("__source_ts_ms", 1796057737100L);
    assertThat(new TreeMap<>(Samples.change(decoder, TYPED.get(0))), equalTo(expected));
    Changes changes = (Changes) decoder.decode(TYPED.get(0).key(), TYPED.get(0).value());
    assertThat(changes.position() == null, is(true));
  }

  @Test
  void positionsAreThoseOfTransactions() {
    DebeziumDecoder decoder = DebeziumDecoder.json(Samples.infer(PAIRS));

    List<SourcePosition> positions =
        PAIRS.stream()
            .map(sample -> decoder.decode(sample.key(), sample.value()))
            .filter(Changes.class::isInstance)
            .map(decoded -> ((Changes) decoded).position())
            .toList();

    assertThat(
        positions,
        contains(
            position(24786744, 1796057803438L),
            position(24786968, 1796057803439L),
            position(24787088, 1796057803439L),
            position(24790888, 1796057803448L),
            position(24790888, 1796057803448L),
            position(24790888, 1796057803448L)));
  }

  private static SourcePosition position(long commit, long timestamp) {
    return new SourcePosition("postgresql/shop/postgres", List.of(commit), timestamp);
  }

  @Test
  void tombstonesSayNothing() {
    DebeziumDecoder decoder = DebeziumDecoder.json(Samples.infer(PAIRS));

    assertThat(
        decoder.decode(PAIRS.get(3).key(), PAIRS.get(3).value()),
        instanceOf(DecodedEvent.Tombstone.class));
    assertThat(decoder.decode(null, null), instanceOf(DecodedEvent.Tombstone.class));
  }

  @Test
  void keysOfSeveralColumnsAreRead() {
    DebeziumTable table = Samples.infer(PAIRS);
    DebeziumDecoder decoder = DebeziumDecoder.json(table);

    assertThat(table.keys(), contains("a", "b"));
    assertThat(
        PAIRS.stream()
            .flatMap(sample -> Samples.changes(decoder, sample).stream())
            .map(change -> change.get("__op") + " " + change.get("a") + change.get("b"))
            .toList(),
        contains("c 1x", "u 1x", "d 1x", "c 7m", "u 7m", "d 7m"));
  }
}
