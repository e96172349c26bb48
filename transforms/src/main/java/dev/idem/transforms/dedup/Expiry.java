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

import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** Adds and subtracts durations without leaving the range of Beam's timestamps. */
final class Expiry {
  private Expiry() {}

  /** Returns when an element of {@code eventTime} may be forgotten. */
  static Instant of(Instant eventTime, Duration horizon) {
    long left = BoundedWindow.TIMESTAMP_MAX_VALUE.getMillis() - eventTime.getMillis();
    return horizon.getMillis() > left ? BoundedWindow.TIMESTAMP_MAX_VALUE : eventTime.plus(horizon);
  }

  /** Returns {@code eventTime} minus {@code delay}. */
  static Instant watermark(Instant eventTime, Duration delay) {
    long left = eventTime.getMillis() - BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis();
    return delay.getMillis() > left ? BoundedWindow.TIMESTAMP_MIN_VALUE : eventTime.minus(delay);
  }
}
