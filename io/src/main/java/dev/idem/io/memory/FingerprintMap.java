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
package dev.idem.io.memory;

import dev.idem.transforms.dedup.KeyMemory.Remembered;
import dev.idem.transforms.fingerprint.Fingerprint;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Instant;

/**
 * Remembered keys in flat arrays with open addressing: about 60 bytes a key, so that millions of
 * keys stay in memory. Not safe for use by several threads.
 */
final class FingerprintMap {

  /** Takes the entries of a map one after the other. */
  interface Visitor {
    void visit(long high, long low, long payload, long expiry, long batch);
  }

  private static final int INITIAL = 16;
  private static final long EMPTY = Long.MIN_VALUE;

  private long[] high;
  private long[] low;
  private long[] payload;
  private long[] expiry;
  private long[] batch;
  private int size;

  FingerprintMap() {
    allocate(INITIAL);
  }

  int size() {
    return size;
  }

  @Nullable Remembered find(Fingerprint key) {
    int slot = slot(key.high(), key.low());
    return expiry[slot] == EMPTY
        ? null
        : new Remembered(key, payload[slot], Instant.ofEpochMilli(expiry[slot]));
  }

  /** Adds a key, or extends what is remembered of it. */
  void put(long keyHigh, long keyLow, long keyPayload, long keyExpiry, long keyBatch) {
    if (keyExpiry == EMPTY) {
      throw new IllegalArgumentException("Expiry must be a time, but was: " + keyExpiry + ".");
    }
    int slot = slot(keyHigh, keyLow);
    if (expiry[slot] == EMPTY) {
      if ((size + 1) * 10L > high.length * 7L) {
        grow();
        slot = slot(keyHigh, keyLow);
      }
      size++;
      high[slot] = keyHigh;
      low[slot] = keyLow;
      payload[slot] = keyPayload;
      expiry[slot] = keyExpiry;
      batch[slot] = keyBatch;
    } else if (keyExpiry > expiry[slot]) {
      // A key that was forgotten and seen again may have other content.
      payload[slot] = keyPayload;
      expiry[slot] = keyExpiry;
      batch[slot] = keyBatch;
    }
  }

  void forEach(Visitor visitor) {
    for (int i = 0; i < high.length; i++) {
      if (expiry[i] != EMPTY) {
        visitor.visit(high[i], low[i], payload[i], expiry[i], batch[i]);
      }
    }
  }

  /** Returns a map without the keys whose expiry the watermark has reached. */
  FingerprintMap without(long watermark) {
    FingerprintMap rest = new FingerprintMap();
    forEach(
        (keyHigh, keyLow, keyPayload, keyExpiry, keyBatch) -> {
          if (keyExpiry > watermark) {
            rest.put(keyHigh, keyLow, keyPayload, keyExpiry, keyBatch);
          }
        });
    return rest;
  }

  private int slot(long keyHigh, long keyLow) {
    int mask = high.length - 1;
    int slot = (int) (keyLow ^ (keyLow >>> 32)) & mask;
    while (expiry[slot] != EMPTY && (high[slot] != keyHigh || low[slot] != keyLow)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    FingerprintMap larger = new FingerprintMap();
    larger.allocate(Math.multiplyExact(high.length, 2));
    forEach(larger::put);
    high = larger.high;
    low = larger.low;
    payload = larger.payload;
    expiry = larger.expiry;
    batch = larger.batch;
  }

  private void allocate(int capacity) {
    high = new long[capacity];
    low = new long[capacity];
    payload = new long[capacity];
    expiry = new long[capacity];
    batch = new long[capacity];
    java.util.Arrays.fill(expiry, EMPTY);
  }
}
