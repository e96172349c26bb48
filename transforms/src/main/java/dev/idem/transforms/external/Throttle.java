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
package dev.idem.transforms.external;

import dev.failsafe.CircuitBreaker;
import dev.failsafe.RateLimiter;
import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * What all workers of a process share of one write: how fast it may go, and whether the target is
 * believed to be up.
 */
final class Throttle {
  private static final ConcurrentMap<String, Throttle> OF_PROCESS = new ConcurrentHashMap<>();

  private final @Nullable RateLimiter<Object> limiter;
  private final CircuitBreaker<Object> breaker;

  private Throttle(Limits limits, Predicate<Throwable> failure) {
    this.limiter =
        limits.records() == 0
            ? null
            : RateLimiter.smoothBuilder(limits.records(), limits.period()).build();
    this.breaker =
        CircuitBreaker.builder()
            .handleIf(failure::test)
            .withFailureThreshold(limits.failures())
            .withDelay(limits.pause())
            .build();
  }

  /**
   * The limits of a write.
   *
   * @param records how many records may be applied in a period, 0 for any number
   * @param period the period
   * @param failures after how many attempts that fail one after another the target is left alone
   * @param pause for how long it is left alone
   */
  record Limits(long records, Duration period, int failures, Duration pause)
      implements Serializable {}

  /**
   * Returns the throttle of a write in this process.
   *
   * @param failure which errors say that the target is down; one of a record does not
   */
  static Throttle of(String write, Limits limits, Predicate<Throwable> failure) {
    return OF_PROCESS.computeIfAbsent(write, unused -> new Throttle(limits, failure));
  }

  CircuitBreaker<Object> breaker() {
    return breaker;
  }

  /** Waits until so many records may be applied. */
  void await(int records) throws InterruptedException {
    if (limiter != null) {
      limiter.acquirePermits(records);
    }
  }
}
