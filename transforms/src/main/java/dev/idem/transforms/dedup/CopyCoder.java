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
package dev.idem.transforms.dedup;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.StructuredCoder;

/** Encodes a {@link Copy} as 33 bytes and the element. */
final class CopyCoder<T> extends StructuredCoder<Copy<T>> {
  private final Coder<T> elementCoder;

  private CopyCoder(Coder<T> elementCoder) {
    this.elementCoder = elementCoder;
  }

  static <T> CopyCoder<T> of(Coder<T> elementCoder) {
    return new CopyCoder<>(elementCoder);
  }

  @Override
  public void encode(Copy<T> value, OutputStream out) throws IOException {
    DataOutputStream data = new DataOutputStream(out);
    data.writeByte(value.role().code());
    data.writeLong(value.high());
    data.writeLong(value.low());
    data.writeLong(value.payload());
    data.writeLong(value.timestamp());
    elementCoder.encode(value.element(), out);
  }

  @Override
  public Copy<T> decode(InputStream in) throws IOException {
    DataInputStream data = new DataInputStream(in);
    return new Copy<>(
        Copy.Role.of(data.readByte()),
        data.readLong(),
        data.readLong(),
        data.readLong(),
        data.readLong(),
        elementCoder.decode(in));
  }

  @Override
  public List<? extends Coder<?>> getCoderArguments() {
    return List.of(elementCoder);
  }

  @Override
  public void verifyDeterministic() throws NonDeterministicException {
    verifyDeterministic(this, "The coder of the elements must be deterministic.", elementCoder);
  }
}
