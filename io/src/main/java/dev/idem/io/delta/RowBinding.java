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
package dev.idem.io.delta;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.apache.parquet.io.api.Binary;
import org.joda.time.ReadableInstant;

/**
 * Turns rows of one Beam schema into values as files hold them: Long microseconds, Integer days,
 * unscaled decimals, Binary text. Every rule of a column is checked here, so that what reaches a
 * file writer fits.
 */
final class RowBinding {

  private final Schema schema;
  private final List<DeltaColumn> columns;
  private final int[] fields;
  private Schema knownEqual;

  private RowBinding(Schema schema, List<DeltaColumn> columns, int[] fields) {
    this.schema = schema;
    this.columns = columns;
    this.fields = fields;
  }

  /**
   * Binds a schema to columns; names are matched exactly.
   *
   * @throws SchemaMismatchException if a row of the schema does not fit, naming the column
   */
  static RowBinding of(Schema schema, List<DeltaColumn> columns, String table) {
    int[] fields = new int[columns.size()];
    Set<String> extra = new TreeSet<>(schema.getFieldNames());
    for (int c = 0; c < fields.length; c++) {
      DeltaColumn column = columns.get(c);
      fields[c] = -1;
      if (schema.hasField(column.name())) {
        fields[c] = schema.indexOf(column.name());
        requireType(column, DeltaSchemas.column(schema.getField(fields[c])), table);
        extra.remove(column.name());
      } else if (!column.nullable()) {
        throw DeltaErrors.missingColumn(table, column);
      }
    }
    if (!extra.isEmpty()) {
      throw DeltaErrors.extraColumn(table, extra.iterator().next());
    }
    return new RowBinding(schema, columns, fields);
  }

  private static void requireType(DeltaColumn column, DeltaColumn given, String table) {
    // Whether a decimal's digits fit is decided row by row.
    if (given.type() != column.type()) {
      throw DeltaErrors.otherType(table, column, given);
    }
  }

  /** Returns whether rows of {@code other} may be bound by this; compares once an object. */
  @SuppressWarnings("ReferenceEquality")
  boolean binds(Schema other) {
    if (other == schema || other == knownEqual) {
      return true;
    }
    if (!schema.equals(other)) {
      return false;
    }
    knownEqual = other;
    return true;
  }

  /** Returns the row's values in the order of the columns. */
  Object[] encode(Row row) {
    Object[] values = new Object[fields.length];
    for (int c = 0; c < fields.length; c++) {
      DeltaColumn column = columns.get(c);
      Object value = fields[c] < 0 ? null : row.getValue(fields[c]);
      if (value != null) {
        values[c] = encode(column, value);
      } else if (!column.nullable()) {
        throw DeltaErrors.rowRefused(column, "must not be null", null);
      }
    }
    return values;
  }

  private static Object encode(DeltaColumn column, Object value) {
    return switch (column.type()) {
      case STRING -> {
        if (value instanceof CharSequence text) {
          yield Binary.fromString(text.toString());
        }
        throw wrongType(column, value);
      }
      case LONG -> require(column, value, Long.class);
      case INTEGER -> require(column, value, Integer.class);
      case DOUBLE -> require(column, value, Double.class);
      case BOOLEAN -> require(column, value, Boolean.class);
      case TIMESTAMP -> micros(column, value);
      case DATE -> {
        if (value instanceof LocalDate date) {
          yield days(column, date.toEpochDay());
        }
        throw wrongType(column, value);
      }
      case DECIMAL -> decimal(column, require(column, value, BigDecimal.class));
      case BINARY -> Binary.fromConstantByteArray(require(column, value, byte[].class));
    };
  }

  private static <T> T require(DeltaColumn column, Object value, Class<T> type) {
    if (!type.isInstance(value)) {
      throw wrongType(column, value);
    }
    return type.cast(value);
  }

  private static RowRefusedException wrongType(DeltaColumn column, Object value) {
    return DeltaErrors.rowRefused(column, "must be of type " + column.typeName(), value);
  }

  private static Long micros(DeltaColumn column, Object value) {
    try {
      if (value instanceof Instant instant) {
        // An instant's nanoseconds count up from its second, before 1970 too, so this floors.
        long second = instant.getEpochSecond();
        int micros = instant.getNano() / 1000;
        // The first second that 64 bits hold a part of begins before them.
        return second < 0
            ? Math.addExact(Math.multiplyExact(second + 1, 1_000_000L), micros - 1_000_000)
            : Math.addExact(Math.multiplyExact(second, 1_000_000L), micros);
      }
      if (value instanceof ReadableInstant instant) {
        return Math.multiplyExact(instant.getMillis(), 1000L);
      }
    } catch (ArithmeticException e) {
      throw DeltaErrors.rowRefused(column, "must fit 64 bits of microseconds", value);
    }
    throw wrongType(column, value);
  }

  private static Integer days(DeltaColumn column, long epochDay) {
    if (epochDay != (int) epochDay) {
      throw DeltaErrors.rowRefused(column, "must fit 32 bits of days", epochDay);
    }
    return (int) epochDay;
  }

  private static Object decimal(DeltaColumn column, BigDecimal value) {
    BigDecimal scaled;
    try {
      scaled = value.setScale(column.scale());
    } catch (ArithmeticException e) {
      throw DeltaErrors.rowRefused(
          column, "must have at most " + column.scale() + " digits after the point", value);
    }
    if (scaled.precision() > column.precision()) {
      throw DeltaErrors.rowRefused(
          column, "must fit " + column.typeName() + " without losing digits", value);
    }
    BigInteger unscaled = scaled.unscaledValue();
    if (column.precision() <= ParquetRows.INT_DIGITS) {
      return unscaled.intValueExact();
    }
    if (column.precision() <= ParquetRows.LONG_DIGITS) {
      return unscaled.longValueExact();
    }
    byte[] bytes = new byte[ParquetRows.fixedLength(column.precision())];
    byte[] digits = unscaled.toByteArray();
    if (unscaled.signum() < 0) {
      Arrays.fill(bytes, (byte) -1);
    }
    System.arraycopy(digits, 0, bytes, bytes.length - digits.length, digits.length);
    return Binary.fromConstantByteArray(bytes);
  }
}
