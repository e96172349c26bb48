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
package dev.idem.pipelines.plan;

import dev.idem.io.checkpoint.Plan;
import dev.idem.pipelines.batch.EventTimeRules;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The watermark of a source: the least, over its partitions, of the greatest event time less the
 * delay; it never goes back.
 *
 * <p>A partition that has unread records and gave no event time yet holds the watermark where it
 * is. One that is read out no more holds it after {@code idleAfter}, by the plan's clock, and at
 * once if it never held a row.
 */
public final class SourceWatermark {

  private SourceWatermark() {}

  /**
   * Returns the watermark that follows.
   *
   * @param unread tells which partitions have unread records
   * @param clock the plan's clock
   */
  public static Optional<Instant> next(
      Optional<Instant> previous,
      List<Plan.Progress> progress,
      Predicate<Plan.Progress> unread,
      EventTimeRules rules,
      Instant clock) {
    Optional<Instant> least = Optional.empty();
    for (Plan.Progress partition : progress) {
      boolean waiting = unread.test(partition);
      if (partition.greatest().isEmpty()) {
        if (waiting) {
          return previous;
        }
        continue;
      }
      if (!waiting && idle(partition, rules, clock)) {
        continue;
      }
      Instant candidate = partition.greatest().get().minus(rules.watermarkDelay());
      if (least.isEmpty() || candidate.isBefore(least.get())) {
        least = Optional.of(candidate);
      }
    }
    if (least.isEmpty() || (previous.isPresent() && previous.get().isAfter(least.get()))) {
      return previous;
    }
    return least;
  }

  private static boolean idle(Plan.Progress partition, EventTimeRules rules, Instant clock) {
    return partition.readAt().isPresent()
        && !partition.readAt().get().plus(rules.idleAfter()).isAfter(clock);
  }
}
