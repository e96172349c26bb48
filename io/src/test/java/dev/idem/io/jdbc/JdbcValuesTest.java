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
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import dev.idem.testing.DatabaseServer;
import dev.idem.transforms.external.DeadLetter;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.schemas.logicaltypes.UuidLogicalType;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values at the edges of what a column holds: they are stored as they are, or a dead letter. */
class JdbcValuesTest {

  private static final FieldType INSTANT = FieldType.logicalType(new MicrosInstant());
  private static final FieldType DATE = FieldType.logicalType(SqlTypes.DATE);
  private static final FieldType TEXTS = FieldType.array(FieldType.STRING.withNullable(true));
  private static final String REFUSED = "refused";

  /** What became of values of one column. */
  private static final class Column {
    private final DatabaseServer server;
    private final String type;
    private final FieldType field;

    Column(DatabaseServer server, String type, FieldType field) {
      this.server = server;
      this.type = type;
      this.field = field;
    }

    /** Returns each value as the database reads it, or that it was refused. */
    List<Object> after(Object... values) {
      return read("v", values);
    }

    List<Object> read(String expression, Object... values) {
      server.execute(
          "DROP TABLE IF EXISTS t", "CREATE TABLE t (id BIGINT PRIMARY KEY, v " + type + ")");
      Schema schema = Schema.builder().addInt64Field("id").addNullableField("v", field).build();
      List<Row> rows = new ArrayList<>();
      for (Object value : values) {
        rows.add(Row.withSchema(schema).addValues((long) rows.size(), value).build());
      }
      ShardResult result = write(server, "t", rows);
      List<Object> after = new ArrayList<>();
      for (Row row : rows) {
        List<List<Object>> found =
            server.query("SELECT " + expression + " FROM t WHERE id = " + row.getInt64("id"));
        after.add(found.isEmpty() ? REFUSED : found.get(0).get(0));
      }
      Set<Row> refused = new HashSet<>();
      for (DeadLetter<Row> letter : result.letters()) {
        refused.add(letter.record());
      }
      List<Row> absent = new ArrayList<>(rows);
      absent.removeIf(row -> !after.get(Math.toIntExact(row.getInt64("id"))).equals(REFUSED));
      assertThat(type + ": dead letters", refused, equalTo(Set.copyOf(absent)));
      return after;
    }
  }

  private static int batches;

