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

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Locale;

/**
 * A column of a table, as the driver describes it.
 *
 * @param type the number of its type, of {@link Types}
 * @param typeName the database's own name of its type
 * @param digits digits behind the point, of a number or of seconds
 * @param generated whether the database alone gives it values
 */
record Column(String name, int type, String typeName, int digits, boolean generated) {

  /** What values the column takes. */
  enum Kind {
    TEXT,
    NUMBER,
    DECIMAL,
    FLOATING,
    BOOLEAN,
    BYTES,
    DATE,
    TIME,
    TIMESTAMP,
    INSTANT,
    ARRAY,
    JSON
  }

  static Column of(ResultSet columns) throws SQLException {
    return new Column(
        columns.getString("COLUMN_NAME"),
        columns.getInt("DATA_TYPE"),
        columns.getString("TYPE_NAME").toLowerCase(Locale.ROOT),
        columns.getInt("DECIMAL_DIGITS"),
        "YES".equals(columns.getString("IS_GENERATEDCOLUMN")));
  }

  Column withDigits(int other) {
    return new Column(name, type, typeName, other, generated);
  }

  Kind kind() {
    // PostgreSQL's driver gives a time with a zone the type of one without.
    if (typeName.equals("timestamptz") || typeName.startsWith("timestamp with time zone")) {
      return Kind.INSTANT;
    }
    if (typeName.equals("json") || typeName.equals("jsonb")) {
      return Kind.JSON;
    }
    return switch (type) {
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> Kind.NUMBER;
      case Types.NUMERIC, Types.DECIMAL -> Kind.DECIMAL;
      case Types.REAL, Types.FLOAT, Types.DOUBLE -> Kind.FLOATING;
      case Types.BIT, Types.BOOLEAN -> Kind.BOOLEAN;
      case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> Kind.BYTES;
      case Types.DATE -> Kind.DATE;
      case Types.TIME, Types.TIME_WITH_TIMEZONE -> Kind.TIME;
      case Types.TIMESTAMP -> Kind.TIMESTAMP;
      case Types.TIMESTAMP_WITH_TIMEZONE -> Kind.INSTANT;
      case Types.ARRAY -> Kind.ARRAY;
      default -> Kind.TEXT;
    };
  }
}
