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
package dev.idem.transforms.external;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.StructuredCoder;
import org.apache.beam.sdk.coders.VarIntCoder;

/** Encodes a {@link DeadLetter}: the record, then what is said of it. */
final class DeadLetterCoder<T> extends StructuredCoder<DeadLetter<T>> {
  private static final StringUtf8Coder TEXT = StringUtf8Coder.of();
  private static final VarIntCoder NUMBER = VarIntCoder.of();

  private final Coder<T> recordCoder;

  private DeadLetterCoder(Coder<T> recordCoder) {
    this.recordCoder = recordCoder;
  }

  static <T> DeadLetterCoder<T> of(Coder<T> recordCoder) {
    return new DeadLetterCoder<>(recordCoder);
  }

  @Override
  public void encode(DeadLetter<T> value, OutputStream out) throws IOException {
    recordCoder.encode(value.record(), out);
    TEXT.encode(value.key(), out);
    TEXT.encode(value.errorClass(), out);
    TEXT.encode(value.message(), out);
    NUMBER.encode(value.attempts(), out);
  }

  @Override
  public DeadLetter<T> decode(InputStream in) throws IOException {
    return new DeadLetter<>(
        recordCoder.decode(in),
        TEXT.decode(in),
        TEXT.decode(in),
        TEXT.decode(in),
        NUMBER.decode(in));
  }

  @Override
  public List<? extends Coder<?>> getCoderArguments() {
    return List.of(recordCoder);
  }

  @Override
  public void verifyDeterministic() throws NonDeterministicException {
    verifyDeterministic(this, "The coder of the records must be deterministic.", recordCoder);
  }
}
