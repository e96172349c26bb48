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
package dev.idem.io.kafka;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The watermark of one partition: the greatest event time so far less a delay, never going back.
 *
 * <p>A record that is stamped further ahead of the clock than the skew allowed does not move it at
 * all. To follow such a record up to the limit would already make honest records late.
 *
 * <p>Not thread-safe.
 */
final class WatermarkPolicy {
  private final Duration delay;
  private final Duration idleAfter;
  private final Duration maxFutureSkew;
  private final Clock clock;
  private Optional<Instant> greatest = Optional.empty();
  private Optional<Instant> readAt;
  private Optional<Instant> watermark;

  /**
   * @param before the watermark that a former life of the partition had reached, if any
   */
  WatermarkPolicy(
      Duration delay,
      Duration idleAfter,
      Duration maxFutureSkew,
      Clock clock,
      Optional<Instant> before) {
    this.delay = delay;
    this.idleAfter = idleAfter;
    this.maxFutureSkew = maxFutureSkew;
    this.clock = clock;
    this.watermark = before;
    // A partition that goes on was not seen empty, so it has to be quiet for as long as any other.
    this.readAt = before.map(any -> clock.instant());
  }

  /** Takes a record into account; false if it is too far in the future to move the watermark. */
  boolean observe(Instant eventTime) {
    Instant now = clock.instant();
    readAt = Optional.of(now);
    if (eventTime.isAfter(now.plus(maxFutureSkew))) {
      return false;
    }
    if (greatest.isEmpty() || eventTime.isAfter(greatest.get())) {
      greatest = Optional.of(eventTime);
      raise(eventTime.minus(delay));
    }
    return true;
  }

  /**
   * Takes into account that all records were read at an instant. An idle partition must not hold
   * back the others, so its watermark follows the clock; what it had not seen then is later.
   */
  void observeNoBacklog(Instant checkedAt) {
    Instant now = clock.instant();
    boolean idle = readAt.map(last -> !now.isBefore(last.plus(idleAfter))).orElse(true);
    if (idle) {
      raise((checkedAt.isBefore(now) ? checkedAt : now).minus(delay));
    }
  }

  /** Returns the watermark, empty as long as nothing is known. */
  Optional<Instant> watermark() {
    return watermark;
  }

  private void raise(Instant candidate) {
    if (watermark.isEmpty() || candidate.isAfter(watermark.get())) {
      watermark = Optional.of(candidate);
    }
  }
}
