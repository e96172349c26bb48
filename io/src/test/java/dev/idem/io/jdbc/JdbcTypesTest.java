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
package dev.idem.io.jdbc;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import dev.idem.testing.Covers;
import dev.idem.testing.DatabaseServer;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TimeZone;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values of every type as they are read back. */
class JdbcTypesTest {

  private static final FieldType INSTANT = FieldType.logicalType(new MicrosInstant());

  private static WriteJdbcRows write(DatabaseServer server, String table, String... keys) {
    return JdbcUpsertIO.upsert(keys)
        .by("app")
        .to(table)
        .withDatabase(OnDatabase.of(server))
        .withShards(1);
  }

  @Test
  void postgresqlKeepsEveryValue() {
    DatabaseServer server = DatabaseServer.postgres().fresh("types");
    server.execute(
        "CREATE TYPE mood AS ENUM ('sad', 'so so', 'happy')",
        "CREATE TABLE t (id INT PRIMARY KEY, huge NUMERIC, money NUMERIC(38, 4), at TIMESTAMPTZ,"
            + " local TIMESTAMP, day DATE, hour TIME, uid UUID, doc JSON, docb JSONB,"
            + " numbers INT[], texts TEXT[], feeling mood, raw BYTEA, flag BOOLEAN,"
            + " real4 REAL, real8 DOUBLE PRECISION, small SMALLINT, big BIGINT, note TEXT,"
            + " made INT GENERATED ALWAYS AS (id * 2) STORED, noted TEXT DEFAULT 'default')");
    Schema schema =
        Schema.builder()
            .addInt32Field("id")
            .addNullableField("huge", FieldType.DECIMAL)
            .addNullableField("money", FieldType.DECIMAL)
            .addNullableField("at", INSTANT)
            .addNullableField("local", INSTANT)
            .addNullableField("day", FieldType.logicalType(SqlTypes.DATE))
            .addNullableField("hour", FieldType.logicalType(SqlTypes.TIME))
            .addNullableField("uid", FieldType.STRING)
            .addNullableField("doc", FieldType.STRING)
            .addNullableField("docb", FieldType.map(FieldType.STRING, FieldType.INT64))
            .addNullableField("numbers", FieldType.array(FieldType.INT32.withNullable(true)))
            .addNullableField("texts", FieldType.array(FieldType.STRING.withNullable(true)))
            .addNullableField("feeling", FieldType.STRING)
            .addNullableField("raw", FieldType.BYTES)
            .addNullableField("flag", FieldType.BOOLEAN)
            .addNullableField("real4", FieldType.FLOAT)
            .addNullableField("real8", FieldType.DOUBLE)
            .addNullableField("small", FieldType.INT16)
            .addNullableField("big", FieldType.INT64)
            .addNullableField("note", FieldType.STRING)
            .build();
    BigDecimal huge = new BigDecimal("12345678901234567890123456789012345678901234567890.5");
    Instant at = Instant.parse("2024-03-31T23:59:59.501234Z");
    String odd = "tab\t line\n return\r back\\slash \\N 'quote' \"double\" ünï 😀";
    Row full =
        Row.withSchema(schema)
            .addValues(
                1,
                huge,
                new BigDecimal("-1.5000"),
                at,
                at,
                LocalDate.of(1969, 12, 31),
                LocalTime.of(23, 59, 59, 123_456_000),
                "6f0f1a52-0000-4000-8000-000000000001",
                "{\"a\": [1, \"x\"]}",
                java.util.Map.of("n", 7L),
                Arrays.asList(1, null, -3),
                Arrays.asList("a,b", "say \"hi\"", "back\\slash", null, "", "NULL", "{}"),
                "so so",
                new byte[] {0, 1, (byte) 0xff, '\\', '\n'},
                true,
                1.5f,
                Double.NaN,
                Short.MIN_VALUE,
                Long.MAX_VALUE,
                odd)
            .build();
    Row empty = Row.withSchema(schema).addValue(2).addValues(Arrays.asList(new Object[19])).build();

    Writing.Outputs outputs =
        Writing.run(List.of(full, empty), write(server, "t", "id").withBatch(0));

    assertThat(outputs.deadLetters(), is(List.of()));
    assertThat(
        server
            .query(
                "SELECT huge::text, money::text, extract(epoch from at)::text, local::text,"
                    + " day::text, hour::text, uid::text, doc::text, docb::text, numbers::text,"
                    + " feeling::text, encode(raw, 'hex'), flag, real4, real8::text, small, big,"
                    + " note, made, noted FROM t WHERE id = 1")
            .get(0),
        equalTo(
            List.of(
                huge.toPlainString(),
                "-1.5000",
                "1711929599.501234",
                "2024-03-31 23:59:59.501234",
                "1969-12-31",
                "23:59:59.123456",
                "6f0f1a52-0000-4000-8000-000000000001",
                "{\"a\": [1, \"x\"]}",
                "{\"n\": 7}",
                "{1,NULL,-3}",
                "so so",
                "0001ff5c0a",
                true,
                1.5f,
                "NaN",
                -32_768,
                Long.MAX_VALUE,
                odd,
                2,
                "default")));
    assertThat(
        server.query("SELECT texts FROM t WHERE id = 1").get(0).get(0),
        equalTo(Arrays.asList("a,b", "say \"hi\"", "back\\slash", null, "", "NULL", "{}")));
    assertThat(
        server
            .query(
                "SELECT count(*) FROM t WHERE id = 2 AND huge IS NULL AND note IS NULL"
                    + " AND texts IS NULL AND at IS NULL")
            .get(0)
            .get(0),
        is(1L));
  }

