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
import dev.idem.io.checkpoint.Summary;
import dev.idem.pipelines.source.Source;
import dev.idem.pipelines.stage.Manifest;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Decides what goes into the next batch. */
public final class Planner {

  /** About as many records a shard's files should hold. */
  private static final long RECORDS_PER_SHARD = 65_536;

  private static final int MAX_SHARDS = 1024;

  /** The prefix of the options that say how many offsets of a partition were lost. */
  public static final String LOST = "lost:";

  /** The option that says how far the source's own log was followed before the batch. */
  public static final String POSITIONS = "positions";

  /** The prefix of the options that say where a partition was begun to be read, ever. */
  private static final String FIRST = "first:";

  private final Source.Session session;
  private final PlanSettings settings;
  private final String epoch;
  private final long lease;
  private final @Nullable List<Source.Position> fixedLimits;

  /**
   * Makes a planner.
   *
   * @param fixedLimits where the job ends, or null for a job that goes on for ever
   */
  public Planner(
      Source.Session session,
      PlanSettings settings,
      String epoch,
      long lease,
      @Nullable List<Source.Position> fixedLimits) {
    this.session = session;
    this.settings = settings;
    this.epoch = epoch;
    this.lease = lease;
    this.fixedLimits = fixedLimits;
  }

  /** Returns what planning found, of a plan's options: neither the user nor the job gave it. */
  public static Map<String, String> found(Plan plan) {
    Map<String, String> found = new TreeMap<>(plan.options());
    found
        .keySet()
        .removeIf(
            name ->
                !name.startsWith(LOST)
                    && !name.startsWith(FIRST)
                    && !name.equals(POSITIONS)
                    && !name.startsWith(Source.READ_BY)
                    && !name.equals(Redrive.OPTION)
                    && !name.equals(Plan.RESTARTED_AT));
    return found;
  }

  /** Returns what a plan's successors carry on of it. */
  private static Map<String, String> carried(Plan plan) {
    Map<String, String> carried = found(plan);
    carried
        .keySet()
        .removeIf(
            name ->
                name.startsWith(LOST)
                    || name.startsWith(Source.READ_BY)
                    || name.equals(POSITIONS)
                    || name.equals(Redrive.OPTION));
    return carried;
  }

  private static String first(String topic, int partition) {
    return FIRST + topic + "-" + partition;
  }

  /** Returns where batch 0 begins, as the plan of an empty batch before it. */
  public Plan start(List<Source.Position> limits) {
    return start(-1, session.starts(limits), Map.of());
  }

  /**
   * Returns the offsets at which a job begins anew, and refuses those behind the first ones that it
   * ever read: what lay between would leave the targets for ever.
   *
   * @param before a plan of the earlier life
   */
  public List<Source.Position> startsAnew(Optional<Plan> before) {
    List<Source.Position> limits = session.limits();
    List<Source.Position> starts = session.starts(limits);
    if (before.isPresent()) {
      session.verify(before.get(), limits);
      Map<String, String> firsts = before.get().options();
      for (Source.Position start : starts) {
        String first = firsts.get(first(start.topic(), start.partition()));
        if (first != null && start.offset() > Long.parseLong(first)) {
          throw session.historyGone(start, Long.parseLong(first));
        }
      }
    }
    return starts;
  }

  /**
   * Returns where a job begins anew, as the plan of an empty batch.
   *
   * @param last the last batch of the earlier life
   */
  public Plan restart(long last, List<Source.Position> starts) {
    return start(last, starts, Map.of(Plan.RESTARTED_AT, Long.toString(last + 1)));
  }

  private Plan start(long batch, List<Source.Position> starts, Map<String, String> options) {
    return new Plan(
        settings.applicationId(),
        batch,
        epoch,
        lease,
        settings.clock().instant(),
        session.identity(),
        starts.stream()
            .map(
                start ->
                    new Plan.Range(
                        start.topic(),
                        start.partition(),
                        start.offset(),
                        start.offset(),
                        start.leaderEpoch()))
            .toList(),
        Optional.empty(),
        List.of(),
        "",
        options,
        1,
        RowEncoding.VERSION);
  }

