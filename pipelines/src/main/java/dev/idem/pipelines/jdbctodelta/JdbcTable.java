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
package dev.idem.pipelines.jdbctodelta;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.beam.sdk.schemas.Schema;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * What a database says of a table, or of the result of a query.
 *
 * @param name what it is called in plans and by default in the application's id
 * @param from what stands behind FROM
 * @param quote what names of columns stand in
 * @param columns the columns by name; without a type, null is those that are not read
 * @param types the names that the database has for the columns' types
 * @param primaryKey the columns of the primary key, in its order; none if there is none
 */
record JdbcTable(
    String name,
    String from,
    String quote,
    Map<String, @Nullable JdbcColumn> columns,
    Map<String, String> types,
    List<String> primaryKey) {

  /**
   * Looks at a table.
   *
   * @param table its name as the database has it, with or without that of its schema before it
   */
  static JdbcTable named(Connection connection, String table) {
    try {
      String quote = quote(connection);
      int dot = table.indexOf('.');
      String space = dot < 0 ? null : table.substring(0, dot);
      String own = table.substring(dot + 1);
      String from = (space == null ? "" : quoted(space, quote) + ".") + quoted(own, quote);
      return of(connection, table, from, primaryKey(connection, space, own));
    } catch (SQLException e) {
      throw JdbcErrors.notRead("table " + table, e);
    }
  }

  /** Looks at the result of a query, which has no key of its own. */
  static JdbcTable ofQuery(Connection connection, String query) {
    try {
      return of(
          connection,
          "query-" + Integer.toHexString(query.hashCode()),
          "(" + query + ") q",
          List.of());
    } catch (SQLException e) {
      throw JdbcErrors.notRead("the result of --query", e);
    }
  }

  private static JdbcTable of(
      Connection connection, String name, String from, List<String> primaryKey)
      throws SQLException {
    Map<String, @Nullable JdbcColumn> columns = new LinkedHashMap<>();
    Map<String, String> types = new LinkedHashMap<>();
    String product = connection.getMetaData().getDatabaseProductName();
    try (PreparedStatement statement =
            connection.prepareStatement("select * from " + from + " where 1 = 0");
        ResultSet nothing = statement.executeQuery()) {
      ResultSetMetaData found = nothing.getMetaData();
      for (int column = 1; column <= found.getColumnCount(); column++) {
        columns.put(found.getColumnLabel(column), JdbcColumn.of(found, column, product));
        types.put(found.getColumnLabel(column), found.getColumnTypeName(column));
      }
    }
    return new JdbcTable(name, from, quote(connection), columns, types, primaryKey);
  }

  private static String quote(Connection connection) throws SQLException {
    return connection.getMetaData().getIdentifierQuoteString().strip();
  }

  private static String quoted(String name, String quote) {
    return quote + (quote.isEmpty() ? name : name.replace(quote, quote + quote)) + quote;
  }

  private static List<String> primaryKey(
      Connection connection, @Nullable String space, String table) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    boolean schemas = database.supportsSchemasInDataManipulation();
    String catalog = schemas || space == null ? connection.getCatalog() : space;
    String schema = !schemas ? null : space == null ? connection.getSchema() : space;
    Map<Integer, String> key = new TreeMap<>();
    try (ResultSet found = database.getPrimaryKeys(catalog, schema, table)) {
      while (found.next()) {
        key.put(found.getInt("KEY_SEQ"), found.getString("COLUMN_NAME"));
      }
    }
    return List.copyOf(key.values());
  }

  /** Returns a column's name as SQL has it. */
  String sql(String column) {
    return quoted(column, quote);
  }

  /** Returns what stands behind FROM to read these columns alone. */
  String select(List<String> wanted) {
    return "(select %s from %s) t"
        .formatted(wanted.stream().map(this::sql).collect(Collectors.joining(", ")), from);
  }

  /** Returns a column that an option names; it must be one that is read. */
  JdbcColumn column(String option, String column) {
    if (!columns.containsKey(column)) {
      throw JdbcErrors.noColumn(option, column, List.copyOf(columns.keySet()));
    }
    JdbcColumn found = columns.get(column);
    if (found == null) {
      throw JdbcErrors.unsupported(column, types.get(column));
    }
    return found;
  }

  /** Returns the schema of the rows, all columns nullable as in change events. */
  Schema schema() {
    Schema.Builder schema = Schema.builder();
    columns
        .keySet()
        .forEach(name -> schema.addNullableField(name, column("--schema", name).type()));
    return schema.build();
  }

  /** Returns how the columns of a schema are read. */
  List<JdbcColumn> columns(Schema schema) {
    List<JdbcColumn> all = new ArrayList<>();
    schema
        .getFields()
        .forEach(field -> all.add(column("--schema", field.getName()).as(field.getType())));
    return all;
  }
}
