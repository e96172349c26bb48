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

import dev.idem.transforms.fingerprint.Fingerprint;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Instant;

/** Makes the {@link Copy} of an element: reads its row once, and hashes key and payload once. */
final class CopyFactory<T> implements Serializable {
  private final SerializableFunction<T, Row> row;
  private final @Nullable SerializableFunction<T, Position> position;
  private final RowEncoding key;
  private final RowEncoding payload;
  private final int[] keyIndexes;
  private final Coder<T> elementCoder;

  CopyFactory(
      SerializableFunction<T, Row> row,
      @Nullable SerializableFunction<T, Position> position,
      RowEncoding key,
      RowEncoding payload,
      Coder<T> elementCoder) {
    this.row = row;
    this.position = position;
    this.key = key;
    this.payload = payload;
    this.keyIndexes = key.columns().stream().mapToInt(key.schema()::indexOf).toArray();
    this.elementCoder = elementCoder;
  }

  Copy<T> copyOf(T element, Instant timestamp) throws CoderException {
    Row elementRow = row.apply(element);
    if (elementRow == null) {
      return passedThrough(Copy.Role.OTHER, element, timestamp);
    }
    // First of all, since it refuses a row of another schema, whose columns stand elsewhere.
    Fingerprint fingerprint = key.fingerprint(elementRow);
    for (int index : keyIndexes) {
      if (elementRow.getValue(index) == null) {
        return passedThrough(Copy.Role.INVALID, element, timestamp);
      }
    }
    return new Copy<>(
        Copy.Role.KEYED,
        fingerprint.high(),
        fingerprint.low(),
        payload.fingerprint(elementRow).high(),
        timestamp.getMillis(),
        element);
  }

  /**
   * Spreads what has no key over all shards, by something that is the same at every attempt: a
   * shard that is computed again must not lose such an element to another one.
   */
  private Copy<T> passedThrough(Copy.Role role, T element, Instant timestamp)
      throws CoderException {
    Position place = position == null ? null : position.apply(element);
    byte[] bytes =
        place == null
            ? CoderUtils.encodeToByteArray(elementCoder, element)
            : (place.topic() + '/' + place.partition() + '/' + place.offset())
                .getBytes(StandardCharsets.UTF_8);
    Fingerprint spread = Fingerprint.of(bytes);
    return new Copy<>(role, spread.high(), spread.low(), 0, timestamp.getMillis(), element);
  }
}