  /**
   * The input of the next batch, before its schema is known.
   *
   * @param limits how far the batch could reach, as the ranges are in order
   * @param lost how many offsets the source does not have any more, by the option that says so
   */
  public record Input(
      List<Plan.Range> ranges, List<Source.Position> limits, Map<String, String> lost) {
    /** Returns whether there is nothing to read. */
    public boolean isEmpty() {
      return ranges.stream().allMatch(range -> range.size() == 0);
    }
  }

  /** Returns the input of a batch that reads nothing of the source. */
  public Input nothing(Plan last) {
    Input next = input(Optional.of(last));
    Map<Manifest.Partition, Plan.Range> read = new HashMap<>();
    last.ranges()
        .forEach(
            range -> read.put(new Manifest.Partition(range.topic(), range.partition()), range));
    return new Input(
        next.ranges().stream()
            .map(
                range -> {
                  Plan.Range before =
                      read.get(new Manifest.Partition(range.topic(), range.partition()));
                  boolean known = before != null && before.end() == range.start();
                  return new Plan.Range(
                      range.topic(),
                      range.partition(),
                      range.start(),
                      range.start(),
                      known ? before.leaderEpoch() : -1);
                })
            .toList(),
        next.limits(),
        next.lost());
  }

  /**
   * Returns the input of the batch behind the last one, and refuses offsets that are gone unless
   * the job goes on without them.
   *
   * @param last empty as long as no batch was planned and no start was kept
   */
  public Input input(Optional<Plan> last) {
    List<Source.Position> limits = fixedLimits == null ? session.limits() : fixedLimits;
    last.ifPresent(plan -> session.verify(plan, fixedLimits == null ? limits : session.limits()));
    Map<Manifest.Partition, Long> starts = starts(last, limits);
    Map<String, String> lost = new TreeMap<>();
    if (last.isPresent()) {
      skipLost(starts, limits, lost);
    }
    List<Plan.Range> unread = new ArrayList<>();
    for (Source.Position limit : limits) {
      long start = starts.get(partition(limit));
      unread.add(
          new Plan.Range(
              limit.topic(),
              limit.partition(),
              start,
              Math.max(start, limit.offset()),
              start <= limit.offset() ? limit.leaderEpoch() : -1));
    }
    return new Input(session.next(unread, settings.maxRecordsPerBatch()), limits, lost);
  }

  private Map<Manifest.Partition, Long> starts(Optional<Plan> last, List<Source.Position> limits) {
    Map<Manifest.Partition, Long> starts = new HashMap<>();
    if (last.isEmpty()) {
      session.starts(limits).forEach(start -> starts.put(partition(start), start.offset()));
      return starts;
    }
    last.get()
        .ranges()
        .forEach(
            range ->
                starts.put(new Manifest.Partition(range.topic(), range.partition()), range.end()));
    List<Source.Position> added =
        limits.stream().filter(limit -> !starts.containsKey(partition(limit))).toList();
    session.earliest(added).forEach(start -> starts.put(partition(start), start.offset()));
    return starts;
  }

  private void skipLost(
      Map<Manifest.Partition, Long> starts,
      List<Source.Position> limits,
      Map<String, String> lost) {
    for (Source.Position earliest : session.earliest(limits)) {
      long start = starts.get(partition(earliest));
      if (start < earliest.offset()) {
        refuseLoss(earliest, start);
        starts.put(partition(earliest), earliest.offset());
        lost.put(
            LOST + earliest.topic() + "-" + earliest.partition(),
            Long.toString(earliest.offset() - start));
      }
    }
  }

