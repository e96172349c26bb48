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
package dev.idem.io.delta.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.TreeMap;
import org.roaringbitmap.RoaringBitmap;

/** Positions of deleted rows, as the Delta protocol stores them. */
final class DeletedRows {

  /* Of the protocol's two formats the portable one, which all writers of tables use. */
  private static final int PORTABLE = 1681511377;

  /* Each holds the lower halves of the positions that have the upper half which is its key. */
  private final TreeMap<Integer, RoaringBitmap> bitmaps = new TreeMap<>();

  /** Adds positions, from 0, in any order; one that is there already changes nothing. */
  void add(long... positions) {
    for (long position : positions) {
      bitmaps
          .computeIfAbsent((int) (position >>> Integer.SIZE), upper -> new RoaringBitmap())
          .add((int) position);
    }
  }

  long count() {
    return bitmaps.values().stream().mapToLong(RoaringBitmap::getLongCardinality).sum();
  }

  byte[] serialize() {
    int size = Integer.BYTES + Long.BYTES;
    for (RoaringBitmap bitmap : bitmaps.values()) {
      bitmap.runOptimize();
      size += Integer.BYTES + bitmap.serializedSizeInBytes();
    }
    ByteBuffer bytes =
        ByteBuffer.allocate(size)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(PORTABLE)
            .putLong(bitmaps.size());
    bitmaps.forEach(
        (upper, bitmap) -> {
          bytes.putInt(upper);
          bitmap.serialize(bytes);
        });
    return bytes.array();
  }
}
