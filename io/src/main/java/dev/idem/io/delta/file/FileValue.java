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
package dev.idem.io.delta.file;

import dev.idem.io.delta.error.RowRefusedException;
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.schema.BeamTypes;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaType;
import dev.idem.io.delta.schema.SchemaErrors;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.Schema.TypeName;
import org.apache.beam.sdk.schemas.logicaltypes.EnumerationType;
import org.apache.beam.sdk.values.Row;
import org.apache.parquet.io.api.Binary;
import org.joda.time.ReadableInstant;

/**
 * Turns values of one Beam type into what files hold: Long microseconds, Integer days, unscaled
 * decimals, Binary text; Object[] for a struct's columns, an array's elements, and a map's keys and
 * values one after the other. Every rule of a column is checked here, so that what reaches a file
 * writer fits.
 */
@FunctionalInterface
interface FileValue {

  /** Encodes a value that is not null. */
  Object encode(Object value);

  /**
   * Returns the encoder of values of a Beam type for a column.
   *
   * @throws SchemaMismatchException if the type does not fit the column
   */
  static FileValue of(DeltaColumn column, FieldType given, String table, boolean nanos) {
    DeltaType type = column.type();
    TypeName kind = given.getTypeName();
    if (type instanceof DeltaType.Struct struct && kind == TypeName.ROW) {
      RowBinding row =
          RowBinding.of(given.getRowSchema(), struct.fields(), column.name() + ".", table, nanos);
      return value -> row.encode(require(column, value, Row.class));
    }
    if (type instanceof DeltaType.Array array && kind.isCollectionType()) {
      DeltaColumn element =
          new DeltaColumn(column.name() + ".element", array.element(), array.containsNull());
      FileValue encoder = of(element, given.getCollectionElementType(), table, nanos);
      return value -> elements(element, encoder, require(column, value, Iterable.class));
    }
    if (type instanceof DeltaType.Map map && kind == TypeName.MAP) {
      DeltaColumn key = new DeltaColumn(column.name() + ".key", map.key(), false);
      DeltaColumn mapped =
          new DeltaColumn(column.name() + ".value", map.value(), map.valueContainsNull());
      FileValue keys = of(key, given.getMapKeyType(), table, nanos);
      FileValue values = of(mapped, given.getMapValueType(), table, nanos);
      return value -> entries(key, keys, mapped, values, require(column, value, Map.class));
    }
    requireType(column, given, table, nanos);
    if (type instanceof DeltaType.Decimal decimal) {
      return value -> decimal(column, decimal, require(column, value, BigDecimal.class));
    }
    return primitive(column, (DeltaType.Primitive) type, given);
  }

  private static void requireType(
      DeltaColumn column, FieldType given, String table, boolean nanos) {
    DeltaColumn found =
        BeamTypes.columns(Schema.of(Schema.Field.of(column.name(), given)), "", nanos).get(0);
    // Whether a decimal's digits fit is decided row by row.
    boolean fits =
        column.type() instanceof DeltaType.Decimal
            ? found.type() instanceof DeltaType.Decimal
            : column.type() instanceof DeltaType.Primitive && column.type() == found.type();
    if (!fits) {
      throw SchemaErrors.otherType(table, column, found);
    }
  }

  private static FileValue primitive(
      DeltaColumn column, DeltaType.Primitive type, FieldType given) {
    return switch (type) {
      case STRING -> text(column, given);
      case BYTE -> value -> require(column, value, Byte.class).intValue();
      case SHORT -> value -> require(column, value, Short.class).intValue();
      case INTEGER -> value -> require(column, value, Integer.class);
      case LONG -> value -> require(column, value, Long.class);
      case FLOAT -> value -> require(column, value, Float.class);
      case DOUBLE -> value -> require(column, value, Double.class);
      case BOOLEAN -> value -> require(column, value, Boolean.class);
      case BINARY -> value -> Binary.fromConstantByteArray(require(column, value, byte[].class));
      case DATE -> value -> days(column, require(column, value, LocalDate.class).toEpochDay());
      case TIMESTAMP -> value -> micros(column, value);
      case TIMESTAMP_NTZ ->
          value ->
              micros(column, require(column, value, LocalDateTime.class).toInstant(ZoneOffset.UTC));
    };
  }

