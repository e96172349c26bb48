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

import static dev.idem.transforms.dedup.Clicks.click;
import static dev.idem.transforms.dedup.Clicks.minute;
import static dev.idem.transforms.dedup.Clicks.remembered;
import static dev.idem.transforms.dedup.Clicks.row;
import static dev.idem.transforms.dedup.Clicks.verdict;
import static dev.idem.transforms.dedup.Verdict.Kind.CONFLICT;
import static dev.idem.transforms.dedup.Verdict.Kind.DUPLICATE;
import static dev.idem.transforms.dedup.Verdict.Kind.LATE;
import static dev.idem.transforms.dedup.Verdict.Kind.UNIQUE;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.is;

import dev.idem.transforms.dedup.KeyMemory.Remembered;
import dev.idem.transforms.fingerprint.Fingerprint;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TimestampedValue;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;

class ShardDecisionTest {
  private static final Duration HORIZON = Duration.standardMinutes(5);
  private static final CopyFactory<Row> FACTORY =
      new CopyFactory<>(
          row -> row,
          null,
          RowEncoding.of(Clicks.SCHEMA, List.of("id")),
          RowEncoding.of(Clicks.SCHEMA, List.of("value")),
          RowCoder.of(Clicks.SCHEMA));
  private static final CopyOrder<Row> BY_ROW =
      new CopyOrder<>(null, row -> row, RowEncoding.of(Clicks.SCHEMA));
  private static final CopyOrder<Row> BY_POSITION =
      new CopyOrder<>(
          row -> new Position("t", 0, -row.getInt64("offset")),
          row -> row,
          RowEncoding.of(Clicks.SCHEMA));

  @Test
  void rememberedKeyGivesDuplicatesAndConflictsLateOrNot() throws CoderException {
    var clicks =
        List.of(
            click("a", 1, 1, 1), click("a", 1, -9, 2), click("a", 2, 1, 3), click("a", 2, -9, 4));
    MapMemory memory = memoryOf(remembered("a", 1, 6));

    var verdicts = decide(clicks, memory, minute(0), BY_ROW);

    assertThat(
        verdicts,
        containsInAnyOrder(
            verdict(DUPLICATE, clicks.get(0)),
            verdict(DUPLICATE, clicks.get(1)),
            verdict(CONFLICT, clicks.get(2)),
            verdict(CONFLICT, clicks.get(3))));
  }

  @Test
  void memoryIsExtendedByTheLatestCopyThatIsNotLate() throws CoderException {
    var clicks = List.of(click("a", 1, 2, 1), click("a", 2, 3, 2), click("a", 1, -9, 3));

    var verdicts = decide(clicks, memoryOf(remembered("a", 1, 6)), minute(0), BY_ROW);

    assertThat(
        verdicts,
        containsInAnyOrder(
            verdict(DUPLICATE, clicks.get(0)),
            verdict(CONFLICT, clicks.get(1), remembered("a", 1, 8)),
            verdict(DUPLICATE, clicks.get(2))));
  }

  @Test
  void lateCopyExtendsNothing() throws CoderException {
    var late = click("a", 1, -0.5, 1);

    var verdicts = decide(List.of(late), memoryOf(remembered("a", 1, 1)), minute(0), BY_ROW);

    assertThat(verdicts, contains(verdict(DUPLICATE, late)));
  }

  @Test
  void memoryEndsWhenTheWatermarkReachesTheExpiry() throws CoderException {
    var click = click("a", 1, 6, 1);
    MapMemory memory = memoryOf(remembered("a", 1, 6));

    var before = decide(List.of(click), memory, minute(5.99), BY_ROW);
    var reached = decide(List.of(click), memory, minute(6), BY_ROW);

    assertThat(before, contains(verdict(DUPLICATE, click, remembered("a", 1, 11))));
    assertThat(reached, contains(verdict(UNIQUE, click, remembered("a", 1, 11))));
  }

  @Test
  void leastOfTheCopiesThatAreNotLateIsUniqueEvenIfALateOneIsLess() throws CoderException {
    var clicks =
        List.of(
            click("a", 2, -1, 1), click("a", 1, -2, 2), click("a", 1, 0, 3), click("a", 1, 1, 4));

    var verdicts = decide(clicks, new MapMemory(), minute(0), BY_ROW);

    assertThat(
        verdicts,
        containsInAnyOrder(
            verdict(CONFLICT, clicks.get(0)),
            verdict(DUPLICATE, clicks.get(1)),
            verdict(UNIQUE, clicks.get(2), remembered("a", 1, 6)),
            verdict(DUPLICATE, clicks.get(3))));
  }

