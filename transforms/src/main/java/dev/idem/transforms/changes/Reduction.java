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
package dev.idem.transforms.changes;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What several changes of one key come to.
 *
 * @param state the state they lead to together
 * @param stale how many of them have no part in it, since later ones say all they do
 * @param ties how many of them differ from another one at the same sequence
 */
record Reduction(KeyState state, long stale, long ties) {

  /** Reduces one or more changes; neither result nor counts depend on their order. */
  static Reduction of(ChangeMerge merge, List<Change> changes) {
    List<Change> latestFirst = changes.stream().sorted(merge.latestFirst()).toList();
    KeyState state = merge.state(latestFirst.get(0));
    long stale = 0;
    for (int i = 1; i < latestFirst.size(); i++) {
      KeyState more = merge.merge(state, merge.state(latestFirst.get(i)));
      if (more.equals(state)) {
        stale++;
      }
      state = more;
    }
    return new Reduction(state, stale, ties(merge, latestFirst));
  }

  /** Counts the changes that differ from another one at the same sequence. */
  static long ties(ChangeMerge merge, List<Change> changes) {
    List<Change> sorted = changes.stream().sorted(merge.latestFirst()).toList();
    return IntStream.range(1, sorted.size())
        .filter(i -> merge.isTie(sorted.get(i - 1), sorted.get(i)))
        .count();
  }
}
