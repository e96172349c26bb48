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
import dev.idem.transforms.dedup.Verdict.Kind;
import java.io.Serializable;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** Decides about all copies of one shard of a batch, by a watermark that stands still. */
final class ShardDecision<T> implements Serializable {
  private static final int NONE = -1;

  private final Instant watermark;
  private final Duration horizon;
  private final Comparator<Copy<T>> order;

  /** {@code order} must be serialisable if this object is to be. */
  ShardDecision(@Nullable Instant watermark, Duration horizon, Comparator<Copy<T>> order) {
    this.watermark = watermark == null ? BoundedWindow.TIMESTAMP_MIN_VALUE : watermark;
    this.horizon = horizon;
    this.order = order;
  }

  /**
   * Hands a verdict about each copy, with the copy's event time, to {@code output}. Neither the
   * verdicts nor what they carry depend on the order of {@code copies}.
   */
  void decide(
      List<Copy<T>> copies, KeyMemory.Shard memory, BiConsumer<Verdict<T>, Instant> output) {
    CopyGroups<T> groups = new CopyGroups<>(copies);
    for (int i = 0; i < copies.size(); i++) {
      Copy<T> copy = copies.get(i);
      if (copy.role() != Copy.Role.KEYED) {
        output.accept(copy.passThrough(), copy.eventTime());
      } else if (groups.isFirst(i)) {
        decideKey(copies, groups, i, memory, output);
      }
    }
  }

  private void decideKey(
      List<Copy<T>> copies,
      CopyGroups<T> groups,
      int first,
      KeyMemory.Shard memory,
      BiConsumer<Verdict<T>, Instant> output) {
    int least = NONE;
    int latest = NONE;
    for (int i = first; i >= 0; i = groups.next(i)) {
      Copy<T> copy = copies.get(i);
      if (copy.timestamp() >= watermark.getMillis()) {
        if (least == NONE || order.compare(copy, copies.get(least)) < 0) {
          least = i;
        }
        if (latest == NONE || isLater(copy, copies.get(latest))) {
          latest = i;
        }
      }
    }
    Remembered known = recall(copies.get(first), memory);
    int unique = known == null ? least : NONE;
    boolean late = known == null && unique == NONE;
    long payload = known == null ? copies.get(late ? first : unique).payload() : known.payload();
    Remembered addition = latest == NONE ? null : addition(known, payload, copies.get(latest));
    int carrier = known == null ? unique : latest;
    for (int i = first; i >= 0; i = groups.next(i)) {
      Copy<T> copy = copies.get(i);
      Kind kind =
          late
              ? Kind.LATE
              : i == unique
                  ? Kind.UNIQUE
                  : copy.payload() == payload ? Kind.DUPLICATE : Kind.CONFLICT;
      output.accept(
          new Verdict<>(kind, copy.element(), i == carrier ? addition : null), copy.eventTime());
    }
  }

  /** Of several copies of the greatest event time the first in order counts as the latest. */
  private boolean isLater(Copy<T> copy, Copy<T> than) {
    return copy.timestamp() > than.timestamp()
        || (copy.timestamp() == than.timestamp() && order.compare(copy, than) < 0);
  }

  private @Nullable Remembered recall(Copy<T> copy, KeyMemory.Shard memory) {
    Remembered known = memory.find(copy.key());
    return known != null && known.expiry().isAfter(watermark) ? known : null;
  }

  private @Nullable Remembered addition(@Nullable Remembered known, long payload, Copy<T> latest) {
    Instant expiry = Expiry.of(latest.eventTime(), horizon);
    return known == null || expiry.isAfter(known.expiry())
        ? new Remembered(latest.key(), payload, expiry)
        : null;
  }
}
