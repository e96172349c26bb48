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
package dev.idem.io.delta.merge;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Base64;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/** A set of rows of a file, by their positions. */
final class Positions {

  private final Roaring64Bitmap bits = new Roaring64Bitmap();

  void add(long position) {
    bits.addLong(position);
  }

  void remove(long position) {
    bits.removeLong(position);
  }

  boolean isEmpty() {
    return bits.isEmpty();
  }

  void addAll(Positions others) {
    bits.or(others.bits);
  }

  boolean has(long position) {
    return bits.contains(position);
  }

  long[] toArray() {
    return bits.toArray();
  }

  @JsonValue
  String toText() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bits.runOptimize();
    bits.serialize(new DataOutputStream(bytes));
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  @JsonCreator
  static Positions fromText(String text) throws IOException {
    Positions positions = new Positions();
    positions.bits.deserialize(
        new DataInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(text))));
    return positions;
  }
}
