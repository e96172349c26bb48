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

import java.util.ArrayList;
import java.util.List;

/** What of the records that are applied together is applied at all. */
final class Fold {
  private Fold() {}

  /** Takes what is not applied. */
  interface Left<T> {
    /** A copy of a record that is applied. */
    void copy(Effect<T> effect);

    /** An older record of a key of which the latest is applied. */
    void superseded(Effect<T> effect);

    /** A record with key and sequence of one that is applied, but with other content. */
    void conflict(Effect<T> effect);
  }

  /**
   * Returns the records to apply, in order: of those with one key and sequence the last in the
   * order of their encoding, and if only the latest of a key counts, of each key one.
   */
  static <T> List<Effect<T>> of(List<Effect<T>> effects, boolean latestPerKey, Left<T> left) {
    List<Effect<T>> sorted = new ArrayList<>(effects);
    sorted.sort(Effect::compareTo);
    List<Effect<T>> applied = new ArrayList<>();
    for (int i = 0; i < sorted.size(); i++) {
      Effect<T> effect = sorted.get(i);
      Effect<T> next = i + 1 < sorted.size() ? sorted.get(i + 1) : null;
      if (next != null && effect.samePlace(next) && effect.sameRecord(next)) {
        left.copy(effect);
      } else if (next != null && latestPerKey && effect.sameKey(next)) {
        left.superseded(effect);
      } else if (next != null && effect.samePlace(next)) {
        left.conflict(effect);
      } else {
        applied.add(effect);
      }
    }
    return applied;
  }
}
