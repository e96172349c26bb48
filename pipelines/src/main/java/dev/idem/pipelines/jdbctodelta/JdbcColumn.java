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

import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.pipelines.decode.Decoded.Reason;
import dev.idem.pipelines.decode.Decoded.Refused;
import java.io.Serializable;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Set;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.Schema.TypeName;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A column of a database's table, with the type that Debezium's events give it.
 *
 * @param name its name
 * @param kind how its values are read
 * @param type the type that they have in rows
 * @param nullable whether they may be null
 */
record JdbcColumn(String name, Kind kind, FieldType type, boolean nullable)
    implements Serializable {

  /** How values are read. */
  enum Kind {
    WHOLE,
    FLOATING,
    BOOLEAN,
    DECIMAL,
    DECIMAL_TEXT,
    /** Without zeros at its end, as Debezium has numbers whose scale varies. */
    VARIABLE_DECIMAL_TEXT,
    TEXT,
    BYTES,
    DATE,
    TIME_TEXT,
    TIMESTAMP,
    INSTANT
  }

  private static final int MAX_PRECISION = 38;

  /** SQL Server's own number for its timestamps with a zone. */
  private static final int DATETIMEOFFSET = -155;

  /** What PostgreSQL calls other, and gives as text; Debezium does, too. */
  private static final Set<String> TEXTS =
      Set.of(
          "uuid",
          "json",
          "jsonb",
          "xml",
          "inet",
          "cidr",
          "macaddr",
          "macaddr8",
          "int4range",
          "int8range",
          "numrange",
          "tsrange",
          "tstzrange",
          "daterange");

  /** What drivers call by the name of another type, though Debezium has it as none. */
  private static final Set<String> NOT_READ = Set.of("money", "timetz");

  private static final Map<TypeName, Integer> WIDTHS =
      Map.of(TypeName.BYTE, 1, TypeName.INT16, 2, TypeName.INT32, 4, TypeName.INT64, 8);

  private static final Instant FIRST_TIMESTAMP =
      Instant.ofEpochMilli(BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis());
  private static final Instant LAST_TIMESTAMP =
      Instant.ofEpochMilli(BoundedWindow.TIMESTAMP_MAX_VALUE.getMillis());

  /** The first two digits of an SQL state that tells of a value, not of a connection. */
  private static final String DATA_EXCEPTION = "22";

  /** Why a value does not fit its column. */
  static final class BadValueException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Refused refused;

    BadValueException(String column, String rule) {
      this.refused = new Refused(Reason.PARSE_ERROR, column, rule);
    }

    Refused refused() {
      return refused;
    }
  }

  /**
   * Returns a column of a query's result, null if its type is one that is not read.
   *
   * @param column its number, from 1
   * @param product the database's name of itself
   */
  static @Nullable JdbcColumn of(ResultSetMetaData found, int column, String product)
      throws SQLException {
    Kind kind = kind(found, column, product);
    return kind == null
        ? null
        : new JdbcColumn(
            found.getColumnLabel(column),
            kind,
            type(kind, found, column),
            found.isNullable(column) != ResultSetMetaData.columnNoNulls);
  }

  private static @Nullable Kind kind(ResultSetMetaData found, int column, String product)
      throws SQLException {
    String name = found.getColumnTypeName(column);
    if (NOT_READ.contains(name)) {
      return null;
    }
    return switch (found.getColumnType(column)) {
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> Kind.WHOLE;
      case Types.REAL, Types.FLOAT, Types.DOUBLE -> Kind.FLOATING;
      case Types.BIT, Types.BOOLEAN -> found.getPrecision(column) > 1 ? null : Kind.BOOLEAN;
      case Types.NUMERIC, Types.DECIMAL ->
          decimal(found.getPrecision(column), found.getScale(column));
      case Types.CHAR,
          Types.VARCHAR,
          Types.LONGVARCHAR,
          Types.NCHAR,
          Types.NVARCHAR,
          Types.LONGNVARCHAR ->
          Kind.TEXT;
      case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY -> Kind.BYTES;
      case Types.DATE -> Kind.DATE;
      case Types.TIME -> Kind.TIME_TEXT;
      case Types.TIMESTAMP -> isInstant(name, product) ? Kind.INSTANT : Kind.TIMESTAMP;
      case Types.TIMESTAMP_WITH_TIMEZONE, DATETIMEOFFSET -> Kind.INSTANT;
      case Types.OTHER, Types.SQLXML -> TEXTS.contains(name) ? Kind.TEXT : null;
      default -> null;
    };
  }

  /** MySQL's TIMESTAMP is a point in time, its DATETIME is none. */
  private static boolean isInstant(String type, String product) {
    return type.equals("timestamptz")
        || (type.equals("TIMESTAMP") && (product.equals("MySQL") || product.equals("MariaDB")));
  }

  /** A decimal that no table can hold is its text. */
  private static Kind decimal(int precision, int scale) {
    if (precision == 0) {
      return Kind.VARIABLE_DECIMAL_TEXT;
    }
    return precision <= MAX_PRECISION && scale >= 0 && scale <= precision
        ? Kind.DECIMAL
        : Kind.DECIMAL_TEXT;
  }

  private static FieldType type(Kind kind, ResultSetMetaData found, int column)
      throws SQLException {
    return switch (kind) {
      case WHOLE -> wholeType(found, column);
      case FLOATING ->
          found.getColumnType(column) == Types.REAL ? FieldType.FLOAT : FieldType.DOUBLE;
      case BOOLEAN -> FieldType.BOOLEAN;
      case DECIMAL ->
          FieldType.logicalType(
              FixedPrecisionNumeric.of(found.getPrecision(column), found.getScale(column)));
      case DECIMAL_TEXT, VARIABLE_DECIMAL_TEXT, TEXT, TIME_TEXT -> FieldType.STRING;
      case BYTES -> FieldType.BYTES;
      case DATE -> FieldType.logicalType(SqlTypes.DATE);
      case TIMESTAMP -> FieldType.logicalType(SqlTypes.DATETIME);
      case INSTANT -> FieldType.logicalType(new MicrosInstant());
    };
  }

  private static FieldType wholeType(ResultSetMetaData found, int column) throws SQLException {
    return switch (found.getColumnType(column)) {
      case Types.TINYINT -> FieldType.INT16;
      case Types.SMALLINT -> found.isSigned(column) ? FieldType.INT16 : FieldType.INT32;
      case Types.INTEGER -> found.isSigned(column) ? FieldType.INT32 : FieldType.INT64;
      default -> FieldType.INT64;
    };
  }

  /** Returns the column with a type that was declared, which must be the same or a wider one. */
  JdbcColumn as(FieldType declared) {
    if (!typeName(declared).equals(typeName(type)) && !isWider(declared)) {
      throw JdbcErrors.otherType(name, typeName(type), typeName(declared));
    }
    return new JdbcColumn(name, kind, declared.withNullable(true), nullable);
  }

  /** Returns what Delta calls a type. */
  private static String typeName(FieldType type) {
    String field = DeltaSchemas.toJson(Schema.of(Schema.Field.nullable("c", type)));
    String start = "\"name\":\"c\",\"type\":";
    return field
        .substring(field.indexOf(start) + start.length(), field.lastIndexOf(",\"nullable\""))
        .replace("\"", "");
  }

  private boolean isWider(FieldType declared) {
    return switch (kind) {
      case WHOLE -> WIDTHS.getOrDefault(declared.getTypeName(), 0) > WIDTHS.get(type.getTypeName());
      case FLOATING -> declared.getTypeName() == TypeName.DOUBLE;
      default -> false;
    };
  }

  /**
   * Returns a value of the row that a result is at.
   *
   * @param index where the column is in the result, from 1
   * @throws BadValueException if the column's type cannot hold it
   */
  @Nullable Object read(ResultSet result, int index) throws SQLException, BadValueException {
    try {
      return switch (kind) {
        case WHOLE -> whole(result, index);
        case FLOATING -> floating(result, index);
        case BOOLEAN -> orNull(result.getBoolean(index), result);
        case DECIMAL -> exact(result.getBigDecimal(index));
        case DECIMAL_TEXT -> text(result.getBigDecimal(index));
        case VARIABLE_DECIMAL_TEXT -> text(stripped(result.getBigDecimal(index)));
        case TEXT -> result.getString(index);
        case BYTES -> result.getBytes(index);
        case DATE -> date(result.getObject(index, LocalDate.class));
        case TIME_TEXT -> time(result.getString(index));
        case TIMESTAMP -> timestamp(result.getObject(index, LocalDateTime.class));
        case INSTANT -> instant(result.getObject(index, OffsetDateTime.class));
      };
    } catch (SQLException e) {
      if (e.getSQLState() != null && e.getSQLState().startsWith(DATA_EXCEPTION)) {
        throw bad("A value must be one that its column's type can hold.");
      }
      throw e;
    } catch (DateTimeException | ArithmeticException e) {
      throw bad("A value must be one that its column's type can hold.");
    }
  }

  private static @Nullable Object orNull(Object value, ResultSet result) throws SQLException {
    return result.wasNull() ? null : value;
  }

  private @Nullable Object whole(ResultSet result, int index) throws SQLException {
    long value = result.getLong(index);
    return orNull(
        switch (type.getTypeName()) {
          case INT16 -> (Object) (short) value;
          case INT32 -> Math.toIntExact(value);
          default -> value;
        },
        result);
  }

  private @Nullable Object floating(ResultSet result, int index) throws SQLException {
    double value = result.getDouble(index);
    return orNull(type.getTypeName() == TypeName.FLOAT ? (Object) (float) value : value, result);
  }

  private @Nullable BigDecimal exact(@Nullable BigDecimal value) {
    Row precision = (Row) type.getLogicalType().getArgument();
    return value == null ? null : value.setScale(precision.getInt32("scale"));
  }

  private static @Nullable BigDecimal stripped(@Nullable BigDecimal value) {
    return value == null ? null : value.stripTrailingZeros();
  }

  private static @Nullable String text(@Nullable BigDecimal value) {
    return value == null ? null : value.toPlainString();
  }

  private static @Nullable LocalDate date(@Nullable LocalDate value) {
    if (value != null) {
      Math.toIntExact(value.toEpochDay());
    }
    return value;
  }

  /** Databases differ in zeros at the end of a fraction. */
  private static @Nullable String time(@Nullable String value) {
    return value == null || value.indexOf('.') < 0
        ? value
        : value.replaceAll("0+$", "").replaceAll("\\.$", "");
  }

  private @Nullable LocalDateTime timestamp(@Nullable LocalDateTime value)
      throws BadValueException {
    if (value != null) {
      requireMicroseconds(value.toInstant(ZoneOffset.UTC));
    }
    return value;
  }

  private @Nullable Instant instant(@Nullable OffsetDateTime value) throws BadValueException {
    if (value == null) {
      return null;
    }
    requireMicroseconds(value.toInstant());
    return value.toInstant();
  }

  private void requireMicroseconds(Instant value) throws BadValueException {
    if (value.isBefore(FIRST_TIMESTAMP)
        || value.isAfter(LAST_TIMESTAMP)
        || !value.equals(value.truncatedTo(ChronoUnit.MICROS))) {
      throw bad(
          "A timestamp must have at most microseconds, within 64 bits of microseconds around 1970.");
    }
  }

  private BadValueException bad(String rule) {
    return new BadValueException(name, rule);
  }
}