  @Test
  void mariaDbKeepsEveryValue() {
    DatabaseServer server = DatabaseServer.mariaDb().fresh("types");
    server.execute(
        "CREATE TABLE t (id INT PRIMARY KEY, money DECIMAL(38, 4), at TIMESTAMP(6) NULL,"
            + " local DATETIME(6), day DATE, hour TIME(6), uid UUID, doc JSON,"
            + " feeling ENUM('sad', 'so so'), raw VARBINARY(20), flag BOOLEAN, real8 DOUBLE,"
            + " small SMALLINT, big BIGINT, note TEXT CHARACTER SET utf8mb4)");
    Schema schema =
        Schema.builder()
            .addInt32Field("id")
            .addDecimalField("money")
            .addField("at", INSTANT)
            .addField("local", INSTANT)
            .addField("day", FieldType.logicalType(SqlTypes.DATE))
            .addField("hour", FieldType.logicalType(SqlTypes.TIME))
            .addStringField("uid")
            .addStringField("doc")
            .addStringField("feeling")
            .addByteArrayField("raw")
            .addBooleanField("flag")
            .addDoubleField("real8")
            .addInt16Field("small")
            .addInt64Field("big")
            .addStringField("note")
            .build();
    Instant at = Instant.parse("2024-03-31T23:59:59.501234Z");
    String odd = "tab\t line\n back\\slash 'quote' ünï 😀";

    Writing.Outputs outputs =
        Writing.run(
            List.of(
                Row.withSchema(schema)
                    .addValues(
                        1,
                        new BigDecimal("1234567890123456789012345678901234.5"),
                        at,
                        at,
                        LocalDate.of(1969, 12, 31),
                        LocalTime.of(23, 59, 59, 123_456_000),
                        "6f0f1a52-0000-4000-8000-000000000001",
                        "{\"a\": 1}",
                        "so so",
                        new byte[] {0, 1, (byte) 0xff},
                        true,
                        0.1,
                        Short.MAX_VALUE,
                        Long.MIN_VALUE,
                        odd)
                    .build()),
            write(server, "t", "id").withBatch(0));

    assertThat(outputs.deadLetters(), is(List.of()));
    assertThat(
        server
            .query(
                "SELECT CAST(money AS CHAR), CAST(UNIX_TIMESTAMP(at) AS CHAR),"
                    + " CAST(local AS CHAR), CAST(day AS CHAR), CAST(hour AS CHAR),"
                    + " CAST(uid AS CHAR), doc, feeling, HEX(raw), flag, real8, small, big, note"
                    + " FROM t")
            .get(0),
        equalTo(
            List.of(
                "1234567890123456789012345678901234.5000",
                "1711929599.501234",
                "2024-03-31 23:59:59.501234",
                "1969-12-31",
                "23:59:59.123456",
                "6f0f1a52-0000-4000-8000-000000000001",
                "{\"a\": 1}",
                "so so",
                "0001FF",
                true,
                0.1,
                Short.MAX_VALUE,
                Long.MIN_VALUE,
                odd)));
  }

