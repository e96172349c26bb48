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
import dev.idem.transforms.fingerprint.Fingerprint;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.metrics.Distribution;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Instant;

/*
 * The watermark that decides about an element is the one left by the elements before it; the
 * element moves it on only afterwards. What has expired is ignored at once, wherever it is found,
 * and removed by the next sweep. A sweep is due at nextSweep, which is empty exactly when nothing
 * is remembered, and never later than the first expiry plus one sweep interval.
 */
/** One bucket's state and rules, for as long as one element or timer is handled. */
final class Bucket<T> {
  private static final Distribution REMEMBERED_KEYS =
      Metrics.distribution(DeduplicateWithinWatermark.class, "rememberedKeysInBucket");

  private final BucketRules rules;
  private final MapState<Fingerprint, Remembered> memory;
  private final ValueState<Instant> watermarkState;
  private final ValueState<Instant> nextSweepState;

  Bucket(
      BucketRules rules,
      MapState<Fingerprint, Remembered> memory,
      ValueState<Instant> watermarkState,
      ValueState<Instant> nextSweepState) {
    this.rules = rules;
    this.memory = memory;
    this.watermarkState = watermarkState;
    this.nextSweepState = nextSweepState;
  }

  /** Decides about one element, remembers it and moves the watermark on. */
  Verdict<T> decide(Copy<T> copy) {
    Instant watermark = watermark();
    Instant eventTime = copy.eventTime();
    Fingerprint key = copy.key();
    Instant expiry = Expiry.of(eventTime, rules.horizon());
    boolean late = eventTime.isBefore(watermark);
    Remembered known = memory.get(key).read();
    Remembered addition = null;
    Kind kind;
    if (known != null && known.expiry().isAfter(watermark)) {
      kind = known.payload() == copy.payload() ? Kind.DUPLICATE : Kind.CONFLICT;
      if (!late && expiry.isAfter(known.expiry())) {
        addition = new Remembered(key, known.payload(), expiry);
      }
    } else if (late) {
      kind = Kind.LATE;
    } else {
      kind = Kind.UNIQUE;
      addition = new Remembered(key, copy.payload(), expiry);
    }
    if (addition != null) {
      remember(addition);
    }
    if (rules.movesWatermark(eventTime)) {
      moveWatermark(Expiry.watermark(eventTime, rules.delay()));
    }
    return new Verdict<>(kind, copy.element(), addition);
  }

  /** Moves the watermark on, never back, and forgets what it has reached. */
  void moveWatermark(Instant to) {
    Instant watermark = watermark();
    if (to.isAfter(watermark)) {
      watermark = to;
      watermarkState.write(to);
    }
    Instant due = nextSweep();
    if (due != null && !due.isAfter(watermark)) {
      sweep(watermark);
    }
  }

  /** Returns when the next sweep is due, or null if nothing is remembered. */
  @Nullable Instant nextSweep() {
    return nextSweepState.read();
  }

  private Instant watermark() {
    Instant watermark = watermarkState.read();
    return watermark == null ? BoundedWindow.TIMESTAMP_MIN_VALUE : watermark;
  }

  private void remember(Remembered addition) {
    memory.put(addition.key(), addition);
    Instant due = nextSweep();
    if (due == null || addition.expiry().isBefore(due)) {
      nextSweepState.write(addition.expiry());
    }
  }

  private void sweep(Instant watermark) {
    List<Fingerprint> expired = new ArrayList<>();
    Instant firstExpiry = null;
    int kept = 0;
    for (Remembered each : memory.values().read()) {
      if (!each.expiry().isAfter(watermark)) {
        expired.add(each.key());
      } else {
        kept++;
        if (firstExpiry == null || each.expiry().isBefore(firstExpiry)) {
          firstExpiry = each.expiry();
        }
      }
    }
    expired.forEach(memory::remove);
    REMEMBERED_KEYS.update(kept);
    if (firstExpiry == null) {
      nextSweepState.clear();
    } else {
      Instant earliest = Expiry.of(watermark, rules.sweepInterval());
      nextSweepState.write(firstExpiry.isBefore(earliest) ? earliest : firstExpiry);
    }
  }
}
