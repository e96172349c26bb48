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
    Copy<T> least = null;
    Copy<T> latest = null;
    for (int i = first; i >= 0; i = groups.next(i)) {
      Copy<T> copy = copies.get(i);
      if (copy.timestamp() < watermark.getMillis()) {
        continue;
      }
      if (least == null || order.compare(copy, least) < 0) {
        least = copy;
      }
      if (latest == null
          || copy.timestamp() > latest.timestamp()
          || (copy.timestamp() == latest.timestamp() && order.compare(copy, latest) < 0)) {
        latest = copy;
      }
    }
    Remembered known = recall(copies.get(first), memory);
    Copy<T> unique = known == null ? least : null;
    long payload = known != null ? known.payload() : least != null ? least.payload() : 0;
    Remembered addition = addition(known, payload, latest);
    Copy<T> carrier = known == null ? unique : latest;
    for (int i = first; i >= 0; i = groups.next(i)) {
      Copy<T> copy = copies.get(i);
      Kind kind;
      if (copy == unique) {
        kind = Kind.UNIQUE;
      } else if (known == null && unique == null) {
        kind = Kind.LATE;
      } else {
        kind = copy.payload() == payload ? Kind.DUPLICATE : Kind.CONFLICT;
      }
      output.accept(
          new Verdict<>(kind, copy.element(), copy == carrier ? addition : null), copy.eventTime());
    }
  }

  private @Nullable Remembered recall(Copy<T> copy, KeyMemory.Shard memory) {
    Remembered known = memory.find(copy.key());
    return known != null && known.expiry().isAfter(watermark) ? known : null;
  }

  private @Nullable Remembered addition(
      @Nullable Remembered known, long payload, @Nullable Copy<T> latest) {
    if (latest == null) {
      return null;
    }
    Instant expiry = Expiry.of(latest.eventTime(), horizon);
    return known == null || expiry.isAfter(known.expiry())
        ? new Remembered(latest.key(), payload, expiry)
        : null;
  }
}