  private static synchronized ShardResult write(
      DatabaseServer server, String table, List<Row> rows) {
    WriteJdbcRows write =
        JdbcUpsertIO.upsert(rows.get(0).getSchema().getField(0).getName())
            .to(table)
            .withDatabase(OnDatabase.of(server));
    try {
      JdbcBatch batch =
          new JdbcBatch(write.spec(), new BatchName("app/main", batches++, null, "", 0), 1);
      ShardResult result = batch.write(0, rows, Carried.asIs(rows.get(0).getSchema()));
      batch.close(result.content(), null);
      return result;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static BigDecimal number(String text) {
    return new BigDecimal(text);
  }

  @ParameterizedTest
  @EnumSource
  void numbersKeepAllTheirDigitsOrAreRefused(OnDatabase database) {
    DatabaseServer server = database.fresh();

    assertThat(
        new Column(server, "DECIMAL(10, 0)", FieldType.DECIMAL)
            .after(number("2.0"), number("1.5"), number("1E+3"), number("12345678901")),
        is(List.of(number("2"), REFUSED, number("1000"), REFUSED)));
    assertThat(
        new Column(server, "DECIMAL(38, 4)", FieldType.DECIMAL)
            .after(number("1234567890123456789012345678901234.5678"), number("0.00001")),
        is(List.of(number("1234567890123456789012345678901234.5678"), REFUSED)));
    assertThat(
        new Column(server, "BIGINT", FieldType.DECIMAL)
            .after(
                number("1.00"),
                number("-9223372036854775808"),
                number("9223372036854775808"),
                number("1.1")),
        is(List.of(1L, Long.MIN_VALUE, REFUSED, REFUSED)));
    assertThat(
        new Column(server, "SMALLINT", FieldType.INT32)
            .read("v + 0", -32_768, 32_767, 32_768).stream().map(String::valueOf).toList(),
        is(List.of("-32768", "32767", REFUSED)));
    assertThat(
        new Column(server, "INT", FieldType.INT64).after(1L << 40, (long) Integer.MIN_VALUE),
        is(List.of(REFUSED, Integer.MIN_VALUE)));
    assertThat(
        new Column(server, "REAL", FieldType.DOUBLE).after(1e300).get(0),
        is(database == OnDatabase.MARIADB ? 1e300 : REFUSED));
    assertThat(
        new Column(server, "DOUBLE PRECISION", FieldType.DOUBLE)
            .after(Double.MIN_VALUE, Double.MAX_VALUE, 0.1),
        is(List.of(Double.MIN_VALUE, Double.MAX_VALUE, 0.1)));
  }

  @ParameterizedTest
  @EnumSource
  void numbersThatAreNoneAreStoredWhereTheDatabaseHasThem(OnDatabase database) {
    DatabaseServer server = database.fresh();
    List<Object> values = List.of(Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
    List<Object> none = List.of(REFUSED, REFUSED, REFUSED);

    assertThat(
        new Column(server, "DOUBLE PRECISION", FieldType.DOUBLE).after(values.toArray()),
        is(database == OnDatabase.MARIADB ? none : values));
    assertThat(
        new Column(server, "DECIMAL(5, 2)", FieldType.DOUBLE).after(values.toArray()), is(none));
    assertThat(new Column(server, "BIGINT", FieldType.DOUBLE).after(values.toArray()), is(none));
  }

  @ParameterizedTest
  @EnumSource
  void textIsStoredToTheLastCharacter(OnDatabase database) {
    DatabaseServer server = database.fresh();
    String charset = database == OnDatabase.MARIADB ? " CHARACTER SET utf8mb4" : "";
    List<Object> texts =
        List.of("", "\\N", "\\.", "NULL", "tab\tline\nreturn\r", "\\t", "' \" `", "ünï 😀", "null");

    assertThat(
        new Column(server, "VARCHAR(20)" + charset, FieldType.STRING).after(texts.toArray()),
        is(texts));
    assertThat(
        new Column(server, "VARCHAR(3)" + charset, FieldType.STRING).after("abc", "abcd", "ünï"),
        is(List.of("abc", REFUSED, "ünï")));
    assertThat(
        new Column(server, "CHAR(3)", FieldType.STRING).read("TRIM(v)", "ab", "abcd"),
        is(List.of("ab", REFUSED)));
  }

  @ParameterizedTest
  @EnumSource
  void documentsAndIdentifiersAreThoseThatWereSent(OnDatabase database) {
    DatabaseServer server = database.fresh();
    String id = "6f0f1a52-0000-4000-8000-000000000001";
    String json =
        switch (database) {
          case POSTGRES -> "v::text";
          case MARIADB -> "v";
          case H2 -> "CAST(v FORMAT JSON AS VARCHAR)";
        };
    String asText = database == OnDatabase.H2 ? "UTF8TOSTRING(CAST(v AS VARBINARY))" : json;

    assertThat(
        new Column(server, "UUID", FieldType.STRING)
            .read("CAST(v AS CHAR(36))", id, id.toUpperCase(Locale.ROOT), "none"),
        is(List.of(id, id, REFUSED)));
    assertThat(
        new Column(server, "UUID", FieldType.logicalType(new UuidLogicalType()))
            .read("CAST(v AS CHAR(36))", UUID.fromString(id)),
        is(List.of(id)));
    assertThat(
        new Column(server, "JSON", FieldType.STRING)
            .read(asText, "{\"a\":[1,\"x\"]}", "{", "null", "\"text\""),
        is(List.of("{\"a\":[1,\"x\"]}", REFUSED, "null", "\"text\"")));
    assertThat(
        new Column(server, "JSON", FieldType.map(FieldType.STRING, FieldType.INT64))
            .read(asText, Map.of("n", 7L)),
        is(List.of("{\"n\":7}")));
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "H2"})
  void arraysKeepTheirElements(OnDatabase database) {
    DatabaseServer server = database.fresh();
    boolean h2 = database == OnDatabase.H2;
    Instant instant = Instant.parse("2024-03-31T23:59:59.501Z");
    List<Object> texts = Arrays.asList("a,b", "say \"hi\"", "back\\", null, "", "NULL", "{}");

    assertThat(
        new Column(server, h2 ? "INT ARRAY ARRAY" : "INT[]", ofArrays(FieldType.INT32))
            .after(List.of(List.of(1, 2), List.of(3, 4)), List.of()),
        is(List.of(List.of(List.of(1, 2), List.of(3, 4)), List.of())));
    assertThat(
        new Column(server, h2 ? "VARCHAR(20) ARRAY" : "VARCHAR(20)[]", TEXTS).after(texts),
        is(List.of(texts)));
    assertThat(
        new Column(
                server,
                h2 ? "NUMERIC(5, 2) ARRAY" : "NUMERIC(5, 2)[]",
                FieldType.array(FieldType.DECIMAL))
            .after(List.of(number("1.23"), number("4.50")), List.of(number("1.239"))),
        is(List.of(List.of(number("1.23"), number("4.50")), REFUSED)));
    // Cut off, as in a column of its own, and not rounded up into the next month.
    assertThat(
        new Column(server, h2 ? "TIMESTAMP(0) ARRAY" : "TIMESTAMP(0)[]", FieldType.array(INSTANT))
            .read(h2 ? "CAST(v[1] AS VARCHAR)" : "v[1]::text", List.of(instant)),
        is(List.of("2024-03-31 23:59:59")));
  }

  private static FieldType ofArrays(FieldType element) {
    return FieldType.array(FieldType.array(element));
  }

  @Test
  void postgresqlKeepsWhatIsItsOwn() {
    DatabaseServer server = DatabaseServer.postgres().fresh("values");

    assertThat(
        new Column(server, "NUMERIC", FieldType.DECIMAL).after(number("1E-30"), number("0.000")),
        is(List.of(number("1E-30"), number("0.000"))));
    assertThat(
        new Column(server, "NUMERIC[]", FieldType.array(FieldType.DECIMAL))
            .after(List.of(number("0.123456789"))),
        is(List.of(List.of(number("0.123456789")))));
    assertThat(
        new Column(server, "NUMERIC(3, -2)", FieldType.DECIMAL)
            .read("v::text", number("12300"), number("12345")),
        is(List.of("12300", REFUSED)));
    assertThat(
        new Column(server, "DATE", DATE)
            .read("v::text", LocalDate.of(-43, 3, 15), LocalDate.of(10_000, 1, 1)),
        is(List.of("0044-03-15 BC", "10000-01-01")));
    assertThat(
        new Column(server, "TIMESTAMPTZ", INSTANT)
            .read(
                "(v AT TIME ZONE 'UTC')::text",
                Instant.parse("-0043-03-15T01:02:03.000004Z"),
                Instant.parse("1969-12-31T23:59:59.999999Z")),
        is(List.of("0044-03-15 01:02:03.000004 BC", "1969-12-31 23:59:59.999999")));
    assertThat(
        new Column(server, "TEXT", FieldType.STRING).after("a\u0000b", "ab"),
        is(List.of(REFUSED, "ab")));
  }

  @Test
  void rowThatIsTooLargeForAnIndexIsADeadLetter() {
    DatabaseServer server = DatabaseServer.postgres().fresh("large");
    server.execute("CREATE TABLE t (id TEXT PRIMARY KEY)");
    Schema schema = Schema.builder().addStringField("id").build();
    StringBuilder text = new StringBuilder();
    Random random = new Random(7);
    while (text.length() < 20_000) {
      text.append(Long.toHexString(random.nextLong()));
    }
    Row large = Row.withSchema(schema).addValue(text.toString()).build();
    Row small = Row.withSchema(schema).addValue("small").build();

    ShardResult result = write(server, "t", List.of(large, small));

    assertThat(result.letters().stream().map(DeadLetter::record).toList(), is(List.of(large)));
    assertThat(server.query("SELECT id FROM t"), is(List.of(List.of("small"))));
  }

  @Test
  void mariaDbKeepsWhatIsItsOwn() {
    DatabaseServer server = DatabaseServer.mariaDb().fresh("values");

    assertThat(
        new Column(server, "BIGINT UNSIGNED", FieldType.DECIMAL)
            .read("CAST(v AS CHAR)", number("18446744073709551615"), number("-1")),
        is(List.of("18446744073709551615", REFUSED)));
    assertThat(
        new Column(server, "YEAR", FieldType.INT32).read("v + 0", 2024, 1, 1900),
        is(List.of(2024L, REFUSED, REFUSED)));
    assertThat(
        new Column(server, "FLOAT", FieldType.DOUBLE).read("v", 0.5, 1e300, Double.NaN),
        is(List.of(0.5f, REFUSED, REFUSED)));
    assertThat(
        new Column(server, "DATETIME(6)", INSTANT)
            .read(
                "CAST(v AS CHAR)",
                Instant.parse("-0043-03-15T00:00:00Z"),
                Instant.parse("+10000-01-01T00:00:00Z"),
                Instant.parse("1969-12-31T23:59:59.999999Z")),
        is(List.of(REFUSED, REFUSED, "1969-12-31 23:59:59.999999")));
    assertThat(
        new Column(server, "TIMESTAMP(6) NULL", INSTANT)
            .read(
                "CAST(v AS CHAR)",
                Instant.parse("1969-12-31T23:59:59.999999Z"),
                Instant.parse("2024-03-31T02:30:00Z")),
        is(List.of(REFUSED, "2024-03-31 02:30:00.000000")));
    assertThat(
        new Column(server, "VARCHAR(10) CHARACTER SET latin1", FieldType.STRING).after("é", "😀"),
        is(List.of("é", REFUSED)));
    assertThat(
        new Column(server, "ENUM('a', 'b')", FieldType.STRING).after("a", "c", ""),
        is(List.of("a", REFUSED, REFUSED)));
  }

  @Test
  void rowThatNoPartitionTakesIsADeadLetter() {
    DatabaseServer server = DatabaseServer.mariaDb().fresh("partitions");
    server.execute(
        "CREATE TABLE t (id BIGINT PRIMARY KEY)"
            + " PARTITION BY RANGE (id) (PARTITION few VALUES LESS THAN (10))");
    Schema schema = Schema.builder().addInt64Field("id").build();
    Row few = Row.withSchema(schema).addValue(9L).build();
    Row many = Row.withSchema(schema).addValue(10L).build();

    ShardResult result = write(server, "t", List.of(few, many));

    assertThat(result.letters().stream().map(DeadLetter::record).toList(), is(List.of(many)));
    assertThat(server.query("SELECT id FROM t"), is(List.of(List.of(9L))));
  }

  @Test
  void h2KeepsWhatIsItsOwn() {
    DatabaseServer server = OnDatabase.H2.fresh();

    assertThat(
        new Column(server, "DECFLOAT(5)", FieldType.DECIMAL)
            .after(number("1.5"), number("1.23456")),
        is(List.of(number("1.5"), REFUSED)));
    assertThat(
        new Column(server, "VARBINARY(3)", FieldType.BYTES)
            .after(new byte[0], new byte[] {1, 2, 3}, new byte[] {1, 2, 3, 4}),
        is(List.of("", "010203", REFUSED)));
    assertThat(
        new Column(server, "TIMESTAMP(0) WITH TIME ZONE", INSTANT)
            .read("CAST(v AS VARCHAR)", Instant.parse("1969-12-31T23:59:59.999999Z")),
        is(List.of("1969-12-31 23:59:59+00")));
  }

  @ParameterizedTest
  @EnumSource
  void columnsWithoutAFieldGetTheirDefault(OnDatabase database) {
    DatabaseServer server = database.fresh();
    String identity =
        database == OnDatabase.MARIADB
            ? "number BIGINT AUTO_INCREMENT, UNIQUE (number)"
            : "number BIGINT GENERATED ALWAYS AS IDENTITY";
    if (database != OnDatabase.MARIADB) {
      server.execute(
          "CREATE TABLE t (id BIGINT PRIMARY KEY, note VARCHAR(10) DEFAULT 'none', "
              + identity
              + ")");
    } else {
      server.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, note VARCHAR(10) DEFAULT 'none')");
    }
    Schema schema = Schema.builder().addInt64Field("id").build();

    write(server, "t", List.of(Row.withSchema(schema).addValue(7L).build()));

    assertThat(server.query("SELECT id, note FROM t"), is(List.of(List.of(7L, "none"))));
    if (database != OnDatabase.MARIADB) {
      assertThat(server.query("SELECT number FROM t"), is(List.of(List.of(1L))));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "H2"})
  void tableOfASchemaIsFoundUnderNamesThatNeedQuoting(OnDatabase database) {
    DatabaseServer server = database.fresh();
    server.execute(
        "CREATE SCHEMA \"Shop\"",
        "CREATE TABLE \"Shop\".\"Order\" (\"a\"\"b\" BIGINT PRIMARY KEY, \"Two Words\" INT)");
    Schema schema = Schema.builder().addInt64Field("a\"b").addInt32Field("Two Words").build();

    write(server, "Shop.Order", List.of(Row.withSchema(schema).addValues(1L, 2).build()));

    assertThat(server.query("SELECT * FROM \"Shop\".\"Order\""), is(List.of(List.of(1L, 2))));
    assertThat(
        server.query("SELECT \"target\" FROM \"Shop\".\"idem_record\"").get(0).get(0).toString(),
        is(
            (database == OnDatabase.H2
                    ? server.database().toUpperCase(Locale.ROOT)
                    : server.database())
                + ".Shop.Order"));
  }
}
