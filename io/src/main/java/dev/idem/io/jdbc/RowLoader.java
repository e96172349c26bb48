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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.jooq.DSLContext;
import org.jooq.Name;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** Brings rows into a table, as they are and in the quickest way the database has. */
final class RowLoader {

  private static final int COPY_CHUNK = 1 << 16;
  private static final int MAX_PARAMETERS = 8_000;

  private final Connection connection;
  private final Dialect dialect;
  private final List<Column> columns;
  private final String into;
  private final String columnList;
  private final boolean staged;

  /**
   * Prepares to load.
   *
   * @param staged whether the table has the columns of a stage too
   */
  RowLoader(
      Connection connection,
      DSLContext context,
      Dialect dialect,
      Name into,
      List<Column> columns,
      boolean staged) {
    this.connection = connection;
    this.dialect = dialect;
    this.columns = columns;
    this.staged = staged;
    this.into = context.render(into);
    List<String> names = new ArrayList<>();
    columns.forEach(column -> names.add(context.render(org.jooq.impl.DSL.name(column.name()))));
    if (staged) {
      names.add(context.render(org.jooq.impl.DSL.name("idem_number")));
      names.add(context.render(org.jooq.impl.DSL.name("idem_delete")));
    }
    this.columnList = String.join(", ", names);
  }

  void load(List<StagedRow> rows) throws SQLException, IOException {
    if (dialect.family() == Dialect.Family.POSTGRES
        && connection.isWrapperFor(PGConnection.class)) {
      copy(rows);
    } else {
      insert(rows);
    }
  }

  private void copy(List<StagedRow> rows) throws SQLException {
    CopyIn copy =
        connection
            .unwrap(PGConnection.class)
            .getCopyAPI()
            .copyIn("COPY " + into + " (" + columnList + ") FROM STDIN");
    try {
      CopyText text = new CopyText();
      for (StagedRow row : rows) {
        if (staged) {
          text.row(row.values(), row.number(), row.delete());
        } else {
          text.row(row.values());
        }
        if (text.length() >= COPY_CHUNK) {
          write(copy, text.take());
        }
      }
      write(copy, text.take());
      copy.endCopy();
    } finally {
      if (copy.isActive()) {
        copy.cancelCopy();
      }
    }
  }

  private static void write(CopyIn copy, byte[] bytes) throws SQLException {
    copy.writeToCopy(bytes, 0, bytes.length);
  }

  private void insert(List<StagedRow> rows) throws SQLException {
    int width = columns.size() + (staged ? 2 : 0);
    int most = Math.max(1, Math.min(500, MAX_PARAMETERS / width));
    for (int from = 0; from < rows.size(); from += most) {
      insertRows(rows.subList(from, Math.min(rows.size(), from + most)), width);
    }
  }

  private void insertRows(List<StagedRow> rows, int width) throws SQLException {
    String row = "(" + String.join(", ", Collections.nCopies(width, "?")) + ")";
    String sql =
        "INSERT INTO "
            + into
            + " ("
            + columnList
            + ") VALUES "
            + String.join(", ", Collections.nCopies(rows.size(), row));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int parameter = 1;
      for (StagedRow each : rows) {
        @Nullable Object[] values = each.values();
        for (int i = 0; i < values.length; i++) {
          set(statement, parameter++, columns.get(i), values[i]);
        }
        if (staged) {
          statement.setLong(parameter++, each.number());
          statement.setInt(parameter++, each.delete() ? 1 : 0);
        }
      }
      statement.executeUpdate();
    }
  }

  private void set(
      PreparedStatement statement, int parameter, Column column, @Nullable Object value)
      throws SQLException {
    if (value == null) {
      statement.setNull(parameter, column.type());
    } else if (value instanceof byte[] bytes) {
      statement.setBytes(parameter, bytes);
    } else if (value instanceof List<?> list) {
      statement.setObject(parameter, array(list));
    } else if (column.kind() == Column.Kind.JSON && dialect.family() == Dialect.Family.STANDARD) {
      // H2 makes of a text a JSON text that has it as its value.
      statement.setBytes(parameter, value.toString().getBytes(StandardCharsets.UTF_8));
    } else if (value instanceof OffsetDateTime time && dialect.family() == Dialect.Family.MYSQL) {
      statement.setObject(parameter, time.toLocalDateTime());
    } else {
      statement.setObject(parameter, value);
    }
  }

  private static @Nullable Object[] array(List<?> list) {
    return list.stream().map(each -> each instanceof List<?> inner ? array(inner) : each).toArray();
  }
}
