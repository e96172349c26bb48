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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;

import dev.idem.testing.Covers;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WatermarkPolicyTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration SKEW = Duration.ofMinutes(5);

  private final SetClock clock = new SetClock();

  /** DEV-03. */
  @Test
  void recordADayAheadMovesNothingAndIsFlagged() {
    WatermarkPolicy policy = policy(Optional.empty());
    clock.set("2026-01-10T10:00:00Z");
    policy.observe(Instant.parse("2026-01-10T10:00:00Z"));
    Optional<Instant> before = policy.watermark();

    boolean moved = policy.observe(Instant.parse("2026-01-11T10:00:00Z"));

    assertThat(moved, equalTo(false));
    assertThat(policy.watermark(), equalTo(before));
    assertThat(before, equalTo(at("2026-01-10T09:59:00Z")));
  }

  /** DEV-03. */
  @Covers.Case("DEV-03")
  @Test
  void honestRecordsBehindOneADayAheadAreNotLate() {
    WatermarkPolicy policy = policy(Optional.empty());
    clock.set("2026-01-10T10:00:00Z");
    policy.observe(clock.instant());
    policy.observe(Instant.parse("2026-01-11T10:00:00Z"));
    List<String> late = new ArrayList<>();

    for (int minute = 2; minute <= 11; minute++) {
      Instant time = Instant.parse("2026-01-10T10:%02d:00Z".formatted(minute));
      clock.set(time.plus(MINUTE).toString());
      if (time.isBefore(policy.watermark().orElseThrow())) {
        late.add(time.toString());
      }
      policy.observe(time);
    }

    assertThat(late, equalTo(List.of()));
    assertThat(policy.watermark(), equalTo(at("2026-01-10T10:10:00Z")));
  }

  @Test
  void recordAtTheLimitMovesTheWatermarkAndOneBehindItDoesNot() {
    clock.set("2026-01-10T10:00:00Z");
    WatermarkPolicy atLimit = policy(Optional.empty());
    WatermarkPolicy beyond = policy(Optional.empty());

    atLimit.observe(Instant.parse("2026-01-10T10:05:00Z"));
    beyond.observe(Instant.parse("2026-01-10T10:05:00.001Z"));

    assertThat(atLimit.watermark(), equalTo(at("2026-01-10T10:04:00Z")));
    assertThat(beyond.watermark(), equalTo(Optional.empty()));
  }

  @Test
  void olderRecordsAndARestartNeverMoveItBack() {
    clock.set("2026-01-10T10:00:00Z");
    WatermarkPolicy policy = policy(at("2026-01-10T09:50:00Z"));

    policy.observe(Instant.parse("2026-01-10T09:40:00Z"));
    Optional<Instant> restored = policy.watermark();
    policy.observe(Instant.parse("2026-01-10T09:58:00Z"));
    policy.observe(Instant.parse("2026-01-10T09:30:00Z"));

    assertThat(restored, equalTo(at("2026-01-10T09:50:00Z")));
    assertThat(policy.watermark(), equalTo(at("2026-01-10T09:57:00Z")));
  }

  @Test
  void partitionIsIdleOnlyAfterItWasFullyReadForLongEnough() {
    clock.set("2026-01-10T10:00:00Z");
    WatermarkPolicy policy = policy(Optional.empty());
    policy.observe(Instant.parse("2026-01-10T09:00:00Z"));

    clock.set("2026-01-10T10:00:59Z");
    policy.observeNoBacklog(clock.instant());
    Optional<Instant> notYet = policy.watermark();
    clock.set("2026-01-10T10:01:00Z");
    policy.observeNoBacklog(clock.instant());

    assertThat(notYet, equalTo(at("2026-01-10T08:59:00Z")));
    assertThat(policy.watermark(), equalTo(at("2026-01-10T10:00:00Z")));
  }

  @Test
  void idlePartitionFollowsTheTimeAtWhichItWasSeenEmpty() {
    clock.set("2026-01-10T10:00:00Z");
    WatermarkPolicy policy = policy(Optional.empty());
    policy.observe(Instant.parse("2026-01-10T09:00:00Z"));
    clock.set("2026-01-10T10:30:00Z");

    policy.observeNoBacklog(Instant.parse("2026-01-10T10:20:00Z"));

    assertThat(policy.watermark(), equalTo(at("2026-01-10T10:19:00Z")));
  }

  @Test
  void emptyPartitionIsIdleAtOnce() {
    clock.set("2026-01-10T10:00:00Z");
    WatermarkPolicy policy = policy(Optional.empty());

    policy.observeNoBacklog(clock.instant());

    assertThat(policy.watermark(), equalTo(at("2026-01-10T09:59:00Z")));
  }

  @Test
  void restoredPartitionIsNotTakenForAnEmptyOne() {
    clock.set("2026-01-10T10:00:00Z");
    WatermarkPolicy policy = policy(at("2026-01-10T08:00:00Z"));

    policy.observeNoBacklog(clock.instant());

    assertThat(policy.watermark(), equalTo(at("2026-01-10T08:00:00Z")));
  }

  private WatermarkPolicy policy(Optional<Instant> before) {
    return new WatermarkPolicy(MINUTE, MINUTE, SKEW, clock, before);
  }

  private static Optional<Instant> at(String instant) {
    return Optional.of(Instant.parse(instant));
  }

  /** A clock that stands until it is set. */
  private static final class SetClock extends Clock {
    private Instant now = Instant.EPOCH;

    void set(String instant) {
      now = Instant.parse(instant);
    }

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException("Only instants are taken.");
    }
  }
}
