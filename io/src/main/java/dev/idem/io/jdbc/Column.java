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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A column of a table, as the driver describes it.
 *
 * @param type the number of its type, of {@link Types}
 * @param typeName the database's own name of its type
 * @param size of a number: how many digits it has
 * @param digits digits behind the point, of a number or of seconds
 * @param generated whether the database alone gives it values
 */
record Column(String name, int type, String typeName, int size, int digits, boolean generated) {

  /** What PostgreSQL's driver says of a number of any size, and of an array of such. */
  private static final Set<Integer> ANY_SIZE = Set.of(0, 131_089);

  /** PostgreSQL's driver gives so many less the digits before the point that are rounded. */
  private static final int BEFORE_THE_POINT = 2048;

  private static final Pattern ARRAY =
      Pattern.compile("([a-z ]+?)(?:\\((\\d+)(?:, (\\d+))?\\))?([a-z ]*?)(?: array)+");

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
    int digits = columns.getInt("DECIMAL_DIGITS");
    return new Column(
        columns.getString("COLUMN_NAME"),
        columns.getInt("DATA_TYPE"),
        columns.getString("TYPE_NAME").toLowerCase(Locale.ROOT),
        columns.getInt("COLUMN_SIZE"),
        digits > BEFORE_THE_POINT / 2 ? digits - BEFORE_THE_POINT : digits,
        "YES".equals(columns.getString("IS_GENERATEDCOLUMN")));
  }

  Column withDigits(int other) {
    return new Column(name, type, typeName, size, other, generated);
  }

  /** Returns whether a number keeps all its digits behind the point. */
  boolean keeps(BigDecimal value) {
    if (typeName.equals("decfloat")) {
      return value.stripTrailingZeros().precision() <= size;
    }
    if (typeName.equals("numeric") && ANY_SIZE.contains(size)) {
      return true;
    }
    return value.scale() <= digits || value.stripTrailingZeros().scale() <= digits;
  }

  /** Returns what an element of the array is, as far as the driver says it. */
  Column element() {
    if (typeName.startsWith("_")) {
      return element(typeName.substring(1), size, digits);
    }
    Matcher h2 = ARRAY.matcher(typeName);
    if (!h2.matches()) {
      return element("", size, digits);
    }
    String type = h2.group(1) + h2.group(4);
    int first = h2.group(2) == null ? -1 : Integer.parseInt(h2.group(2));
    int second = h2.group(3) == null ? 0 : Integer.parseInt(h2.group(3));
    boolean time = type.startsWith("time");
    int ofSecond = first < 0 ? (type.startsWith("timestamp") ? 6 : 0) : first;
    return element(type, first < 0 ? Integer.MAX_VALUE : first, time ? ofSecond : second);
  }

  private Column element(String type, int elementSize, int elementDigits) {
    int number =
        switch (type) {
          case "numeric", "decfloat" -> Types.NUMERIC;
          case "timestamp" -> Types.TIMESTAMP;
          case "time", "timetz", "time with time zone" -> Types.TIME;
          default -> Types.OTHER;
        };
    return new Column(name, number, type, elementSize, elementDigits, generated);
  }

  Kind kind() {
    // PostgreSQL's driver gives a time with a zone the type of one without.
    if (typeName.equals("timestamptz") || typeName.startsWith("timestamp with time zone")) {
      return Kind.INSTANT;
    }
    if (typeName.equals("json") || typeName.equals("jsonb")) {
      return Kind.JSON;
    }
    // H2's driver takes it for bytes.
    if (typeName.equals("uuid")) {
      return Kind.TEXT;
    }
    // MariaDB's driver takes it for a date.
    if (typeName.equals("year")) {
      return Kind.NUMBER;
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