  @ParameterizedTest
  @EnumSource
  void reservedAndMixedCaseNamesAreQuoted(OnDatabase database) {
    DatabaseServer server = database.fresh();
    String q = database == OnDatabase.MARIADB ? "`" : "\"";
    server.execute(
        "CREATE TABLE %1$sOrder%1$s (%1$sselect%1$s BIGINT PRIMARY KEY, %1$sFrom Here%1$s VARCHAR(20), %1$sversion%1$s BIGINT)"
            .formatted(q));
    Schema schema =
        Schema.builder()
            .addInt64Field("select")
            .addStringField("From Here")
            .addInt64Field("version")
            .addStringField("op")
            .build();
    WriteJdbcRows write =
        JdbcUpsertIO.upsertNewer(List.of("select"), "version")
            .by("app")
            .to("Order")
            .deletingWhen("op", "d")
            .withDatabase(OnDatabase.of(server));

    Writing.run(
        List.of(
            Row.withSchema(schema).addValues(1L, "one", 1L, "u").build(),
            Row.withSchema(schema).addValues(2L, "two", 1L, "u").build()),
        write.withBatch(0));
    Writing.run(
        List.of(Row.withSchema(schema).addValues(2L, "", 2L, "d").build()), write.withBatch(1));

    assertThat(
        server.query("SELECT * FROM %1$sOrder%1$s".formatted(q)),
        equalTo(List.of(List.of(1L, "one", 1L))));
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsRounded(OnDatabase database) {
    DatabaseServer server = database.fresh();
    server.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, price DECIMAL(5, 2))");
    Schema schema = Schema.builder().addInt64Field("id").addDecimalField("price").build();
    List<Row> rows = new ArrayList<>();
    for (String price : List.of("1.20", "1.2300", "1.239", "1000.00")) {
      rows.add(Row.withSchema(schema).addValues((long) rows.size(), new BigDecimal(price)).build());
    }

    Writing.Outputs outputs = Writing.run(rows, write(server, "t", "id").withBatch(0));

    assertThat(
        server.query("SELECT id, price FROM t ORDER BY id"),
        equalTo(List.of(List.of(0L, new BigDecimal("1.20")), List.of(1L, new BigDecimal("1.23")))));
    assertThat(outputs.deadLetters().size(), is(2));
    assertThat(
        outputs.deadLetters().stream()
            .filter(letter -> letter.record().equals(rows.get(2)))
            .findFirst()
            .orElseThrow()
            .message(),
        containsString("holds without rounding"));
  }

  @Covers.Case("DEV-15")
  @ParameterizedTest
  @EnumSource
  void oneKeyTwiceInABatchIsOneRow(OnDatabase database) {
    Schema schema =
        Schema.builder()
            .addStringField("event_id")
            .addStringField("sub_id")
            .addStringField("status")
            .addInt64Field("seq")
            .build();
    Row a = Row.withSchema(schema).addValues("e1", "s1", "SENT_A", 1L).build();
    Row b = Row.withSchema(schema).addValues("e1", "s1", "SENT_B", 2L).build();
    Row other = Row.withSchema(schema).addValues("e2", "s1", "SENT_A", 1L).build();
    List<String> settings =
        database == OnDatabase.POSTGRES ? List.of("", "?reWriteBatchedInserts=true") : List.of("");
    for (String setting : settings) {
      for (List<Row> bundle : List.of(List.of(a, b, other), List.of(b, a, other))) {
        DatabaseServer server = database.fresh();
        server.execute(
            "CREATE TABLE sent (event_id VARCHAR(10), sub_id VARCHAR(10), status VARCHAR(10),"
                + " seq BIGINT, PRIMARY KEY (event_id, sub_id))");
        Writing.Outputs outputs =
            Writing.run(
                bundle,
                JdbcUpsertIO.upsertNewer(List.of("event_id", "sub_id"), "seq")
                    .by("app")
                    .to("sent")
                    .withShards(1)
                    .withBatch(0)
                    .withDatabase(OnDatabase.at(server, server.jdbcUrl() + setting)));

        assertThat(outputs.deadLetters(), is(List.of()));
        assertThat(
            server.query("SELECT event_id, status FROM sent ORDER BY event_id"),
            equalTo(List.of(List.of("e1", "SENT_B"), List.of("e2", "SENT_A"))));
      }
    }
  }

  @Covers.Case("DEV-16")
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void instantsAreTheSameInEveryZoneAndNotRoundedUp(OnDatabase database) {
    DatabaseServer server = database.fresh();
    boolean postgres = database == OnDatabase.POSTGRES;
    server.execute(
        postgres
            ? "CREATE TABLE t (at TIMESTAMPTZ PRIMARY KEY, whole TIMESTAMP(0))"
            : "CREATE TABLE t (at TIMESTAMP(3) PRIMARY KEY, whole DATETIME)");
    Schema schema = Schema.builder().addField("at", INSTANT).addField("whole", INSTANT).build();
    Instant instant = Instant.ofEpochMilli(1_711_929_599_501L);
    Row row = Row.withSchema(schema).addValues(instant, instant).build();
    TimeZone before = TimeZone.getDefault();
    try {
      int batch = 0;
      for (String zone : List.of("UTC", "America/New_York", "Asia/Kathmandu")) {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        Writing.run(List.of(row), write(server, "t", "at").withBatch(batch++));
      }
    } finally {
      TimeZone.setDefault(before);
    }

    assertThat(
        server.query(
            postgres
                ? "SELECT (extract(epoch from at) * 1000)::bigint::text, whole::text FROM t"
                : "SELECT CAST(ROUND(UNIX_TIMESTAMP(at) * 1000) AS CHAR), CAST(whole AS CHAR)"
                    + " FROM t"),
        equalTo(List.of(List.of("1711929599501", "2024-03-31 23:59:59"))));
  }
}