  /**
   * Returns the ranges of a plan that the source still has: all of them, or what is left if the
   * user goes on without the rest. The plan stays as it is, since targets may hold it.
   */
  public List<Plan.Range> readable(Plan plan) {
    List<Source.Position> starts =
        plan.ranges().stream()
            .filter(range -> range.size() > 0)
            .map(range -> new Source.Position(range.topic(), range.partition(), range.start(), -1))
            .toList();
    Map<Manifest.Partition, Source.Position> earliest =
        session.earliest(starts).stream()
            .collect(Collectors.toMap(Planner::partition, each -> each));
    return plan.ranges().stream()
        .map(
            range -> {
              Source.Position first =
                  earliest.get(new Manifest.Partition(range.topic(), range.partition()));
              if (first == null || range.start() >= first.offset()) {
                return range;
              }
              refuseLoss(first, range.start());
              return new Plan.Range(
                  range.topic(),
                  range.partition(),
                  Math.min(first.offset(), range.end()),
                  range.end(),
                  range.leaderEpoch());
            })
        .toList();
  }

  private void refuseLoss(Source.Position earliest, long wanted) {
    if (settings.onDataLoss() == OnDataLoss.FAIL) {
      throw session.outOfRetention(earliest, wanted);
    }
  }

  /**
   * Returns the plan of the next batch.
   *
   * @param schema the schema of the decoded records
   * @param options what else decides the content of the batch
   */
  public Plan plan(
      Input input,
      Optional<Plan> last,
      Optional<Summary> lastSummary,
      String schema,
      Map<String, String> options) {
    Instant now = settings.clock().instant();
    List<Plan.Progress> progress = progress(input, lastSummary);
    Map<Manifest.Partition, Long> unread = new HashMap<>();
    for (int i = 0; i < input.ranges().size(); i++) {
      Plan.Range range = input.ranges().get(i);
      unread.put(
          new Manifest.Partition(range.topic(), range.partition()),
          input.limits().get(i).offset() - range.start());
    }
    Map<String, String> all = new TreeMap<>(options);
    last.ifPresent(plan -> all.putAll(carried(plan)));
    for (Plan.Range range : input.ranges()) {
      all.putIfAbsent(first(range.topic(), range.partition()), Long.toString(range.start()));
    }
    all.putAll(input.lost());
    lastSummary
        .map(Summary::positions)
        .filter(positions -> !positions.isEmpty())
        .ifPresent(positions -> all.put(POSITIONS, positions));
    session.readBy(input.ranges()).forEach((name, value) -> all.put(Source.READ_BY + name, value));
    return new Plan(
        settings.applicationId(),
        last.map(plan -> plan.batch() + 1).orElse(0L),
        epoch,
        lease,
        now,
        session.identity(),
        input.ranges(),
        SourceWatermark.next(
            last.flatMap(Plan::watermark),
            progress,
            each -> unread.get(new Manifest.Partition(each.topic(), each.partition())) > 0,
            settings.eventTime(),
            now),
        progress,
        schema,
        all,
        shards(session.records(input.ranges())),
        RowEncoding.VERSION);
  }

  private static List<Plan.Progress> progress(Input input, Optional<Summary> lastSummary) {
    Map<Manifest.Partition, Plan.Progress> known =
        lastSummary
            .map(
                summary ->
                    summary.greatest().stream()
                        .collect(
                            Collectors.toMap(
                                each -> new Manifest.Partition(each.topic(), each.partition()),
                                each -> each)))
            .orElse(Map.of());
    return input.ranges().stream()
        .map(
            range ->
                known.getOrDefault(
                    new Manifest.Partition(range.topic(), range.partition()),
                    new Plan.Progress(
                        range.topic(), range.partition(), Optional.empty(), Optional.empty())))
        .toList();
  }

  /** Returns how many shards a batch of so many records has: a power of two. */
  public static int shards(long records) {
    long wanted = Math.min(MAX_SHARDS, Math.max(1, records / RECORDS_PER_SHARD));
    return (int) Long.highestOneBit(wanted);
  }

  private static Manifest.Partition partition(Source.Position position) {
    return new Manifest.Partition(position.topic(), position.partition());
  }
}
