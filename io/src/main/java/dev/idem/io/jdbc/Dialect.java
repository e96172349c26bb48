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

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.DataType;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultDataType;
import org.jooq.impl.SQLDataType;
import org.jooq.tools.jdbc.JDBCUtils;

/** The SQL of a database: what jOOQ calls it, and what differs beyond what jOOQ evens out. */
final class Dialect {

  /** How a database does what is not the same in all. */
  enum Family {
    /** {@code ON CONFLICT}, {@code COPY}, and data definition that a rollback takes back. */
    POSTGRES,
    /** {@code ON DUPLICATE KEY UPDATE}; data definition ends a transaction. */
    MYSQL,
    /** {@code MERGE}; data definition ends a transaction. */
    STANDARD
  }

  private static final long ANSWER_MILLIS = 10_000;

  private final SQLDialect sql;
  private final Family family;

  private Dialect(SQLDialect sql, Family family) {
    this.sql = sql;
    this.family = family;
  }

  static Dialect of(Connection connection) throws SQLException {
    SQLDialect found = JDBCUtils.dialect(connection);
    SQLDialect sql =
        connection.getMetaData().getDatabaseProductName().equals("MariaDB")
            ? SQLDialect.MARIADB
            : found;
    return switch (sql.family()) {
      case POSTGRES, YUGABYTEDB -> new Dialect(SQLDialect.POSTGRES, Family.POSTGRES);
      case MYSQL, MARIADB -> new Dialect(sql.family(), Family.MYSQL);
      case H2, HSQLDB, DERBY, FIREBIRD -> new Dialect(sql.family(), Family.STANDARD);
      default ->
          throw JdbcWriteErrors.unknownDatabase(connection.getMetaData().getDatabaseProductName());
    };
  }

  Family family() {
    return family;
  }

  DSLContext on(Connection connection) {
    return DSL.using(connection, sql);
  }

  /** Returns the type of text of any length. */
  DataType<String> anyText() {
    return family == Family.MYSQL
        ? new DefaultDataType<>(sql, SQLDataType.CLOB, "longtext")
        : SQLDataType.CLOB;
  }

  /**
   * Begins a transaction. A statement, a lock and a client that is not heard of are waited for so
   * long, by the server too: an attempt whose process is gone must not hold its locks for ever.
   */
  void begin(Connection connection, Duration timeout) throws SQLException {
    // The server's answer that it took too long is better than none.
    long more = Math.min(timeout.toMillis(), ANSWER_MILLIS);
    connection.setNetworkTimeout(Runnable::run, (int) (timeout.toMillis() + more));
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(false);
    long millis = timeout.toMillis();
    long seconds = Math.max(1, timeout.toSeconds());
    switch (family) {
      case POSTGRES ->
          execute(
              connection,
              List.of(
                  "SET LOCAL statement_timeout = " + millis,
                  "SET LOCAL lock_timeout = " + millis,
                  "SET LOCAL idle_in_transaction_session_timeout = " + millis,
                  "SET CONSTRAINTS ALL IMMEDIATE"));
      case MYSQL -> {
        // Without it values are cut to what fits, and times are those of the session's zone.
        execute(
            connection,
            List.of(
                "SET SESSION sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES'),"
                    + " time_zone = '+00:00', innodb_lock_wait_timeout = "
                    + seconds));
        if (sql == SQLDialect.MARIADB) {
          execute(
              connection,
              List.of(
                  "SET SESSION idle_transaction_timeout = "
                      + seconds
                      + ", max_statement_time = "
                      + BigDecimal.valueOf(millis, 3).toPlainString()));
        }
      }
      case STANDARD -> {
        if (sql == SQLDialect.H2) {
          execute(connection, List.of("SET LOCK_TIMEOUT " + millis, "SET QUERY_TIMEOUT " + millis));
        }
      }
    }
  }

  /**
   * Makes the commit of this transaction wait for the disk, and with it those of all before it,
   * also where the server is set up to be quicker.
   */
  void forceCommit(Connection connection) throws SQLException {
    if (family == Family.POSTGRES) {
      execute(connection, List.of("SET LOCAL synchronous_commit = on"));
    }
  }

  private static void execute(Connection connection, List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }
}
