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
package dev.idem.io.debezium;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.Decoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.util.Utf8;

/**
 * Reads Avro from bytes that may be damaged. Avro's own decoder believes every length and makes
 * room for it; here none is longer than the bytes are, and no list has more elements than bytes.
 */
final class BoundedAvroDecoder extends Decoder {
  private final BinaryDecoder in;
  private final int length;

  BoundedAvroDecoder(byte[] bytes, int start) {
    this.length = bytes.length - start;
    this.in = DecoderFactory.get().binaryDecoder(bytes, start, length, null);
  }

  /** Returns whether all bytes were read. */
  boolean isEnd() throws IOException {
    return in.isEnd();
  }

  private long bounded(long count) throws IOException {
    if (count < 0 || count > length) {
      throw new EOFException();
    }
    return count;
  }

  private byte[] readBytes() throws IOException {
    byte[] bytes = new byte[(int) bounded(in.readLong())];
    in.readFixed(bytes);
    return bytes;
  }

  @Override
  public Utf8 readString(Utf8 old) throws IOException {
    return new Utf8(readBytes());
  }

  @Override
  public String readString() throws IOException {
    return readString(null).toString();
  }

  @Override
  public void skipString() throws IOException {
    readBytes();
  }

  @Override
  public ByteBuffer readBytes(ByteBuffer old) throws IOException {
    return ByteBuffer.wrap(readBytes());
  }

  @Override
  public void skipBytes() throws IOException {
    readBytes();
  }

  @Override
  public long readArrayStart() throws IOException {
    return bounded(in.readArrayStart());
  }

  @Override
  public long arrayNext() throws IOException {
    return bounded(in.arrayNext());
  }

  @Override
  public long skipArray() throws IOException {
    return bounded(in.skipArray());
  }

  @Override
  public long readMapStart() throws IOException {
    return bounded(in.readMapStart());
  }

  @Override
  public long mapNext() throws IOException {
    return bounded(in.mapNext());
  }

  @Override
  public long skipMap() throws IOException {
    return bounded(in.skipMap());
  }

  @Override
  public void readNull() throws IOException {
    in.readNull();
  }

  @Override
  public boolean readBoolean() throws IOException {
    return in.readBoolean();
  }

  @Override
  public int readInt() throws IOException {
    return in.readInt();
  }

  @Override
  public long readLong() throws IOException {
    return in.readLong();
  }

  @Override
  public float readFloat() throws IOException {
    return in.readFloat();
  }

  @Override
  public double readDouble() throws IOException {
    return in.readDouble();
  }

  @Override
  public void readFixed(byte[] bytes, int start, int count) throws IOException {
    in.readFixed(bytes, start, count);
  }

  @Override
  public void skipFixed(int count) throws IOException {
    in.skipFixed(count);
  }

  @Override
  public int readEnum() throws IOException {
    return in.readEnum();
  }

  @Override
  public int readIndex() throws IOException {
    return in.readIndex();
  }
}