  private static FileValue text(DeltaColumn column, FieldType given) {
    if (given.getLogicalType() instanceof EnumerationType names) {
      return value ->
          Binary.fromString(names.toString(require(column, value, EnumerationType.Value.class)));
    }
    return value -> {
      if (value instanceof CharSequence || value instanceof UUID) {
        return Binary.fromString(value.toString());
      }
      throw wrongType(column, value);
    };
  }

  private static <T> T require(DeltaColumn column, Object value, Class<T> type) {
    if (!type.isInstance(value)) {
      throw wrongType(column, value);
    }
    return type.cast(value);
  }

  private static RowRefusedException wrongType(DeltaColumn column, Object value) {
    return RowErrors.rowRefused(column, "must be of type " + column.type().text(), value);
  }

  private static Object required(DeltaColumn column, FileValue encoder, Object value) {
    if (value != null) {
      return encoder.encode(value);
    }
    if (!column.nullable()) {
      throw RowErrors.rowRefused(column, "must not be null", null);
    }
    return null;
  }

  private static Object[] elements(DeltaColumn element, FileValue encoder, Iterable<?> given) {
    int size = given instanceof Collection<?> collection ? collection.size() : 16;
    Object[] encoded = new Object[size];
    int count = 0;
    for (Object each : given) {
      if (count == encoded.length) {
        encoded = Arrays.copyOf(encoded, 2 * count + 1);
      }
      encoded[count++] = required(element, encoder, each);
    }
    return count == encoded.length ? encoded : Arrays.copyOf(encoded, count);
  }

  private static Object[] entries(
      DeltaColumn key, FileValue keys, DeltaColumn mapped, FileValue values, Map<?, ?> given) {
    Object[] encoded = new Object[2 * given.size()];
    int at = 0;
    for (Map.Entry<?, ?> entry : given.entrySet()) {
      encoded[at++] = required(key, keys, entry.getKey());
      encoded[at++] = required(mapped, values, entry.getValue());
    }
    return encoded;
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
      return Math.multiplyExact(require(column, value, ReadableInstant.class).getMillis(), 1000L);
    } catch (ArithmeticException e) {
      throw RowErrors.rowRefused(column, "must fit 64 bits of microseconds", value);
    }
  }

  private static Integer days(DeltaColumn column, long epochDay) {
    if (epochDay != (int) epochDay) {
      throw RowErrors.rowRefused(column, "must fit 32 bits of days", epochDay);
    }
    return (int) epochDay;
  }

  private static Object decimal(DeltaColumn column, DeltaType.Decimal type, BigDecimal value) {
    BigDecimal scaled;
    try {
      scaled = value.setScale(type.scale());
    } catch (ArithmeticException e) {
      throw RowErrors.rowRefused(
          column, "must have at most " + type.scale() + " digits after the point", value);
    }
    if (scaled.precision() > type.precision()) {
      throw RowErrors.rowRefused(
          column, "must fit " + type.text() + " without losing digits", value);
    }
    BigInteger unscaled = scaled.unscaledValue();
    if (type.precision() <= ParquetTypes.INT_DIGITS) {
      return unscaled.intValueExact();
    }
    if (type.precision() <= ParquetTypes.LONG_DIGITS) {
      return unscaled.longValueExact();
    }
    byte[] bytes = new byte[ParquetTypes.fixedLength(type.precision())];
    byte[] digits = unscaled.toByteArray();
    if (unscaled.signum() < 0) {
      Arrays.fill(bytes, (byte) -1);
    }
    System.arraycopy(digits, 0, bytes, bytes.length - digits.length, digits.length);
    return Binary.fromConstantByteArray(bytes);
  }
}
