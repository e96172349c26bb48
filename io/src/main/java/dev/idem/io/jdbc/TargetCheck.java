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

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jooq.DSLContext;

/** Sees that a table can be written as asked, and makes what is kept beside it. */
final class TargetCheck {

  private static final Set<String> EXISTS_ALREADY =
      Set.of("23505", "42P07", "42710", "42S01", "42101", "23000");

  private final JdbcSpec spec;
  private final Dialect dialect;

  private TargetCheck(JdbcSpec spec, Dialect dialect) {
    this.spec = spec;
    this.dialect = dialect;
  }

  /**
   * Returns what the database says of the table, and changes nothing.
   *
   * @throws JdbcTargetException if it cannot be written so
   */
  static TableDescription look(JdbcSpec spec, Transactions transactions)
      throws InterruptedException {
    TargetCheck check = new TargetCheck(spec, transactions.dialect());
    return transactions.outside(
        error -> false,
        connection -> {
          TableDescription found = TableDescription.of(connection, spec.table());
          check.requireUnique(found);
          return found;
        });
  }

  /** Returns whether batches of the table are remembered at all. */
  static boolean hasRecords(Connection connection, TableDescription table) throws SQLException {
    return exists(connection, table, "idem_bucket");
  }

  /**
   * Returns what the database says of the table, beside which there is then what a write needs.
   *
   * @throws JdbcTargetException if it cannot be written so
   */
  static TableDescription of(JdbcSpec spec, Transactions transactions) throws InterruptedException {
    TargetCheck check = new TargetCheck(spec, transactions.dialect());
    return transactions.outside(
        TargetCheck::existsAlready,
        connection -> {
          TableDescription found = TableDescription.of(connection, spec.table());
          check.requireUnique(found);
          check.createBeside(connection, found);
          return found;
        });
  }

  private void requireUnique(TableDescription found) {
    if (spec.keys().isEmpty()) {
      // Rows are appended, or the rows are not known yet of whose changes the keys are.
      return;
    }
    List<String> names = found.columns().stream().map(Column::name).toList();
    Set<String> keys = new LinkedHashSet<>();
    for (String key : spec.keys()) {
      keys.add(
          found
              .column(key)
              .orElseThrow(() -> JdbcWriteErrors.noColumn(found.name(), key, names))
              .name());
    }
    if (!found.isUnique(keys)) {
      throw JdbcWriteErrors.notUnique(found.name(), keys);
    }
    Set<String> others = found.otherUnique(keys);
    if (dialect.family() == Dialect.Family.MYSQL && !others.isEmpty()) {
      throw JdbcWriteErrors.otherUnique(found.name(), keys, others);
    }
  }

  private void createBeside(Connection connection, TableDescription found) throws SQLException {
    DSLContext context = dialect.on(connection);
    RecordTables records = new RecordTables(context, dialect, found.name());
    if (!hasRecords(connection, found)) {
      records.create();
    }
    if (spec.merge() != null && !exists(connection, found, KeyStates.tableName(found.name()))) {
      KeyStates.create(context, dialect, found.name());
    }
    if (spec.hasTombstones()) {
      records.createBuckets();
      if (!exists(connection, found, MergeStatements.tombstoneTable(found))) {
        new MergeStatements(dialect, spec, found, found.columns()).createTombstones(context);
      }
    }
  }

  private static boolean exists(Connection connection, TableDescription beside, String table)
      throws SQLException {
    try (ResultSet rows =
        connection
            .getMetaData()
            .getTables(beside.name().catalog(), beside.name().schema(), null, null)) {
      while (rows.next()) {
        if (rows.getString("TABLE_NAME").equals(table)) {
          return true;
        }
      }
      return false;
    }
  }

  /** Another worker made the same row or table at the same time. */
  static boolean existsAlready(Throwable error) {
    SQLException sql = SqlFailure.sql(error);
    return sql != null
        && (EXISTS_ALREADY.contains(String.valueOf(sql.getSQLState()))
            || sql.getErrorCode() == 1050);
  }
}
