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

import java.io.Serializable;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.jooq.Name;
import org.jooq.impl.DSL;

/** A table as the database describes it: its full name, its columns, what is unique in it. */
final class TableDescription {

  /**
   * The full name of a table.
   *
   * @param catalog null if the database has none, or does not say it
   * @param schema null if the database has none
   */
  record FullName(@Nullable String catalog, @Nullable String schema, String table)
      implements Serializable {

    /** Returns the name of a table beside this one. */
    Name beside(String other) {
      String place = schema != null ? schema : catalog;
      return place == null ? DSL.name(other) : DSL.name(place, other);
    }

    Name name() {
      return beside(table);
    }

    @Override
    public String toString() {
      return (catalog == null ? "" : catalog + ".") + (schema == null ? "" : schema + ".") + table;
    }
  }

  private final FullName name;
  private final Map<String, Column> columns = new LinkedHashMap<>();
  private final Map<String, Set<String>> unique = new TreeMap<>();

  private TableDescription(FullName name) {
    this.name = name;
  }

  /**
   * Reads what the database says of a table.
   *
   * @param given the name as the user gave it: {@code table} or {@code schema.table}
   */
  static TableDescription of(Connection connection, String given) throws SQLException {
    DatabaseMetaData metadata = connection.getMetaData();
    TableDescription table = new TableDescription(find(connection, metadata, given));
    FullName name = table.name;
    try (ResultSet rows =
        metadata.getColumns(
            name.catalog(),
            escaped(metadata, name.schema()),
            escaped(metadata, name.table()),
            null)) {
      while (rows.next()) {
        Column column = Column.of(rows);
        table.columns.put(column.name(), column);
      }
    }
    if (!metadata.supportsSchemasInTableDefinitions()) {
      table.readFractions(connection);
    }
    table.readUnique(metadata);
    return table;
  }

  private static FullName find(Connection connection, DatabaseMetaData metadata, String given)
      throws SQLException {
    int dot = given.indexOf('.');
    String first = dot < 0 ? null : given.substring(0, dot);
    String table = given.substring(dot + 1);
    // MySQL calls a catalog what others call a schema.
    boolean inCatalogs = !metadata.supportsSchemasInTableDefinitions();
    String catalog = inCatalogs && first != null ? first : connection.getCatalog();
    String schema = inCatalogs ? null : first != null ? first : connection.getSchema();
    List<FullName> found = new ArrayList<>();
    for (boolean exact : List.of(true, false)) {
      try (ResultSet rows =
          metadata.getTables(
              catalog,
              exact ? escaped(metadata, schema) : null,
              exact ? escaped(metadata, table) : null,
              null)) {
        while (rows.next()) {
          FullName name =
              new FullName(
                  rows.getString("TABLE_CAT"),
                  rows.getString("TABLE_SCHEM"),
                  rows.getString("TABLE_NAME"));
          boolean sameSchema =
              schema == null || name.schema() == null || schema.equalsIgnoreCase(name.schema());
          if (sameSchema
              && name.table().equalsIgnoreCase(table)
              && isTable(rows.getString("TABLE_TYPE"))) {
            found.add(name);
          }
        }
      }
      if (!found.isEmpty()) {
        break;
      }
    }
    if (found.size() != 1) {
      throw JdbcWriteErrors.noTable(given, found);
    }
    return found.get(0);
  }

  private static boolean isTable(@Nullable String type) {
    return type != null && (type.contains("TABLE") || type.equals("VIEW"));
  }

  private static @Nullable String escaped(DatabaseMetaData metadata, @Nullable String pattern)
      throws SQLException {
    if (pattern == null) {
      return null;
    }
    String escape = metadata.getSearchStringEscape();
    return pattern
        .replace(escape, escape + escape)
        .replace("_", escape + "_")
        .replace("%", escape + "%");
  }

  /** MySQL's and MariaDB's drivers do not say how much of a second a column has. */
  private void readFractions(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT COLUMN_NAME, DATETIME_PRECISION FROM information_schema.COLUMNS"
                + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND DATETIME_PRECISION IS NOT"
                + " NULL")) {
      statement.setString(1, name.catalog());
      statement.setString(2, name.table());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          int digits = rows.getInt(2);
          columns.computeIfPresent(rows.getString(1), (key, known) -> known.withDigits(digits));
        }
      }
    }
  }

  private void readUnique(DatabaseMetaData metadata) throws SQLException {
    Set<String> ofExpressions = new LinkedHashSet<>();
    try (ResultSet rows =
        metadata.getIndexInfo(name.catalog(), name.schema(), name.table(), true, false)) {
      while (rows.next()) {
        String index = rows.getString("INDEX_NAME");
        String column = rows.getString("COLUMN_NAME");
        if (index == null) {
          continue;
        }
        boolean plain = column != null && columns.containsKey(unquoted(column));
        // Unique among some rows only is not unique.
        if (!plain || rows.getString("FILTER_CONDITION") != null) {
          ofExpressions.add(index);
        }
        unique
            .computeIfAbsent(index, unused -> new LinkedHashSet<>())
            .add(column == null ? "" : unquoted(column));
      }
    }
    partial.putAll(unique);
    partial.keySet().retainAll(ofExpressions);
    unique.keySet().removeAll(ofExpressions);
  }

  private final Map<String, Set<String>> partial = new TreeMap<>();

  /** PostgreSQL's driver gives the name of a column of an index half as it is written in SQL. */
  private String unquoted(String column) {
    if (columns.containsKey(column)) {
      return column;
    }
    boolean quoted = column.length() > 1 && column.startsWith("\"") && column.endsWith("\"");
    return (quoted ? column.substring(1, column.length() - 1) : column).replace("\"\"", "\"");
  }

  FullName name() {
    return name;
  }

  /** Returns the columns in the table's order. */
  List<Column> columns() {
    return List.copyOf(columns.values());
  }

  /** Returns the column of a name as it is written, or, if there is but one, in other case. */
  Optional<Column> column(String given) {
    Column exact = columns.get(given);
    if (exact != null) {
      return Optional.of(exact);
    }
    List<Column> alike =
        columns.values().stream().filter(each -> each.name().equalsIgnoreCase(given)).toList();
    return alike.size() == 1 ? Optional.of(alike.get(0)) : Optional.empty();
  }

  /** Returns whether the database keeps rows with these values from being there twice. */
  boolean isUnique(Set<String> keys) {
    return unique.values().stream().anyMatch(keys::equals);
  }

  /** Returns the names of the unique indexes that are not over these columns. */
  Set<String> otherUnique(Set<String> keys) {
    Set<String> others = new LinkedHashSet<>();
    unique.forEach(
        (index, indexed) -> {
          if (!indexed.equals(keys)) {
            others.add(index);
          }
        });
    others.addAll(partial.keySet());
    return others;
  }
}
