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

import java.nio.ByteBuffer;

/** Bytes that grow. */
final class ByteSink {
  private ByteBuffer bytes = ByteBuffer.allocate(1 << 10);

  int size() {
    return bytes.position();
  }

  void writeByte(int value) {
    room(1).put((byte) value);
  }

  void writeFixed(long value) {
    room(Long.BYTES).putLong(value);
  }

  /** Writes a number in the fewer bytes the nearer it is to zero. */
  void writeLong(long value) {
    long rest = (value << 1) ^ (value >> 63);
    ByteBuffer to = room(10);
    while ((rest & ~0x7FL) != 0) {
      to.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    to.put((byte) rest);
  }

  /** Reads what {@link #writeLong} wrote. */
  static long readLong(ByteBuffer in) {
    long read = 0;
    int shift = 0;
    byte next;
    do {
      next = in.get();
      read |= (next & 0x7FL) << shift;
      shift += 7;
    } while (next < 0);
    return (read >>> 1) ^ -(read & 1);
  }

  /** Writes bytes and, before them, how many they are. */
  void writeBytes(byte[] value) {
    writeLong(value.length);
    room(value.length).put(value);
  }

  /** Reads what {@link #writeBytes} wrote. */
  static byte[] readBytes(ByteBuffer in) {
    byte[] bytes = new byte[(int) readLong(in)];
    in.get(bytes);
    return bytes;
  }

  /** Returns what was written, and forgets it. */
  byte[] take() {
    byte[] taken = new byte[bytes.position()];
    bytes.flip().get(taken);
    bytes.clear();
    return taken;
  }

  private ByteBuffer room(int more) {
    if (bytes.remaining() < more) {
      int size = Math.max(Math.addExact(bytes.position(), more), 2 * bytes.capacity());
      bytes = ByteBuffer.allocate(size).put(bytes.flip());
    }
    return bytes;
  }
}
