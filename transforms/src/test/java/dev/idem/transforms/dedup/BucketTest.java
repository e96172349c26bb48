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

import static dev.idem.transforms.dedup.Clicks.minute;
import static dev.idem.transforms.dedup.Clicks.row;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.nullValue;

import dev.idem.transforms.dedup.KeyMemory.Remembered;
import dev.idem.transforms.fingerprint.Fingerprint;
import dev.idem.transforms.fingerprint.FingerprintCoder;
import org.apache.beam.runners.core.InMemoryStateInternals;
import org.apache.beam.runners.core.StateNamespaces;
import org.apache.beam.runners.core.StateTags;
import org.apache.beam.sdk.coders.InstantCoder;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.values.Row;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;

class BucketTest {
  private static final Duration FIVE_MINUTES = Duration.standardMinutes(5);

  private final InMemoryStateInternals<Integer> state = InMemoryStateInternals.forKey(0);
  private final MapState<Fingerprint, Remembered> memory =
      state.state(
          StateNamespaces.global(),
          StateTags.map("memory", FingerprintCoder.of(), RememberedCoder.of()));
  private final ValueState<Instant> watermark = value("watermark");
  private final ValueState<Instant> nextSweep = value("nextSweep");
  private final Bucket<Row> bucket =
      new Bucket<>(
          new BucketRules(FIVE_MINUTES, FIVE_MINUTES, null, null), memory, watermark, nextSweep);

  @Test
  void stateShrinksToNothingWhenTheWatermarkPassesAllExpiries() {
    for (int i = 0; i < 100; i++) {
      bucket.decide(copy("k" + i, i / 100.0));
    }
    assertThat(size(), is(100));

    bucket.moveWatermark(minute(6));

    assertThat(size(), is(0));
    assertThat(bucket.nextSweep(), nullValue());
  }

  @Test
  void sweepKeepsWhatHasNotExpired() {
    bucket.decide(copy("old", 0));
    bucket.decide(copy("new", 3));

    bucket.moveWatermark(minute(5));

    assertThat(size(), is(1));
    assertThat(memory.get(Clicks.key("new")).read().expiry(), is(minute(8)));
    assertThat(bucket.nextSweep(), is(minute(8)));
  }

  @Test
  void watermarkNeverMovesBack() {
    bucket.decide(copy("a", 10));
    bucket.decide(copy("b", 6));
    bucket.moveWatermark(minute(1));

    assertThat(watermark.read(), is(minute(5)));
  }

  @Test
  void sweepsAreAFractionOfTheHorizonApart() {
    bucket.decide(copy("a", 0));
    bucket.decide(copy("b", 0.01));

    bucket.moveWatermark(minute(5));

    assertThat(bucket.nextSweep(), is(minute(5).plus(FIVE_MINUTES.dividedBy(8))));
  }

  @Test
  void expiredKeyIsForgottenBeforeASweepRemovesIt() {
    bucket.decide(copy("a", 0));
    bucket.decide(copy("b", 0.01));
    bucket.moveWatermark(minute(5));
    bucket.moveWatermark(minute(5.3));
    assertThat(size(), is(1));

    Verdict<Row> again = bucket.decide(copy("b", 5.5));

    assertThat(again.kind(), is(Verdict.Kind.UNIQUE));
  }

  @Test
  void bucketOfAStreamOverAHundredWindowsReachesAPlateau() {
    // 100 windows of 5 minutes with 1,000 ids each; each id comes again 4 minutes later.
    int idsPerWindow = 1_000;
    int largest = 0;
    int unique = 0;
    for (int i = 0; i < 100 * idsPerWindow; i++) {
      double time = 5.0 * i / idsPerWindow;
      unique += bucket.decide(copy("k" + i, time)).kind() == Verdict.Kind.UNIQUE ? 1 : 0;
      if (i >= 800) {
        Verdict<Row> again = bucket.decide(copy("k" + (i - 800), time));
        assertThat(again.kind(), is(Verdict.Kind.DUPLICATE));
      }
      if (i % 97 == 0) {
        largest = Math.max(largest, size());
      }
    }

    assertThat(unique, is(100 * idsPerWindow));
    // Horizon, delay, the four minutes of the copies, and an eighth until the next sweep.
    assertThat(largest, lessThanOrEqualTo(3 * idsPerWindow));
  }

  private ValueState<Instant> value(String id) {
    return state.state(StateNamespaces.global(), StateTags.value(id, InstantCoder.of()));
  }

  private int size() {
    int size = 0;
    for (Remembered ignored : memory.values().read()) {
      size++;
    }
    return size;
  }

  private static Copy<Row> copy(String id, double minutes) {
    Fingerprint key = Clicks.key(id);
    return new Copy<>(
        Copy.Role.KEYED,
        key.high(),
        key.low(),
        Clicks.payload(1),
        minute(minutes).getMillis(),
        row(id, 1L, 0));
  }
}
