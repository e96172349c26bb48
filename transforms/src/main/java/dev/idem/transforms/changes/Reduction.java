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

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What several changes of one key come to.
 *
 * @param state the state they lead to together
 * @param kept those that have a part in it, the latest first
 * @param stale how many of them have none, since later ones say all they do
 * @param ties how many of them differ from another one at the same sequence
 */
record Reduction(KeyState state, List<Change> kept, long stale, long ties) {

  /** Reduces one or more changes; neither result nor counts depend on their order. */
  static Reduction of(ChangeMerge merge, List<Change> changes) {
    List<Change> latestFirst = changes.stream().sorted(merge.latestFirst()).toList();
    KeyState state = merge.state(latestFirst.get(0));
    List<Change> kept = new ArrayList<>(latestFirst.subList(0, 1));
    for (Change change : latestFirst.subList(1, latestFirst.size())) {
      KeyState more = merge.merge(state, merge.state(change));
      if (!more.equals(state)) {
        kept.add(change);
      }
      state = more;
    }
    return new Reduction(state, kept, changes.size() - kept.size(), ties(merge, latestFirst));
  }

  /** Counts the changes that differ from another one at the same sequence. */
  static long ties(ChangeMerge merge, List<Change> changes) {
    List<Change> sorted = changes.stream().sorted(merge.latestFirst()).toList();
    return IntStream.range(1, sorted.size())
        .filter(i -> merge.isTie(sorted.get(i - 1), sorted.get(i)))
        .count();
  }
}
