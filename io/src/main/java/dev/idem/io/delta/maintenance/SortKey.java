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
package dev.idem.io.delta.maintenance;

import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaType;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/*
 * Every value begins with a byte that says whether it is null. Numbers follow with as many bytes as
 * their type has, text with an end that is less than all that text consists of: so where two keys
 * first differ, the same column is compared, value by value.
 */
/**
 * Rows' values of some columns as bytes, which compared without sign are in the order of the
 * values: nulls first, numbers by value with NaN last, text by its UTF-8 bytes.
 */
final class SortKey {

  private static final int NULL = 0;
  private static final int VALUE = 1;
  private static final int END_OF_TEXT = 0;
  private static final int DECIMAL_BYTES = 16;

  private final DeltaType[] types;
  private final int[] positions;

  private SortKey(DeltaType[] types, int[] positions) {
    this.types = types;
    this.positions = positions;
  }

  /** Returns the keys by {@code columns} of rows of {@code all}. */
  static SortKey of(List<DeltaColumn> columns, List<DeltaColumn> all) {
    return new SortKey(
        columns.stream().map(DeltaColumn::type).toArray(DeltaType[]::new),
        columns.stream().mapToInt(all::indexOf).toArray());
  }

  /** Returns the key of a row's values as a scan gives them. */
  byte[] of(Object[] values) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(16 * positions.length);
    DataOutputStream out = new DataOutputStream(bytes);
    try {
      for (int c = 0; c < positions.length; c++) {
        Object value = values[positions[c]];
        out.writeByte(value == null ? NULL : VALUE);
        if (value != null) {
          write(out, types[c], value);
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException("Bytes in memory must take a key.", e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, DeltaType type, Object value) throws IOException {
    if (type instanceof DeltaType.Decimal decimal) {
      writeDecimal(out, ((BigDecimal) value).setScale(decimal.scale()));
      return;
    }
    switch ((DeltaType.Primitive) type) {
      case STRING -> writeText(out, (String) value);
      case BYTE, SHORT, INTEGER, LONG, DATE, TIMESTAMP, TIMESTAMP_NTZ ->
          out.writeLong(((Number) value).longValue() ^ Long.MIN_VALUE);
      case FLOAT, DOUBLE -> writeDouble(out, ((Number) value).doubleValue());
      case BOOLEAN, BINARY ->
          throw new IllegalArgumentException(
              "Type to sort by must have an order, but was: " + type.text() + ".");
    }
  }

  /* No byte of UTF-8 is 255, so each can be one more, and none is the end. */
  private static void writeText(DataOutputStream out, String text) throws IOException {
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      out.writeByte(each + 1);
    }
    out.writeByte(END_OF_TEXT);
  }

  /* Adding 0.0 makes one zero of the two. */
  private static void writeDouble(DataOutputStream out, double value) throws IOException {
    long bits = Double.doubleToLongBits(value + 0.0);
    out.writeLong(bits < 0 ? ~bits : bits ^ Long.MIN_VALUE);
  }

  private static void writeDecimal(DataOutputStream out, BigDecimal value) throws IOException {
    byte[] digits = value.unscaledValue().toByteArray();
    int sign = value.signum() < 0 ? -1 : 0;
    byte[] padded = new byte[DECIMAL_BYTES];
    Arrays.fill(padded, (byte) sign);
    System.arraycopy(digits, 0, padded, DECIMAL_BYTES - digits.length, digits.length);
    padded[0] ^= (byte) 0x80;
    out.write(padded);
  }
}