  @Test
  void unknownKeyWithLateCopiesOnlyIsLateAndRemembersNothing() throws CoderException {
    var clicks = List.of(click("a", 1, -1, 1), click("a", 1, -1, 2));

    var verdicts = decide(clicks, new MapMemory(), minute(0), BY_ROW);

    assertThat(
        verdicts, containsInAnyOrder(verdict(LATE, clicks.get(0)), verdict(LATE, clicks.get(1))));
  }

  @Test
  void withoutWatermarkNothingIsLate() throws CoderException {
    var ancient = TimestampedValue.of(row("a", 1L, 1), BoundedWindow.TIMESTAMP_MIN_VALUE);

    var verdicts = decide(List.of(ancient), new MapMemory(), null, BY_ROW);

    assertThat(
        verdicts,
        contains(
            verdict(
                UNIQUE,
                ancient,
                new Remembered(
                    Clicks.key("a"),
                    Clicks.payload(1),
                    BoundedWindow.TIMESTAMP_MIN_VALUE.plus(HORIZON)))));
  }

  @Test
  void expiryStaysInTheRangeOfTimestamps() throws CoderException {
    var last = TimestampedValue.of(row("a", 1L, 1), BoundedWindow.TIMESTAMP_MAX_VALUE);

    var verdicts = decide(List.of(last), new MapMemory(), minute(0), BY_ROW);

    assertThat(
        verdicts,
        contains(
            verdict(
                UNIQUE,
                last,
                new Remembered(
                    Clicks.key("a"), Clicks.payload(1), BoundedWindow.TIMESTAMP_MAX_VALUE))));
  }

  @Test
  void positionDecidesBetweenEqualEventTimesAndElseTheRow() throws CoderException {
    var clicks = List.of(click("a", 1, 0, 1), click("a", 1, 0, 3), click("a", 1, 0, 2));

    var byRow = decide(clicks, new MapMemory(), null, BY_ROW);
    var byPosition = decide(clicks, new MapMemory(), null, BY_POSITION);

    assertThat(uniques(byRow), contains(row("a", 1L, 1)));
    assertThat(uniques(byPosition), contains(row("a", 1L, 3)));
  }

  @Test
  void keysThatShareHalfOfTheirFingerprintStayApart() {
    List<Copy<Row>> copies =
        List.of(
            new Copy<>(Copy.Role.KEYED, 1, 7, 0, 0, row("a", 1L, 1)),
            new Copy<>(Copy.Role.KEYED, 2, 7, 0, 0, row("b", 1L, 2)),
            new Copy<>(Copy.Role.KEYED, 1, 8, 0, 0, row("c", 1L, 3)));
    List<Verdict<Row>> verdicts = new ArrayList<>();

    new ShardDecision<Row>(null, HORIZON, BY_ROW)
        .decide(copies, key -> null, (verdict, timestamp) -> verdicts.add(verdict));

    assertThat(
        uniques(verdicts), containsInAnyOrder(row("a", 1L, 1), row("b", 1L, 2), row("c", 1L, 3)));
  }

