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
package dev.idem.io.rows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.NanosInstant;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Writes and reads the values of one type. */
interface ValueCodec {

  /** Writes a value. */
  void write(Object value, ByteSink out);

  /** Reads what {@link #write} wrote. */
  Object read(ByteBuffer in);

  /** Returns the codec of a type: of frequent ones their own, of all others that of Beam. */
  static ValueCodec of(FieldType type) {
    return switch (type.getTypeName()) {
      case BOOLEAN -> new Booleans();
      case INT32 -> new Ints();
      case INT64 -> new Longs();
      case DOUBLE -> new Doubles();
      case STRING -> new Texts();
      case BYTES -> new Bytes();
      case DECIMAL -> new Decimals();
      case ROW -> new Rows(type.getRowSchema());
      case LOGICAL_TYPE -> isInstant(type) ? new Instants() : new Others(type);
      default -> new Others(type);
    };
  }

  private static boolean isInstant(FieldType type) {
    String identifier = type.getLogicalType().getIdentifier();
    return identifier.equals(MicrosInstant.IDENTIFIER)
        || identifier.equals(NanosInstant.IDENTIFIER);
  }

  /** Of {@code BOOLEAN}. */
  record Booleans() implements ValueCodec {
    @Override
    public void write(Object value, ByteSink out) {
      out.writeByte((Boolean) value ? 1 : 0);
    }

    @Override
    public Object read(ByteBuffer in) {
      return in.get() == 1;
    }
  }

  /** Of {@code INT32}. */
  record Ints() implements ValueCodec {
    @Override
    public void write(Object value, ByteSink out) {
      out.writeLong((Integer) value);
    }

    @Override
    public Object read(ByteBuffer in) {
      return (int) ByteSink.readLong(in);
    }
  }

  /** Of {@code INT64}. */
  record Longs() implements ValueCodec {
    @Override
    public void write(Object value, ByteSink out) {
      out.writeLong((Long) value);
    }

    @Override
    public Object read(ByteBuffer in) {
      return ByteSink.readLong(in);
    }
  }

  /** Of {@code DOUBLE}. */
  record Doubles() implements ValueCodec {
    @Override
    public void write(Object value, ByteSink out) {
      out.writeFixed(Double.doubleToRawLongBits((Double) value));
    }

    @Override
    public Object read(ByteBuffer in) {
      return Double.longBitsToDouble(in.getLong());
    }
  }

  /** Of {@code BYTES}. */
  record Bytes() implements ValueCodec {
    @Override
    public void write(Object value, ByteSink out) {
      out.writeBytes((byte[]) value);
    }

    @Override
    public Object read(ByteBuffer in) {
      return ByteSink.readBytes(in);
    }
  }

  /** Of {@code STRING}. */
  record Texts() implements ValueCodec {
    @Override
    public void write(Object value, ByteSink out) {
      out.writeBytes(((String) value).getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public Object read(ByteBuffer in) {
      int length = (int) ByteSink.readLong(in);
      String text =
          new String(in.array(), in.arrayOffset() + in.position(), length, StandardCharsets.UTF_8);
      in.position(in.position() + length);
      return text;
    }
  }

  /** Of {@code DECIMAL}; zeros behind the point are kept. */
  record Decimals() implements ValueCodec {
    @Override
    public void write(Object value, ByteSink out) {
      BigDecimal decimal = (BigDecimal) value;
      out.writeLong(decimal.scale());
      BigInteger digits = decimal.unscaledValue();
      if (digits.bitLength() < Long.SIZE) {
        out.writeByte(1);
        out.writeLong(digits.longValue());
      } else {
        out.writeByte(0);
        out.writeBytes(digits.toByteArray());
      }
    }

    @Override
    public Object read(ByteBuffer in) {
      int scale = (int) ByteSink.readLong(in);
      return in.get() == 1
          ? BigDecimal.valueOf(ByteSink.readLong(in), scale)
          : new BigDecimal(new BigInteger(ByteSink.readBytes(in)), scale);
    }
  }

  /** Of Beam's logical types of instants. */
  record Instants() implements ValueCodec {
    @Override
    public void write(Object value, ByteSink out) {
      Instant instant = (Instant) value;
      out.writeLong(instant.getEpochSecond());
      out.writeLong(instant.getNano());
    }

    @Override
    public Object read(ByteBuffer in) {
      long seconds = ByteSink.readLong(in);
      return Instant.ofEpochSecond(seconds, ByteSink.readLong(in));
    }
  }

  /** Of rows of a schema. */
  final class Rows implements ValueCodec {
    private final Schema schema;
    private final ValueCodec[] fields;

    Rows(Schema schema) {
      this.schema = schema;
      this.fields =
          schema.getFields().stream()
              .map(field -> ValueCodec.of(field.getType()))
              .toArray(ValueCodec[]::new);
    }

    @Override
    public void write(Object value, ByteSink out) {
      Row row = (Row) value;
      for (int i = 0; i < fields.length; i++) {
        if (i % Byte.SIZE == 0) {
          out.writeByte(present(row, i));
        }
        Object field = row.getValue(i);
        if (field != null) {
          fields[i].write(field, out);
        }
      }
    }

    @Override
    public Row read(ByteBuffer in) {
      List<@Nullable Object> values = new ArrayList<>(fields.length);
      int present = 0;
      for (int i = 0; i < fields.length; i++) {
        present = i % Byte.SIZE == 0 ? in.get() : present >> 1;
        values.add((present & 1) == 0 ? null : fields[i].read(in));
      }
      return Row.withSchema(schema).attachValues(values);
    }

    /** Returns which of the next eight fields are not null, a bit each. */
    private int present(Row row, int from) {
      int present = 0;
      for (int i = from; i < Math.min(from + Byte.SIZE, fields.length); i++) {
        if (row.<Object>getValue(i) != null) {
          present |= 1 << (i - from);
        }
      }
      return present;
    }
  }

  /** Of any type, as Beam's coder of a row with this one field writes it. */
  final class Others implements ValueCodec {
    private final Schema schema;
    private final RowCoder coder;

    Others(FieldType type) {
      this.schema = Schema.builder().addField("value", type).build();
      this.coder = RowCoder.of(schema);
    }

    @Override
    public void write(Object value, ByteSink out) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try {
        coder.encode(Row.withSchema(schema).attachValues(value), bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      out.writeBytes(bytes.toByteArray());
    }

    @Override
    public Object read(ByteBuffer in) {
      try {
        return coder.decode(new ByteArrayInputStream(ByteSink.readBytes(in))).getValue(0);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
