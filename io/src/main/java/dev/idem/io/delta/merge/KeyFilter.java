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

import dev.idem.transforms.fingerprint.Fingerprint;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.SortedMap;

/**
 * Which keys a batch has changes of, and at which sequences: 12 bytes a key. It may say yes of a
 * key that the batch does not have, never no of one that it has.
 */
final class KeyFilter {

  /** The first bits of the keys' fingerprints, in unsigned order with the sign bit turned. */
  private final long[] keys;

  private final int[] sequences;

  private KeyFilter(long[] keys, int[] sequences) {
    this.keys = keys;
    this.sequences = sequences;
  }

  /** Writes the keys of one shard, each with the hash of its sequence. */
  static void write(SortedMap<Fingerprint, Integer> shard, DataOutputStream out)
      throws IOException {
    out.writeInt(shard.size());
    for (var entry : shard.entrySet()) {
      out.writeLong(entry.getKey().high());
      out.writeInt(entry.getValue());
    }
  }

  /** Reads what {@link #write} wrote of shards that follow each other. */
  static KeyFilter read(Iterable<DataInputStream> shards, int size) throws IOException {
    long[] keys = new long[size];
    int[] sequences = new int[size];
    int at = 0;
    for (DataInputStream in : shards) {
      for (int left = in.readInt(); left > 0; left--) {
        keys[at] = in.readLong() ^ Long.MIN_VALUE;
        sequences[at++] = in.readInt();
      }
    }
    return new KeyFilter(keys, sequences);
  }

  /** Returns where a key is, negative if the batch does not have it. */
  int find(Fingerprint key) {
    return Arrays.binarySearch(keys, key.high() ^ Long.MIN_VALUE);
  }

  /** Returns whether the changes of a key that was found may be at a sequence. */
  boolean mayBeAt(int found, int sequenceHash) {
    return sequences[found] == sequenceHash;
  }
}
