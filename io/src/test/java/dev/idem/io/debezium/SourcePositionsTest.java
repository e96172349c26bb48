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
package dev.idem.io.debezium;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SourcePositionsTest {
  private static final String SOURCE = "postgresql/shop/d";
  private static final Duration SECOND = SourcePositions.DEFAULT_TOLERANCE;

  /** An event of partition 0 at its offset; time in seconds. */
  private record Event(long offset, long position, long second) {
    SourcePosition at() {
      return new SourcePosition(SOURCE, List.of(position), second * 1000);
    }
  }

  private static SourcePositions positions(List<Event> events) {
    SourcePositions positions = new SourcePositions();
    events.forEach(event -> positions.add("orders-0", event.offset(), event.at()));
    return positions;
  }

  private static Optional<PositionWentBack> wentBack(Event... events) {
    return positions(List.of(events)).wentBack(SECOND);
  }

  private static Optional<PositionWentBack> found(Event earlier, Event later) {
    return Optional.of(
        new PositionWentBack(
            "orders-0", earlier.at(), earlier.offset(), later.at(), later.offset()));
  }

  @Test
  void anEventThatIsLaterAtAnEarlierPositionIsFound() {
    Event last = new Event(1, 200, 20);
    Event afterFailover = new Event(2, 150, 40);

    assertThat(
        wentBack(new Event(0, 100, 10), last, afterFailover), equalTo(found(last, afterFailover)));
  }

  @Test
  void eventsThatAreSentAgainAreNoLater() {
    assertThat(
        wentBack(
            new Event(0, 100, 10),
            new Event(1, 200, 20),
            new Event(2, 100, 10),
            new Event(3, 200, 20),
            new Event(4, 300, 30)),
        is(Optional.empty()));
  }

  @Test
  void longTransactionsOfABinlogAreEarlierAtALaterPosition() {
    assertThat(
        wentBack(new Event(0, 100, 3600), new Event(1, 200, 10), new Event(2, 210, 3610)),
        is(Optional.empty()));
    // Sent again, the first event is before the long transaction, but not for the first time.
    assertThat(
        wentBack(
            new Event(0, 100, 3600),
            new Event(1, 200, 10),
            new Event(2, 100, 3600),
            new Event(3, 200, 10)),
        is(Optional.empty()));
  }

  @Test
  void oneThatHasPassedTheEarlierPositionAgainIsFoundToo() {
    Event last = new Event(0, 200, 20);
    Event back = new Event(1, 150, 40);

    assertThat(wentBack(last, back, new Event(2, 300, 60)), equalTo(found(last, back)));
  }

  @Test
  void itIsFoundInALaterBatch() {
    Event last = new Event(0, 200, 20);
    Event back = new Event(9, 150, 40);
    SourcePositions kept = positions(List.of(new Event(1, 100, 10), last)).settled();

    SourcePositions next = SourcePositions.fromJson(kept.toJson());
    next.merge(positions(List.of(back)));

    assertThat(next.wentBack(SECOND), equalTo(found(last, back)));
    assertThat(
        kept.toJson(),
        is(
            "{\"version\":1,\"places\":[{\"partition\":\"orders-0\",\"source\":\"postgresql/shop/d\","
                + "\"shift\":0,\"before\":[[0,20000,200]],\"stretches\":[]}]}"));
  }

  @Test
  void partitionsAndSourcesAreApart() {
    SourcePositions positions = positions(List.of(new Event(0, 200, 20)));
    positions.add("orders-1", 1, new Event(1, 150, 40).at());
    positions.add("orders-0", 1, new SourcePosition("postgresql/other/d", List.of(1L), 40_000));

    assertThat(positions.wentBack(SECOND), is(Optional.empty()));
  }

  @Test
  void theToleranceIsHowMuchLaterAnEventMustBe() {
    List<Event> events = List.of(new Event(0, 200, 20), new Event(1, 150, 30));

    assertThat(positions(events).wentBack(Duration.ofSeconds(10)), is(Optional.empty()));
    assertThat(positions(events).wentBack(Duration.ofMillis(9999)).isPresent(), is(true));
    assertThat(
        assertThrows(
                IllegalArgumentException.class,
                () -> positions(events).wentBack(Duration.ofMillis(-1)))
            .getMessage(),
        is("Tolerance must not be negative, but was: PT-0.001S. Use zero or a second."));
  }

  @Test
  void theMessageSaysWhatToDo() {
    assertThat(
        wentBack(new Event(7, 200, 20), new Event(8, 150, 40)).orElseThrow().message(),
        is(
            "Position in the log of source \"postgresql/shop/d\" must not go back, but was: [150] at"
                + " offset 8 of \"orders-0\" (1970-01-01T00:00:40Z), after [200] at offset 7"
                + " (1970-01-01T00:00:20Z). The database was failed over or restored: changes that"
                + " it lost have been applied, and new ones would count as older than they are."
                + " Empty the table and begin anew with a new snapshot."));
  }

  @Test
  void otherTextIsNotTakenForPositions() {
    for (String text : List.of("", "{}", "[", "{\"version\":2}", "null")) {
      assertThat(
          text,
          assertThrows(IllegalArgumentException.class, () -> SourcePositions.fromJson(text))
              .getMessage(),
          is(
              "Positions of sources must be JSON that SourcePositions wrote, but was: other text."
                  + " Give what the last batch kept."));
    }
  }

  /** A log as a connector sends it: commits in order, events sent again, long transactions. */
  private static List<Event> log(Random random, int events) {
    List<Event> log = new ArrayList<>();
    long position = 1000;
    long second = 1000;
    for (int offset = 0; offset < events; offset++) {
      if (log.size() > 3 && random.nextInt(10) == 0) {
        int from = log.size() - 1 - random.nextInt(Math.min(log.size(), 20));
        int to = Math.min(log.size(), from + 1 + random.nextInt(20));
        for (Event again : List.copyOf(log.subList(from, to))) {
          log.add(new Event(log.size(), again.position(), again.second()));
        }
      }
      position += random.nextInt(5);
      second += random.nextInt(100);
      boolean longTransaction = random.nextInt(10) == 0;
      log.add(
          new Event(log.size(), position, longTransaction ? second - random.nextInt(999) : second));
    }
    return log;
  }

  /** What a database that lost the last changes goes on with: some events behind, some more. */
  private static List<Event> failedOver(List<Event> log, Random random, int behind) {
    List<Event> all = new ArrayList<>(log);
    long highest = log.stream().mapToLong(Event::position).max().orElseThrow();
    long latest = log.stream().mapToLong(Event::second).max().orElseThrow();
    for (int i = 0; i < behind + 10; i++) {
      latest += 2 + random.nextInt(100);
      all.add(new Event(all.size(), highest - behind + i, latest));
    }
    return all;
  }

  /** The rule itself, on a log in order. */
  private static Optional<PositionWentBack> byTheRule(List<Event> log) {
    Event highest = null;
    long latest = Long.MIN_VALUE;
    for (Event event : log) {
      if (highest != null
          && event.position() < highest.position()
          && event.second() > latest + SECOND.toSeconds()) {
        return found(highest, event);
      }
      highest = highest == null || event.position() > highest.position() ? event : highest;
      latest = Math.max(latest, event.second());
    }
    return Optional.empty();
  }

  /** Adds events in random order, to random instances, that are merged in random order. */
  private static SourcePositions scattered(List<Event> log, Random random) {
    List<Event> shuffled = new ArrayList<>(log);
    Collections.shuffle(shuffled, random);
    List<SourcePositions> workers = new ArrayList<>();
    int count = 1 + random.nextInt(5);
    for (int i = 0; i < count; i++) {
      workers.add(new SourcePositions());
    }
    shuffled.forEach(
        event -> workers.get(random.nextInt(count)).add("orders-0", event.offset(), event.at()));
    SourcePositions all = new SourcePositions();
    workers.forEach(worker -> all.merge(SourcePositions.fromJson(worker.toJson())));
    return all;
  }

  @Test
  void neitherOrderNorGroupingMatters() {
    long seed = 7;
    Random random = new Random(seed);
    int back = 0;

    for (int i = 0; i < 1000; i++) {
      List<Event> log = log(random, 1 + random.nextInt(200));
      List<Event> events =
          random.nextBoolean() ? failedOver(log, random, 1 + random.nextInt(50)) : log;
      SourcePositions inOrder = positions(events);
      SourcePositions scattered = scattered(events, random);

      assertThat("seed " + seed + ", " + i, scattered, equalTo(inOrder));
      assertThat(scattered.wentBack(SECOND), equalTo(inOrder.wentBack(SECOND)));
      back += inOrder.wentBack(SECOND).isPresent() ? 1 : 0;
    }

    assertThat("seed " + seed, back, greaterThan(300));
  }

  @Test
  void fewEventsAreJudgedByTheRuleItself() {
    long seed = 8;
    Random random = new Random(seed);

    for (int i = 0; i < 1000; i++) {
      List<Event> events = log(random, 1 + random.nextInt(20));
      if (random.nextBoolean()) {
        events = failedOver(events, random, 1 + random.nextInt(50));
      }
      events = events.subList(0, Math.min(events.size(), 256));

      assertThat(
          "seed " + seed + ", " + i + ": " + events,
          scattered(events, random).wentBack(SECOND),
          equalTo(byTheRule(events)));
    }
  }

  @Test
  void batchesDoNotMatterEither() {
    long seed = 9;
    Random random = new Random(seed);
    int back = 0;

    for (int i = 0; i < 500; i++) {
      List<Event> log = log(random, 20 + random.nextInt(200));
      List<Event> events = i % 2 == 0 ? failedOver(log, random, 1 + random.nextInt(50)) : log;
      SourcePositions kept = new SourcePositions();
      Optional<PositionWentBack> found = Optional.empty();
      for (int from = 0; from < events.size() && found.isEmpty(); ) {
        int to = Math.min(events.size(), from + 1 + random.nextInt(256));
        SourcePositions all = SourcePositions.fromJson(kept.toJson());
        all.merge(scattered(events.subList(from, to), random));
        found = all.wentBack(SECOND);
        kept = all.settled();
        from = to;
      }

      assertThat("seed " + seed + ", " + i, found, equalTo(byTheRule(events)));
      back += found.isPresent() ? 1 : 0;
    }

    assertThat("seed " + seed, back, greaterThan(200));
  }

  @Test
  void ofManyEventsALogIsFoundThatStaysBehindForTwoStretches() {
    long seed = 10;
    Random random = new Random(seed);

    for (int i = 0; i < 200; i++) {
      List<Event> log = log(random, 2000);
      // Some 2,300 offsets are stretches of 16.
      List<Event> failedOver = failedOver(log, random, 32);

      assertThat("seed " + seed + ", " + i, positions(log).wentBack(SECOND), is(Optional.empty()));
      assertThat(
          "seed " + seed + ", " + i, positions(failedOver).wentBack(SECOND).isPresent(), is(true));
    }
  }

  @Test
  void whatIsKeptIsBounded() {
    SourcePositions positions = new SourcePositions();
    for (int i = 0; i < 100_000; i++) {
      positions.add("orders-0", 5_000_000L + i, new Event(i, i, i).at());
    }

    assertThat(positions.toJson().length(), lessThan(12_000));
    assertThat(positions.settled().toJson().length(), lessThan(200));
  }
}
