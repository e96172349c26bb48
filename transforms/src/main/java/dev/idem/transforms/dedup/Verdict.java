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

import dev.idem.transforms.dedup.KeyMemory.Remembered;
import java.io.Serializable;
import java.util.Objects;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * What {@link DeduplicateWithinWatermark} decided about one element.
 *
 * @param kind the decision
 * @param element the element, as it came in
 * @param remembered what has to be added to the memory, or to replace what it holds of the same
 *     key; null if the memory stays as it is. In a bounded input at most one verdict of a key
 *     carries it.
 * @param <T> the type of the elements
 */
public record Verdict<T>(Kind kind, T element, @Nullable Remembered remembered)
    implements Serializable {

  /** The decisions. */
  public enum Kind {
    /** The one copy of its key that goes on. */
    UNIQUE,
    /** A copy of a unique or remembered element, with the same payload. */
    DUPLICATE,
    /** An element with the key of a unique or remembered one, but with another payload. */
    CONFLICT,
    /** Older than the watermark, and its key is not remembered. */
    LATE,
    /** A key column is null. */
    INVALID,
    /** The element carries no row; passed through untouched. */
    OTHER
  }

  /** Creates a verdict. */
  public Verdict {
    Objects.requireNonNull(kind, "kind");
  }

  static <T> Verdict<T> of(Kind kind, T element) {
    return new Verdict<>(kind, element, null);
  }
}
