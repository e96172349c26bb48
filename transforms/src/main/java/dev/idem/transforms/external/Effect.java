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

import java.util.Arrays;

/**
 * One record that is to be applied.
 *
 * @param <T> the type of the records
 */
public final class Effect<T> {

  private final T record;
  private final byte[] encoded;
  private final byte[] key;
  private final byte[] sequence;
  private final Comparable<Object> place;
  private final String idempotencyKey;

  Effect(
      T record,
      byte[] encoded,
      byte[] key,
      byte[] sequence,
      Comparable<Object> place,
      String idempotencyKey) {
    this.record = record;
    this.encoded = encoded;
    this.key = key;
    this.sequence = sequence;
    this.place = place;
    this.idempotencyKey = idempotencyKey;
  }

  /** Returns the record. */
  public T record() {
    return record;
  }

  /** Returns the key by which the receiver knows that it was asked before, at every attempt. */
  public String idempotencyKey() {
    return idempotencyKey;
  }

  /** Returns the record's key as its coder encodes it. */
  public byte[] key() {
    return key.clone();
  }

  /** Returns the record's sequence as its coder encodes it; no bytes if it has none. */
  public byte[] sequence() {
    return sequence.clone();
  }

  int size() {
    return encoded.length;
  }

  boolean sameKey(Effect<T> other) {
    return Arrays.equals(key, other.key);
  }

  boolean samePlace(Effect<T> other) {
    return sameKey(other) && place.compareTo(other.place) == 0;
  }

  boolean sameRecord(Effect<T> other) {
    return Arrays.equals(encoded, other.encoded);
  }

  /** By key, then by sequence, then by what the record is: a total order. */
  int compareTo(Effect<T> other) {
    int byKey = Arrays.compareUnsigned(key, other.key);
    if (byKey != 0) {
      return byKey;
    }
    int byPlace = place.compareTo(other.place);
    return byPlace != 0 ? byPlace : Arrays.compareUnsigned(encoded, other.encoded);
  }
}
