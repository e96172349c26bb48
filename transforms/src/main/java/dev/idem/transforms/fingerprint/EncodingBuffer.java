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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A growing array of bytes, written big-endian. */
final class EncodingBuffer {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private byte[] bytes = new byte[256];
  private int size;

  void clear() {
    size = 0;
  }

  int size() {
    return size;
  }

  int capacity() {
    return bytes.length;
  }

  byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  Fingerprint fingerprint() {
    return Fingerprint.of(bytes, 0, size);
  }

  void writeByte(int value) {
    ensure(1);
    bytes[size++] = (byte) value;
  }

  void writeInt(int value) {
    ensure(Integer.BYTES);
    INT.set(bytes, size, value);
    size += Integer.BYTES;
  }

  void writeLong(long value) {
    ensure(Long.BYTES);
    LONG.set(bytes, size, value);
    size += Long.BYTES;
  }

  void write(byte[] value) {
    ensure(value.length);
    System.arraycopy(value, 0, bytes, size, value.length);
    size += value.length;
  }

  /** Leaves room for an int that {@link #setInt} fills in later, and returns where it is. */
  int reserveInt() {
    int position = size;
    writeInt(0);
    return position;
  }

  void setInt(int position, int value) {
    INT.set(bytes, position, value);
  }

  /**
   * Writes the UTF-8 bytes of {@code text}. A surrogate without its partner, which {@link
   * String#getBytes} would replace with a question mark, is written as three bytes of its own, so
   * that no two strings meet.
   */
  void writeUtf8(String text) {
    int length = text.length();
    ensure(Math.multiplyExact(length, 3));
    byte[] target = bytes;
    int at = size;
    for (int i = 0; i < length; i++) {
      char unit = text.charAt(i);
      if (unit < 0x80) {
        target[at++] = (byte) unit;
      } else if (unit < 0x800) {
        target[at++] = (byte) (0xC0 | (unit >> 6));
        target[at++] = continuation(unit);
      } else if (Character.isHighSurrogate(unit)
          && i + 1 < length
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        int point = Character.toCodePoint(unit, text.charAt(++i));
        target[at++] = (byte) (0xF0 | (point >> 18));
        target[at++] = continuation(point >> 12);
        target[at++] = continuation(point >> 6);
        target[at++] = continuation(point);
      } else {
        target[at++] = (byte) (0xE0 | (unit >> 12));
        target[at++] = continuation(unit >> 6);
        target[at++] = continuation(unit);
      }
    }
    size = at;
  }

  private static byte continuation(int bits) {
    return (byte) (0x80 | (bits & 0x3F));
  }

  private void ensure(int more) {
    int needed = Math.addExact(size, more);
    if (needed > bytes.length) {
      int doubled = (int) Math.min(Integer.MAX_VALUE - 8L, 2L * bytes.length);
      bytes = Arrays.copyOf(bytes, Math.max(needed, doubled));
    }
  }
}
