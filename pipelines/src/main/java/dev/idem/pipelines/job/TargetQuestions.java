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
package dev.idem.pipelines.job;

import dev.idem.io.checkpoint.Agreement;
import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.TargetState;
import dev.idem.pipelines.plan.Planner;
import dev.idem.pipelines.plan.Shape;
import dev.idem.pipelines.source.Source;
import dev.idem.pipelines.targets.AskedTarget;
import dev.idem.pipelines.targets.Targets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.checkerframework.checker.nullness.qual.Nullable;

/** What a start asks its targets, and what it holds their answers against; nothing is written. */
final class TargetQuestions {

  private final JobSettings settings;
  private final Source source;
  private final Targets targets;

  TargetQuestions(JobSettings settings, Source source, Targets targets) {
    this.settings = settings;
    this.source = source;
    this.targets = targets;
  }

  /** The memory is asked if the job uses it, and as long as that is not known, if it is there. */
  List<AskedTarget> asked(@Nullable Shape shape) {
    boolean memory = shape == null ? targets.memory().state().isPresent() : shape.remembers();
    return targets.asked(memory);
  }

  static List<TargetState> states(List<AskedTarget> asked) {
    List<TargetState> states = new ArrayList<>();
    for (AskedTarget table : asked) {
      table.refuseUnusable();
      states.add(table.targetState());
    }
    return states;
  }

  /**
   * Returns what a start holds the answers against.
   *
   * @param isNew whether the checkpoint has no batch yet
   */
  Agreement.Terms terms(
      List<AskedTarget> asked, Optional<Plan> planned, @Nullable Shape shape, boolean isNew) {
    Map<String, Set<String>> others = new TreeMap<>();
    if (isNew) {
      Set<String> own = asked.stream().map(AskedTarget::sink).collect(Collectors.toSet());
      for (AskedTarget table : asked) {
        Set<String> ids = new TreeSet<>();
        table
            .recordsOfOthers(own)
            .forEach(
                held -> {
                  if (readsSameSource(held.plan())) {
                    ids.add(held.plan().applicationId());
                  }
                });
        others.put(table.name(), ids);
      }
    }
    return new Agreement.Terms(
        others,
        settings.applicationIdGiven(),
        settings.onLostCheckpoint(),
        settings.onLostTarget(),
        shape == null
            ? Optional.empty()
            : Optional.of(
                withFound(
                    shape.contentOptions(source, settings.eventTime()), planned.orElseThrow())));
  }

  private boolean readsSameSource(Plan plan) {
    return plan.ranges().stream().anyMatch(range -> source.names().contains(range.topic()));
  }

  /** Returns options with what planning found when a plan was made. */
  static Map<String, String> withFound(Map<String, String> options, Plan plan) {
    Map<String, String> all = new TreeMap<>(options);
    all.putAll(Planner.found(plan));
    return all;
  }
}
