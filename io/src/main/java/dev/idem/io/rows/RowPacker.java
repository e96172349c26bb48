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
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;

/**
 * Packs rows of one schema into bytes. A pack is of the process that made it: what it looks like is
 * no format to store.
 *
 * <p><b>Guarantee.</b> Unpacked rows are equal to those that were packed, value by value, with the
 * zeros behind a decimal's point. What Beam's coder of a type does not keep is lost here too: the
 * half of a surrogate pair in a text.
 */
public final class RowPacker {

  /** Packs of that size are worth a shuffle's cost for an element. */
  private static final int FULL = 1 << 16;

  private final ValueCodec.Rows codec;
  private final ByteSink out = new ByteSink();

  /** A packer of rows of a schema. */
  public RowPacker(Schema schema) {
    codec = new ValueCodec.Rows(schema);
  }

  /** Adds a row. */
  public void add(Row row) {
    out.writeByte(1); // A row without fields is a row too.
    codec.write(row, out);
  }

  /** Returns whether it is time to take the pack. */
  public boolean isFull() {
    return out.size() >= FULL;
  }

  /** Returns whether nothing was added since a pack was taken. */
  public boolean isEmpty() {
    return out.size() == 0;
  }

  /** Returns the rows that were added, packed, and forgets them. */
  public byte[] take() {
    return out.take();
  }

  /** Returns the rows of packs, each unpacked when it is asked for, and again by each iterator. */
  public static Iterable<Row> unpack(Schema schema, Iterable<byte[]> packs) {
    ValueCodec.Rows codec = new ValueCodec.Rows(schema);
    return () -> new Unpacked(codec, packs.iterator());
  }

  private static final class Unpacked implements Iterator<Row> {
    private final ValueCodec.Rows codec;
    private final Iterator<byte[]> packs;
    private ByteBuffer pack = ByteBuffer.allocate(0);

    Unpacked(ValueCodec.Rows codec, Iterator<byte[]> packs) {
      this.codec = codec;
      this.packs = packs;
    }

    @Override
    public boolean hasNext() {
      while (!pack.hasRemaining() && packs.hasNext()) {
        pack = ByteBuffer.wrap(packs.next());
      }
      return pack.hasRemaining();
    }

    @Override
    public Row next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      pack.get();
      return codec.read(pack);
    }
  }
}
