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

import java.util.Arrays;
import java.util.List;

/*
 * An open-addressing table from fingerprints to chains of copies, in three int arrays and without
 * an object a key: nearly all keys have one copy, and a shard may have hundreds of thousands.
 * Fingerprints are uniform already, so the low bits serve as the hash.
 */
/** Groups the keyed copies of a shard by their key, in the order in which keys appear first. */
final class CopyGroups<T> {
  private static final int END = -1;

  private final List<Copy<T>> copies;
  private final int[] table;
  private final int[] next;
  private final boolean[] first;

  CopyGroups(List<Copy<T>> copies) {
    this.copies = copies;
    int capacity = Integer.highestOneBit(Math.max(4, Math.multiplyExact(copies.size(), 2))) << 1;
    this.table = new int[capacity];
    this.next = new int[copies.size()];
    this.first = new boolean[copies.size()];
    Arrays.fill(table, END);
    for (int i = 0; i < copies.size(); i++) {
      if (copies.get(i).role() == Copy.Role.KEYED) {
        add(i);
      }
    }
  }

  private void add(int index) {
    Copy<T> copy = copies.get(index);
    int mask = table.length - 1;
    int slot = (int) copy.low() & mask;
    while (table[slot] != END && !copies.get(table[slot]).hasKeyOf(copy)) {
      slot = (slot + 1) & mask;
    }
    if (table[slot] == END) {
      table[slot] = index;
      next[index] = END;
      first[index] = true;
    } else {
      int head = table[slot];
      next[index] = next[head];
      next[head] = index;
    }
  }

  /** Returns whether the copy at {@code index} is the first one of its key. */
  boolean isFirst(int index) {
    return first[index];
  }

  /** Returns the index of another copy of the same key, or a negative number after the last. */
  int next(int index) {
    return next[index];
  }
}
