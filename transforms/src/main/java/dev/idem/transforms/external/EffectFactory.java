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

import java.io.Serializable;
import java.util.HexFormat;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.util.CoderUtils;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Makes effects of records: gives them key, sequence and idempotency key. */
final class EffectFactory<T> implements Serializable {

  /** How a part of a record is got and encoded. */
  record Part<T, P>(SerializableFunction<T, P> function, Coder<P> coder) implements Serializable {
    byte[] encode(P value) {
      return encoded(coder, value);
    }
  }

  /** The place of all records if they have no sequence. */
  private static final Comparable<?> ONLY = 0;

  private static final byte[] NO_SEQUENCE = {};

  private final String namespace;
  private final Coder<T> recordCoder;
  private final Part<T, ?> key;
  private final @Nullable Part<T, ?> sequence;

  EffectFactory(
      String namespace, Coder<T> recordCoder, Part<T, ?> key, @Nullable Part<T, ?> sequence) {
    this.namespace = namespace;
    this.recordCoder = recordCoder;
    this.key = key;
    this.sequence = sequence;
  }

  byte[] key(T record) {
    return key(key, record);
  }

  Effect<T> effect(T record) {
    return effect(record, key(record), sequence);
  }

  @SuppressWarnings("unchecked") // sequencedBy takes what is comparable with itself.
  private <S> Effect<T> effect(T record, byte[] encodedKey, @Nullable Part<T, S> part) {
    Comparable<?> place = ONLY;
    byte[] encodedSequence = NO_SEQUENCE;
    if (part != null) {
      S value = part.function().apply(record);
      if (value == null) {
        throw ExternalErrors.nullSequence(HexFormat.of().formatHex(encodedKey));
      }
      place = (Comparable<?>) value;
      encodedSequence = part.encode(value);
    }
    return new Effect<>(
        record,
        encoded(recordCoder, record),
        encodedKey,
        encodedSequence,
        (Comparable<Object>) place,
        IdempotencyKey.of(namespace, encodedKey, encodedSequence));
  }

  private static <T, P> byte[] key(Part<T, P> part, T record) {
    P value = part.function().apply(record);
    if (value == null) {
      throw ExternalErrors.nullKey();
    }
    return part.encode(value);
  }

  private static <V> byte[] encoded(Coder<V> coder, V value) {
    try {
      return CoderUtils.encodeToByteArray(coder, value);
    } catch (CoderException e) {
      throw new IllegalStateException("A record, its key and its sequence must be encodable.", e);
    }
  }
}
