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
package dev.idem.pipelines.quickstart.cdc;

import dev.idem.pipelines.quickstart.environment.Environment;
import dev.idem.pipelines.quickstart.environment.Server;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The PostgreSQL of the quickstart, in its own process, with the table that is captured. */
final class Database {

  /** The table that is captured, and the one that only moves the end of the log. */
  static final List<String> TABLES = List.of("public.accounts", "public.marks");

  private final Server server;
  private final int port;

  private Database(Server server) {
    this.server = server;
    this.port = Integer.parseInt(server.said());
  }

  /** Starts the server and creates the tables. */
  static Database start(Environment environment) throws IOException, SQLException {
    Database database = new Database(CaptureJvm.postgres(environment));
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(Account.CREATE);
      // Not compressed, so that a large value is always outside its row.
      statement.execute("alter table accounts alter document set storage external");
      statement.execute("create table marks (id serial primary key)");
    }
    return database;
  }

  int port() {
    return port;
  }

  long pid() {
    return server.process().pid();
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres");
  }

  /** Returns where the log ends. */
  String position() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("select pg_current_wal_lsn()")) {
      result.next();
      return result.getString(1);
    }
  }

  /**
   * Returns whether a connector has said that it has all up to a position. It says so of what comes
   * before its latest transaction, so each question begins one.
   */
  boolean isCaptured(String connector, String position) throws SQLException {
    try (Connection connection = connect();
        Statement mark = connection.createStatement();
        PreparedStatement question =
            connection.prepareStatement(
                "select confirmed_flush_lsn >= ?::pg_lsn from pg_replication_slots"
                    + " where slot_name = ?")) {
      mark.execute("insert into marks default values");
      question.setString(1, position);
      question.setString(2, connector);
      try (ResultSet result = question.executeQuery()) {
        return result.next() && result.getBoolean(1);
      }
    }
  }

  /** Returns the rows of the table by their key. */
  Map<Long, Account> accounts() throws SQLException {
    Map<Long, Account> accounts = new HashMap<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select * from accounts")) {
      while (rows.next()) {
        Account account = Account.of(rows);
        accounts.put(account.id(), account);
      }
    }
    return accounts;
  }
}
