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

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Thrown when some changes cannot be applied and {@link ApplyChanges#strict} was called. */
public final class InvalidChangesException extends RuntimeException {
  private final Map<String, Long> counts;

  InvalidChangesException(Map<String, Long> counts) {
    super(
        "Changes must all have a key, a sequence and known columns, but was: "
            + new TreeMap<>(counts)
                .entrySet().stream()
                    .map(each -> each.getValue() + " with " + each.getKey())
                    .collect(Collectors.joining(", "))
            + ". Nothing was applied. Mend the source, or leave strict out to have them in an"
            + " output of their own.");
    this.counts = Map.copyOf(counts);
  }

  /** Returns how many changes there are of each reason and column. */
  public Map<String, Long> getCounts() {
    return counts;
  }
}
