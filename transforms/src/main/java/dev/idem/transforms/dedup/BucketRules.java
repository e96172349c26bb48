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

import java.io.Serializable;
import java.time.Clock;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;
import org.joda.time.Instant;

/**
 * What all buckets of an unbounded pipeline decide by.
 *
 * @param horizon how long after its event time a key is remembered
 * @param delay how far a bucket's watermark stays behind its greatest event time
 * @param maxFutureSkew how far ahead of {@code clock} an event time may move a watermark; null for
 *     any distance
 * @param clock the clock that {@code maxFutureSkew} is measured by
 */
record BucketRules(
    Duration horizon, Duration delay, @Nullable Duration maxFutureSkew, @Nullable Clock clock)
    implements Serializable {

  /** Returns whether an element of this event time moves the watermark. */
  boolean movesWatermark(Instant eventTime) {
    return maxFutureSkew == null
        || clock == null
        || eventTime.getMillis() - maxFutureSkew.getMillis() <= clock.millis();
  }

  /**
   * Returns how far the watermark moves between two sweeps: a fraction of the horizon, so that a
   * bucket holds little more than it must and is read as a whole only a few times a horizon.
   */
  Duration sweepInterval() {
    return Duration.millis(Math.max(1, horizon.getMillis() / 8));
  }
}
