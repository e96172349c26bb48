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
package dev.idem.pipelines.event;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The bytes of one event: grows while it is written, and is read from its start. */
@SuppressWarnings("ByteBufferBackingArray") // every buffer is made here, of a whole array
final class EventBytes {

  private static final int INITIAL = 512;

  private ByteBuffer bytes;

  private EventBytes(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  /** Returns an empty one, to be written. */
  static EventBytes empty() {
    return new EventBytes(ByteBuffer.allocate(INITIAL));
  }

  /** Returns one to be read. */
  static EventBytes of(byte[] bytes) {
    return new EventBytes(ByteBuffer.wrap(bytes));
  }

  private ByteBuffer room(int more) {
    if (bytes.remaining() < more) {
      int wanted = Math.addExact(bytes.position(), more);
      ByteBuffer larger = ByteBuffer.allocate(Math.max(wanted, Math.multiplyExact(2, wanted)));
      bytes = larger.put(bytes.flip());
    }
    return bytes;
  }

  /** Returns the array behind what was written, to be read up to {@link #size()}. */
  byte[] array() {
    return bytes.array();
  }

  int size() {
    return bytes.position();
  }

  void writeBoolean(boolean value) {
    room(1).put((byte) (value ? 1 : 0));
  }

  boolean readBoolean() {
    return bytes.get() != 0;
  }

  void writeInt(int value) {
    room(Integer.BYTES).putInt(value);
  }

  void setFirstInt(int value) {
    bytes.putInt(0, value);
  }

  int readInt() {
    return bytes.getInt();
  }

  void writeLong(long value) {
    room(Long.BYTES).putLong(value);
  }

  long readLong() {
    return bytes.getLong();
  }

  void writeBytes(byte[] value) {
    writeInt(value.length);
    room(value.length).put(value);
  }

  byte[] readBytes() {
    byte[] value = new byte[readInt()];
    bytes.get(value);
    return value;
  }

  void writeText(String text) {
    writeBytes(text.getBytes(StandardCharsets.UTF_8));
  }

  String readText() {
    int length = readInt();
    String text = new String(bytes.array(), bytes.position(), length, StandardCharsets.UTF_8);
    bytes.position(bytes.position() + length);
    return text;
  }
}
