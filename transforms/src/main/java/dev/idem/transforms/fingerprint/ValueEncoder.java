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
package dev.idem.transforms.fingerprint;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.ReadableInstant;

/*
 * Every value is one tag byte and then bytes whose number the tag and the schema, or a length
 * written before them, give. No encoding is therefore the beginning of another one, and the
 * encodings of several values can be put together without meeting those of other values.
 */
/** Writes the values of one field type. */
@FunctionalInterface
interface ValueEncoder {
  int NULL = 0;
  int INTEGER = 1;
  int FLOATING_POINT = 2;
  int DECIMAL = 3;
  int BOOLEAN = 4;
  int TEXT = 5;
  int BYTES = 6;
  int TIMESTAMP = 7;
  int ROW = 8;
  int LIST = 9;
  int MAP = 10;

  /** Writes the tag and the content of a value that is not null. */
  void write(Object value, EncodingBuffer out);

  /** Writes a value or the tag of null. */
  default void writeNullable(@Nullable Object value, EncodingBuffer out) {
    if (value == null) {
      out.writeByte(NULL);
    } else {
      write(value, out);
    }
  }

  /** Returns the encoder of {@code type}; all that depends on the type is resolved here, once. */
  static ValueEncoder of(FieldType type) {
    return switch (type.getTypeName()) {
      case BYTE, INT16, INT32, INT64 ->
          (value, out) -> writeInteger(((Number) value).longValue(), out);
      case FLOAT, DOUBLE -> (value, out) -> writeFloatingPoint(((Number) value).doubleValue(), out);
      case DECIMAL -> (value, out) -> writeDecimal((BigDecimal) value, out);
      case BOOLEAN ->
          (value, out) -> {
            out.writeByte(BOOLEAN);
            out.writeByte((Boolean) value ? 1 : 0);
          };
      case STRING -> (value, out) -> writeText(value.toString(), out);
      case BYTES ->
          (value, out) -> {
            byte[] bytes = (byte[]) value;
            out.writeByte(BYTES);
            out.writeInt(bytes.length);
            out.write(bytes);
          };
      case DATETIME ->
          (value, out) -> {
            out.writeByte(TIMESTAMP);
            out.writeLong(((ReadableInstant) value).getMillis());
          };
      case ARRAY, ITERABLE -> list(of(type.getCollectionElementType()));
      case MAP -> map(of(type.getMapKeyType()), of(type.getMapValueType()));
      case ROW -> row(type.getRowSchema());
      case LOGICAL_TYPE -> logical(type.getLogicalType());
    };
  }

  private static void writeInteger(long value, EncodingBuffer out) {
    out.writeByte(INTEGER);
    out.writeLong(value);
  }

  private static void writeFloatingPoint(double value, EncodingBuffer out) {
    out.writeByte(FLOATING_POINT);
    // doubleToLongBits makes one value of every NaN; adding zero makes one of both zeros.
    out.writeLong(Double.doubleToLongBits(value + 0.0));
  }

  private static void writeDecimal(BigDecimal value, EncodingBuffer out) {
    BigDecimal stripped = value.stripTrailingZeros();
    byte[] unscaled = stripped.unscaledValue().toByteArray();
    out.writeByte(DECIMAL);
    out.writeInt(stripped.scale());
    out.writeInt(unscaled.length);
    out.write(unscaled);
  }

  private static void writeText(String text, EncodingBuffer out) {
    out.writeByte(TEXT);
    int position = out.reserveInt();
    int start = out.size();
    out.writeUtf8(text);
    out.setInt(position, out.size() - start);
  }

  private static ValueEncoder list(ValueEncoder element) {
    return (value, out) -> {
      out.writeByte(LIST);
      int position = out.reserveInt();
      int count = 0;
      for (Object each : (Iterable<?>) value) {
        element.writeNullable(each, out);
        count++;
      }
      out.setInt(position, count);
    };
  }

  private static ValueEncoder map(ValueEncoder key, ValueEncoder mapped) {
    return (value, out) -> {
      Map<?, ?> map = (Map<?, ?>) value;
      List<byte[]> entries = new ArrayList<>(map.size());
      EncodingBuffer scratch = new EncodingBuffer();
      map.forEach(
          (eachKey, eachValue) -> {
            scratch.clear();
            key.writeNullable(eachKey, scratch);
            mapped.writeNullable(eachValue, scratch);
            entries.add(scratch.toByteArray());
          });
      entries.sort(Arrays::compareUnsigned);
      out.writeByte(MAP);
      out.writeInt(entries.size());
      entries.forEach(out::write);
    };
  }

  private static ValueEncoder row(Schema schema) {
    ValueEncoder[] columns =
        schema.getFields().stream().map(f -> of(f.getType())).toArray(ValueEncoder[]::new);
    return (value, out) -> {
      Row row = (Row) value;
      out.writeByte(ROW);
      for (int i = 0; i < columns.length; i++) {
        columns[i].writeNullable(row.getValue(i), out);
      }
    };
  }

  private static <InputT, BaseT> ValueEncoder logical(Schema.LogicalType<InputT, BaseT> type) {
    ValueEncoder base = of(type.getBaseType());
    ValueEncoder byBase =
        (value, out) -> {
          @SuppressWarnings("unchecked")
          InputT input = (InputT) value;
          base.writeNullable(type.toBaseType(input), out);
        };
    if (!type.getIdentifier().equals(MicrosInstant.IDENTIFIER)) {
      return byBase;
    }
    // The same bytes as by the base row of seconds and microseconds, without building that row:
    // nearly every row has a timestamp. What the type cannot hold is left to the type to refuse.
    return (value, out) -> {
      if (value instanceof Instant instant && instant.getNano() % 1000 == 0) {
        out.writeByte(ROW);
        writeInteger(instant.getEpochSecond(), out);
        writeInteger(instant.getNano() / 1000, out);
      } else {
        byBase.write(value, out);
      }
    };
  }
}
