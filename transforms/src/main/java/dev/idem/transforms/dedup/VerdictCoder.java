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

import dev.idem.transforms.dedup.KeyMemory.Remembered;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.coders.StructuredCoder;

/**
 * Encodes a {@link Verdict} as one byte, what is to be remembered, if anything, and the element.
 *
 * @param <T> the type of the elements
 */
public final class VerdictCoder<T> extends StructuredCoder<Verdict<T>> {
  private static final int REMEMBERED = 0x80;

  private final Coder<T> elementCoder;

  private VerdictCoder(Coder<T> elementCoder) {
    this.elementCoder = elementCoder;
  }

  /** Returns the coder of verdicts about elements that {@code elementCoder} encodes. */
  public static <T> VerdictCoder<T> of(Coder<T> elementCoder) {
    return new VerdictCoder<>(elementCoder);
  }

  @Override
  public void encode(Verdict<T> value, OutputStream out) throws IOException {
    Remembered remembered = value.remembered();
    out.write(code(value.kind()) | (remembered == null ? 0 : REMEMBERED));
    if (remembered != null) {
      RememberedCoder.of().encode(remembered, out);
    }
    elementCoder.encode(value.element(), out);
  }

  @Override
  public Verdict<T> decode(InputStream in) throws IOException {
    int head = in.read();
    if (head < 0) {
      throw new EOFException();
    }
    Verdict.Kind kind = kind(head & ~REMEMBERED);
    Remembered remembered = (head & REMEMBERED) == 0 ? null : RememberedCoder.of().decode(in);
    return new Verdict<>(kind, elementCoder.decode(in), remembered);
  }

  private static int code(Verdict.Kind kind) {
    return switch (kind) {
      case UNIQUE -> 0;
      case DUPLICATE -> 1;
      case CONFLICT -> 2;
      case LATE -> 3;
      case INVALID -> 4;
      case OTHER -> 5;
    };
  }

  private static Verdict.Kind kind(int code) throws CoderException {
    return switch (code) {
      case 0 -> Verdict.Kind.UNIQUE;
      case 1 -> Verdict.Kind.DUPLICATE;
      case 2 -> Verdict.Kind.CONFLICT;
      case 3 -> Verdict.Kind.LATE;
      case 4 -> Verdict.Kind.INVALID;
      case 5 -> Verdict.Kind.OTHER;
      default -> throw new CoderException("Verdict must begin with 0 to 5, but was: " + code + ".");
    };
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
