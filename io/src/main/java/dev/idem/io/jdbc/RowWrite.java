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

import dev.idem.io.jdbc.JdbcSpec.Mode;
import dev.idem.transforms.external.DeadLetter;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.apache.beam.sdk.values.Row;
import org.jooq.DSLContext;

/** Rows as they are written within a transaction, a chunk after another. */
final class RowWrite implements ShardWrite {
  private final JdbcSpec spec;
  private final Connection connection;
  private final DSLContext context;
  private final RowMapping mapping;
  private final MergeStatements statements;
  private final RowLoader loader;
  private final List<StagedRow> chunk = new ArrayList<>();
  private final List<DeadLetter<Row>> letters = new ArrayList<>();
  private long number;
  private long written;

  RowWrite(
      Connection connection,
      Dialect dialect,
      JdbcSpec spec,
      TableDescription target,
      RowMapping mapping) {
    this.spec = spec;
    this.connection = connection;
    this.context = dialect.on(connection);
    this.mapping = mapping;
    this.statements = new MergeStatements(dialect, spec, target, mapping.columns());
    this.loader =
        new RowLoader(
            connection,
            context,
            dialect,
            statements.loaded(),
            mapping.columns(),
            spec.mode() != Mode.APPEND);
    statements.createStage(context);
  }

  @Override
  public long written() {
    return written;
  }

  @Override
  public List<DeadLetter<Row>> letters() {
    return letters;
  }

  @Override
  public void add(Row carrier, Row row) throws SQLException, IOException {
    try {
      chunk.add(mapping.stage(carrier, row, number++));
    } catch (BadValueException e) {
      reject(carrier, row, "bad value", e.getMessage());
    }
    if (chunk.size() == spec.chunkRows()) {
      finish();
    }
  }

  @Override
  public void finish() throws SQLException, IOException {
    if (!chunk.isEmpty()) {
      write(chunk);
      chunk.clear();
    }
  }

  private void write(List<StagedRow> rows) throws SQLException, IOException {
    Savepoint before = connection.setSavepoint();
    try {
      statements.clearStage(context);
      loader.load(rows);
      statements.merge(context);
      connection.releaseSavepoint(before);
      written += rows.size();
    } catch (SQLException | RuntimeException e) {
      if (SqlFailure.of(e) != SqlFailure.ROW) {
        throw e;
      }
      connection.rollback(before);
      if (rows.size() == 1) {
        SQLException sql = SqlFailure.sql(e);

        reject(
            rows.get(0).carrier(),
            rows.get(0).row(),
            "SQLSTATE " + sql.getSQLState(),
            sql.getMessage());
        return;
      }
      int half = rows.size() / 2;
      write(rows.subList(0, half));
      write(rows.subList(half, rows.size()));
    }
  }

  private void reject(Row carrier, Row row, String errorClass, String message) {
    StringJoiner key = new StringJoiner(",");
    spec.keys().forEach(column -> key.add(String.valueOf(row.<Object>getValue(column))));
    letters.add(new DeadLetter<>(carrier, key.toString(), errorClass, String.valueOf(message), 1));
  }
}
