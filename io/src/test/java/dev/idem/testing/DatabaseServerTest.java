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
package dev.idem.testing;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.sameInstance;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DatabaseServerTest {

  static Stream<DatabaseServer> servers() {
    return Stream.of(
        DatabaseServer.postgres(), DatabaseServer.mariaDb(), DatabaseServer.h2("servers"));
  }

  @ParameterizedTest
  @MethodSource("servers")
  void answersByItsName(DatabaseServer server) throws SQLException {
    try (Connection connection = server.connect()) {
      assertThat(connection.getMetaData().getDatabaseProductName(), is(server.name()));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void loadsItsDriverByClass(DatabaseServer server) throws Exception {
    Class<?> driver = Class.forName(server.driverClass());

    assertThat(
        DriverManager.getDriver(server.jdbcUrl()).getClass().getName(), is(driver.getName()));
  }

  @ParameterizedTest
  @MethodSource("servers")
  void databasesOfTwoTestsDoNotMeet(DatabaseServer server) {
    DatabaseServer first = server.fresh("Same name");
    DatabaseServer second = server.fresh("Same name");
    first.execute("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)");
    second.execute("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (2)");

    assertThat(first.query("SELECT a FROM t"), is(List.of(List.of(1))));
    assertThat(second.query("SELECT a FROM t"), is(List.of(List.of(2))));
  }

  @Test
  void postgresHasItsTypes() {
    DatabaseServer server = DatabaseServer.postgres().fresh("types");
    server.execute(
        "CREATE TYPE mood AS ENUM ('sad', 'happy')",
        """
        CREATE TABLE t (n numeric, tz timestamptz, ts timestamp, d date, ti time, u uuid,
          j jsonb, a int[], e mood, b bytea, z text)
        """,
        """
        INSERT INTO t VALUES (12345678901234567890.5, '2026-01-02 03:04:05.000006+00',
          '2026-01-02 03:04:05.000006', '2026-01-02', '03:04:05',
          '6ba7b810-9dad-11d1-80b4-00c04fd430c8', '{"a":1}', '{1,2}', 'happy', '\\xcafe', NULL)
        """);

    assertThat(
        server.query("SELECT n, u, j, a, e, b, z FROM t"),
        is(
            List.of(
                Arrays.asList(
                    new BigDecimal("12345678901234567890.5"),
                    UUID.fromString("6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
                    "{\"a\": 1}",
                    List.of(1, 2),
                    "happy",
                    "cafe",
                    null))));
    assertThat(
        server.query("SELECT d::text, ti::text, ts::text, extract(epoch from tz) FROM t"),
        is(
            List.of(
                List.of(
                    "2026-01-02",
                    "03:04:05",
                    "2026-01-02 03:04:05.000006",
                    new BigDecimal("1767323045.000006")))));
  }

  @Test
  void mariaDbHasItsTypes() {
    DatabaseServer server = DatabaseServer.mariaDb().fresh("types");
    server.execute(
        """
        CREATE TABLE t (n decimal(30, 5), ts datetime(6), d date, u uuid, j json,
          e enum('sad', 'happy'), b varbinary(10), z text)
        """,
        """
        INSERT INTO t VALUES (12345678901234567890.5, '2026-01-02 03:04:05.000006', '2026-01-02',
          '6ba7b810-9dad-11d1-80b4-00c04fd430c8', '{"a":1}', 'happy', X'CAFE', NULL)
        """);

    assertThat(
        server.query("SELECT n, u, j, e, b, z FROM t"),
        is(
            List.of(
                Arrays.asList(
                    new BigDecimal("12345678901234567890.50000"),
                    UUID.fromString("6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
                    "{\"a\":1}",
                    "happy",
                    "cafe",
                    null))));
    assertThat(
        server.query("SELECT cast(ts AS char), cast(d AS char) FROM t"),
        is(List.of(List.of("2026-01-02 03:04:05.000006", "2026-01-02"))));
  }

  @Test
  void sharedServersHaveTheSettingsThatTestsCountOn() {
    assertThat(
        DatabaseServer.postgres()
            .query(
                """
                SELECT current_setting('synchronous_commit'), current_setting('fsync'),
                  current_setting('max_connections')
                """),
        is(List.of(List.of("on", "off", "200"))));
    assertThat(
        DatabaseServer.mariaDb()
            .query(
                """
                SELECT cast(@@local_infile AS char), cast(@@log_bin AS char),
                  cast(@@max_connections AS char), @@character_set_database
                """),
        is(List.of(List.of("ON", "OFF", "200", "utf8mb4"))));
  }

  @Test
  void thereIsOneServerOfAKind() {
    assertThat(DatabaseServer.postgres(), is(sameInstance(DatabaseServer.postgres())));
    assertThat(DatabaseServer.mariaDb(), is(sameInstance(DatabaseServer.mariaDb())));
    assertThat(DatabaseServer.postgres().fresh("a").port(), is(DatabaseServer.postgres().port()));
  }

  @Test
  void closingASharedServerLeavesItOn() {
    DatabaseServer.postgres().close();
    DatabaseServer.mariaDb().close();

    assertThat(DatabaseServer.postgres().query("SELECT 'on'"), is(List.of(List.of((Object) "on"))));
    assertThat(DatabaseServer.mariaDb().query("SELECT 'on'"), is(List.of(List.of((Object) "on"))));
  }

  @ParameterizedTest
  @MethodSource("servers")
  void wrongPasswordIsRefused(DatabaseServer server) {
    SQLException e =
        assertThrows(
            SQLException.class,
            () -> DriverManager.getConnection(server.jdbcUrl(), server.user(), "wrong"));

    assertThat(e.getSQLState(), is(server.name().equals("PostgreSQL") ? "28P01" : "28000"));
  }

  @ParameterizedTest
  @MethodSource("servers")
  void passwordIsNotInTheNameOrTheUrl(DatabaseServer server) {
    assertThat(server.toString(), not(containsString(DatabaseServer.PASSWORD)));
    assertThat(server.jdbcUrl(), not(containsString(DatabaseServer.PASSWORD)));
  }

  @Test
  void ownPostgresTakesSettingsAndEnds() {
    DatabaseServer own = DatabaseServer.startPostgres(Map.of("fsync", "on", "work_mem", "8MB"));
    try (own) {
      assertThat(
          own.query("SELECT current_setting('fsync'), current_setting('work_mem')"),
          is(List.of(List.of("on", "8MB"))));
    }

    assertThrows(SQLException.class, own::connect);
  }

  @Test
  void ownMariaDbTakesSettingsAndEnds() {
    DatabaseServer own = DatabaseServer.startMariaDb(Map.of("innodb-flush-log-at-trx-commit", "1"));
    try (own) {
      assertThat(
          own.query("SELECT cast(@@innodb_flush_log_at_trx_commit AS char)"),
          is(List.of(List.of("1"))));
    }

    assertThrows(SQLException.class, own::connect);
  }
}