  @Test
  void everyOrderOfABatchGivesWhatThePlainRulesGive() throws CoderException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      List<TimestampedValue<Row>> clicks = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        clicks.add(
            click("k" + random.nextInt(12), random.nextInt(2), random.nextInt(9) - 4, 1_000 + i));
      }
      MapMemory memory =
          memoryOf(
              remembered("k0", 0, random.nextInt(10) - 3),
              remembered("k1", 1, random.nextInt(10) - 3),
              remembered("k2", 1, 0));
      List<Verdict<Row>> expected = new ArrayList<>(plainRules(clicks, memory, minute(0)));

      for (int permutation = 0; permutation < 5; permutation++) {
        Collections.shuffle(clicks, random);

        assertThat(
            "seed " + seed,
            decide(clicks, memory, minute(0), BY_ROW),
            containsInAnyOrder(expected.toArray()));
      }
    }
  }

  @Test
  void memoryOfAMillionIdsOverAHundredWindowsReachesAPlateau() throws CoderException {
    // Row 16 of the seeds: windows of 5 minutes, 10,000 ids each, every id once more a window
    // later.
    int ids = 10_000;
    MapMemory memory = new MapMemory();
    List<Integer> sizes = new ArrayList<>();
    int unique = 0;
    int duplicates = 0;
    for (int window = 0; window < 100; window++) {
      Instant watermark = minute(5 * (window - 1));
      List<TimestampedValue<Row>> clicks = new ArrayList<>(2 * ids);
      for (int i = 0; i < ids; i++) {
        double time = 5.0 * window + 5.0 * i / ids;
        clicks.add(click("w" + window + "-" + i, i, time, i));
        if (window > 0) {
          clicks.add(click("w" + (window - 1) + "-" + i, i, time - 4.5, i));
        }
      }
      var verdicts = decide(clicks, memory, watermark, BY_ROW);
      unique += uniques(verdicts).size();
      duplicates += (int) verdicts.stream().filter(each -> each.kind() == DUPLICATE).count();
      memory = memory.with(verdicts).sweptTo(watermark);
      sizes.add(memory.size());
    }

    assertThat(unique, is(100 * ids));
    assertThat(duplicates, is(99 * ids));
    // Two windows behind the watermark's, it and what the copies of a window's last tenth extend.
    assertThat(sizes.subList(3, 100), everyItem(is(30_999)));
  }

  private static List<Row> uniques(List<Verdict<Row>> verdicts) {
    return verdicts.stream().filter(each -> each.kind() == UNIQUE).map(Verdict::element).toList();
  }

  private static List<Verdict<Row>> decide(
      List<TimestampedValue<Row>> clicks,
      KeyMemory memory,
      @Nullable Instant watermark,
      CopyOrder<Row> order)
      throws CoderException {
    List<Copy<Row>> copies = new ArrayList<>();
    for (TimestampedValue<Row> click : clicks) {
      copies.add(FACTORY.copyOf(click.getValue(), click.getTimestamp()));
    }
    List<Verdict<Row>> verdicts = new ArrayList<>();
    new ShardDecision<Row>(watermark, HORIZON, order)
        .decide(copies, memory.load(0, 1), (verdict, timestamp) -> verdicts.add(verdict));
    return verdicts;
  }

  private static MapMemory memoryOf(Remembered... content) {
    return new MapMemory()
        .with(List.of(content).stream().map(each -> new Verdict<>(UNIQUE, "", each)).toList());
  }

  /** The contract written down a second time, for whole groups and without care for speed. */
  private static Collection<Verdict<Row>> plainRules(
      List<TimestampedValue<Row>> clicks, MapMemory memory, Instant watermark) {
    Map<String, List<TimestampedValue<Row>>> byKey =
        clicks.stream().collect(Collectors.groupingBy(each -> each.getValue().getString("id")));
    Map<Row, Verdict<Row>> verdicts = new HashMap<>();
    Comparator<TimestampedValue<Row>> order =
        Comparator.<TimestampedValue<Row>, Instant>comparing(TimestampedValue::getTimestamp)
            .thenComparing(each -> each.getValue().getInt64("value"))
            .thenComparing(each -> each.getValue().getInt64("offset"));
    byKey.forEach(
        (id, copies) -> {
          Fingerprint key = Clicks.key(id);
          List<TimestampedValue<Row>> onTime =
              copies.stream()
                  .filter(each -> !each.getTimestamp().isBefore(watermark))
                  .sorted(order)
                  .toList();
          Remembered known = memory.content().get(key);
          if (known != null && known.expiry().isAfter(watermark)) {
            copies.forEach(each -> verdicts.put(each.getValue(), compare(each, known.payload())));
            if (!onTime.isEmpty()) {
              Instant last = onTime.get(onTime.size() - 1).getTimestamp();
              if (last.plus(HORIZON).isAfter(known.expiry())) {
                Row carrier =
                    onTime.stream()
                        .filter(each -> each.getTimestamp().equals(last))
                        .findFirst()
                        .orElseThrow()
                        .getValue();
                verdicts.computeIfPresent(
                    carrier,
                    (element, verdict) ->
                        new Verdict<>(
                            verdict.kind(),
                            element,
                            new Remembered(key, known.payload(), last.plus(HORIZON))));
              }
            }
          } else if (onTime.isEmpty()) {
            copies.forEach(each -> verdicts.put(each.getValue(), verdict(LATE, each)));
          } else {
            Row unique = onTime.get(0).getValue();
            long payload = Clicks.payload(unique.getInt64("value"));
            copies.forEach(each -> verdicts.put(each.getValue(), compare(each, payload)));
            Instant last = onTime.get(onTime.size() - 1).getTimestamp();
            verdicts.put(
                unique,
                new Verdict<>(UNIQUE, unique, new Remembered(key, payload, last.plus(HORIZON))));
          }
        });
    return verdicts.values();
  }

  private static Verdict<Row> compare(TimestampedValue<Row> copy, long payload) {
    boolean same = Clicks.payload(copy.getValue().getInt64("value")) == payload;
    return verdict(same ? DUPLICATE : CONFLICT, copy);
  }
}
