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

import dev.idem.transforms.fingerprint.ContentSum;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Plans, summaries and commits to test with. */
final class Batches {

  static final Instant NOW = Instant.parse("2026-03-01T10:15:30Z");
  static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
  static final String APPLICATION = "orders";

  private Batches() {}

  static Plan plan(long batch, String epoch, long lease) {
    return plan(batch, epoch, lease, Map.of("keys", "event_id", "format", "json"));
  }

  static Plan plan(long batch, String epoch, long lease, Map<String, String> options) {
    return new Plan(
        APPLICATION,
        batch,
        epoch,
        lease,
        NOW.plusNanos(123_456_789),
        Map.of("clusterId", "c-1", "topic.t", "t-id"),
        List.of(
            new Plan.Range("t", 0, batch * 10, batch * 10 + 10, 4),
            new Plan.Range("t", 1, 0, 0, -1)),
        batch == 0 ? Optional.empty() : Optional.of(NOW),
        List.of(
            new Plan.Progress("t", 0, Optional.of(NOW), Optional.of(NOW)),
            new Plan.Progress("t", 1, Optional.empty(), Optional.empty())),
        "{\"type\":\"struct\",\"fields\":[]}",
        options,
        4,
        1);
  }

  static Summary summary(long batch) {
    return new Summary(
        batch,
        Map.of(
            "target", new Summary.Output(9, new ContentSum(-1, batch)),
            "dead-letters", new Summary.Output(0, ContentSum.EMPTY)),
        Map.of("read", 10L, "duplicates", 1L),
        List.of(new Plan.Progress("t", 0, Optional.of(NOW), Optional.empty())),
        Optional.of(NOW.minusSeconds(300)),
        "{\"places\":[]}");
  }

  static BatchCommit commit(Plan plan) {
    return new BatchCommit(
        summary(plan.batch()),
        APPLICATION,
        plan.epoch(),
        plan.fingerprint(),
        Map.of("stage", Duration.ofMillis(900), "commit", Duration.ofMillis(100)),
        0.1,
        List.of("memory"),
        Map.of("content", "Größe geändert"));
  }

  /** Plans and commits a batch in an open checkpoint. */
  static void run(Checkpoint checkpoint, long batch) throws java.io.IOException {
    Plan plan = plan(batch, checkpoint.epoch(), checkpoint.lease().generation());
    checkpoint.publishPlan(plan);
    checkpoint.publishCommit(commit(plan));
  }

  static LeaseOwner owner(String host, String run) {
    return new LeaseOwner(host, 4711, NOW.minusSeconds(60), run, NOW);
  }

  static LeaseWatch watch() {
    return new LeaseWatch(CLOCK, LeaseWatch.DEFAULT_STANDSTILL);
  }
}
