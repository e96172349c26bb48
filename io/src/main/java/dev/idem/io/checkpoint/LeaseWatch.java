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
package dev.idem.io.checkpoint;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Watches the heartbeat of a lease holder on another host. Its death is taken as proved when the
 * counter has stood still for a given time on the watcher's own clock; no two clocks are compared.
 *
 * <p>The watch does not wait: the caller asks for the checkpoint again and again with the same
 * watch, at whatever rhythm it likes, until it gets the lease or gives up. Not thread-safe.
 */
public final class LeaseWatch {

  /** How long a heartbeat must stand still by default; the holder beats every five seconds. */
  public static final Duration DEFAULT_STANDSTILL = Duration.ofSeconds(60);

  private final InstantSource clock;
  private final Duration standstill;
  private long generation = -1;
  private long counter = -1;
  private @Nullable Instant since;
  private boolean moved;

  /**
   * Creates a watch that has seen nothing.
   *
   * @param clock the watcher's own clock, best one that nobody can set
   * @param standstill how long the counter must stand still, several times the holder's heartbeat
   */
  public LeaseWatch(InstantSource clock, Duration standstill) {
    if (standstill.isNegative() || standstill.isZero()) {
      throw new IllegalArgumentException(
          "Standstill must be positive, but was: " + standstill + ". Give several heartbeats.");
    }
    this.clock = clock;
    this.standstill = standstill;
  }

  /**
   * Returns true if the heartbeat moved between the last two looks, or the lease went to another
   * job: the holder is alive, and there is nothing to wait for.
   */
  public boolean moved() {
    return moved;
  }

  /** Returns true once the same counter of the same generation was seen for long enough. */
  boolean standsStill(long seenGeneration, long seenCounter) {
    Instant now = clock.instant();
    if (since == null || seenGeneration != generation || seenCounter != counter) {
      moved = since != null;
      generation = seenGeneration;
      counter = seenCounter;
      since = now;
      return false;
    }
    return !now.isBefore(since.plus(standstill));
  }
}
