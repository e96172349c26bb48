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
package dev.idem.io.http;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.file.DurableFiles;
import dev.idem.io.file.FileObserver;
import dev.idem.io.file.FileOperation;
import dev.idem.io.http.EffectServer.Fault;
import dev.idem.testing.Covers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.beam.sdk.Pipeline;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that forgets keys after an hour, and a ledger that remembers for ten. */
class SentLedgerTest {

  private static final Duration KEY_MEMORY = Duration.ofHours(1);
  private static final Duration RETENTION = Duration.ofHours(10);

  @TempDir private Path directory;
  private SettableClock clock;

  @BeforeEach
  void setClock() {
    clock = new SettableClock("2026-03-01T10:00:00Z");
  }

  private WriteHttpEffects<Note> write(EffectServer server) {
    return Sending.post(server.url("/notes"))
        .withShards(1)
        .withRetries(3, org.joda.time.Duration.millis(1), org.joda.time.Duration.millis(2))
        .withClock(clock)
        .withLedger(
            SentLedger.in(directory.toString(), Map.of(), RETENTION),
            org.joda.time.Duration.standardHours(1));
  }

  private static List<Note> records(Sending.Outputs outputs) {
    return outputs.dead().stream().map(letter -> letter.record()).toList();
  }

  @Covers.Row({56, 61})
  @Test
  void whatIsSettledIsNeverAskedAgain() throws Exception {
    try (EffectServer server = new EffectServer((number, request) -> Fault.NONE)) {
      Sending.run(Note.of(0, 30), write(server).withBatchSize(7));
      server.forgetKeys();
      clock.add(Duration.ofHours(9));

      Sending.Outputs again = Sending.run(Note.of(0, 31), write(server).withBatchSize(11));

      server.assertHasOnce("/notes", Note.of(0, 31));
      assertThat(server.asked(), is(31));
      assertThat(again.written(), is(List.of(Note.of(30))));
      assertThat(again.alreadyWritten(), containsInAnyOrder(Note.of(0, 30).toArray()));
    }
  }

  @Covers.Row({61, 72})
  @Test
  void unknownOutcomeIsAskedForWhileTheServerKnowsTheKeyAndIsADeadLetterAfterwards()
      throws Exception {
    long seed = System.nanoTime();
    System.out.println("SentLedgerTest seed " + seed);
    Random random = new Random(seed);
    Set<Integer> lost = new HashSet<>(Set.of(3));
    for (int i = 0; i < 5; i++) {
      lost.add(random.nextInt(40));
    }
    boolean[] down = {true};
    EffectServer.Faults faults =
        (number, request) -> {
          int id = Integer.parseInt(request.body().substring(1, request.body().indexOf(' ')));
          // Applied, and the answer is lost, as long as the first run lasts.
          return down[0] && lost.contains(id) ? Fault.ANSWER_LOST : Fault.NONE;
        };
    try (EffectServer server = new EffectServer(faults)) {
      List<Note> notes = Note.of(0, 40);
      assertThrows(
          Pipeline.PipelineExecutionException.class, () -> Sending.run(notes, write(server)));
      server.assertHasOnce("/notes", notes);
      int asked = server.asked();
      down[0] = false;
      List<Note> unknown = notes.stream().filter(n -> lost.contains(number(n))).toList();
      List<Note> known = notes.stream().filter(n -> !lost.contains(number(n))).toList();

      // Half of them are asked for again in time, by another run.
      clock.add(Duration.ofMinutes(59));
      Sending.Outputs inTime = Sending.run(unknown.subList(0, unknown.size() / 2), write(server));
      assertThat(
          inTime.alreadyWritten(),
          containsInAnyOrder(unknown.subList(0, unknown.size() / 2).toArray()));
      assertThat(server.asked(), is(asked + unknown.size() / 2));

      // Then the server has forgotten everything.
      server.forgetKeys();
      clock.add(Duration.ofMinutes(1));
      Sending.Outputs late = Sending.run(notes, write(server));

      server.assertHasOnce("/notes", notes);
      List<Note> left = unknown.subList(unknown.size() / 2, unknown.size());
      assertThat(records(late), containsInAnyOrder(left.toArray()));
      late.dead()
          .forEach(
              letter -> {
                assertThat(letter.errorClass(), is("unknown"));
                assertThat(
                    letter.message(),
                    allOf(containsString("2026-03-01T10:00:00Z"), containsString("PT1H")));
              });
      assertThat(late.written(), is(empty()));
      List<Note> settled = new ArrayList<>(known);
      settled.addAll(unknown.subList(0, unknown.size() / 2));
      assertThat(late.alreadyWritten(), containsInAnyOrder(settled.toArray()));
      assertThat(server.asked(), is(asked + unknown.size() / 2));

      // A dead letter is one again in every replay until the ledger forgets.
      clock.add(Duration.ofHours(8));
      assertThat(records(Sending.run(notes, write(server))).size(), is(left.size()));
      server.assertHasOnce("/notes", notes);
    }
  }

  private static int number(Note note) {
    return Integer.parseInt(note.id().substring(1));
  }

  @Test
  void attemptThatWasPausedUntilTheServerForgotSendsNothing() throws Exception {
    // The clock goes on by an hour during the third request, as if the process had been paused.
    try (EffectServer server =
        new EffectServer(
            (number, request) -> {
              if (number == 3) {
                clock.add(KEY_MEMORY);
              }
              return Fault.NONE;
            })) {
      Sending.Outputs outputs = Sending.run(Note.of(0, 8), write(server));

      assertThat(server.asked(), is(3));
      assertThat(outputs.written().size(), is(3));
      assertThat(outputs.dead().size(), is(5));
      outputs.dead().forEach(letter -> assertThat(letter.errorClass(), is("unknown")));
    }
  }

  @Test
  void timeThatARequestMayTakeIsSpared() throws Exception {
    boolean[] down = {true};
    try (EffectServer server =
        new EffectServer((number, request) -> down[0] ? Fault.ANSWER_LOST : Fault.NONE)) {
      assertThrows(
          Pipeline.PipelineExecutionException.class,
          () -> Sending.run(Note.of(0, 1), write(server)));
      int asked = server.asked();
      down[0] = false;
      // A request may take 30 seconds; 20 are left.
      clock.add(KEY_MEMORY.minusSeconds(20));

      Sending.Outputs outputs = Sending.run(Note.of(0, 1), write(server));

      assertThat(server.asked(), is(asked));
      assertThat(outputs.dead().get(0).errorClass(), is("unknown"));
    }
  }

  @Test
  void rejectionIsRepeatedOnceTheServerHasForgottenIt() throws Exception {
    boolean[] strict = {true};
    try (EffectServer server =
        new EffectServer((number, request) -> strict[0] ? Fault.status(422) : Fault.NONE)) {
      Sending.run(Note.of(0, 1), write(server));
      strict[0] = false;
      clock.add(KEY_MEMORY);

      Sending.Outputs outputs = Sending.run(Note.of(0, 1), write(server));

      assertThat(server.asked(), is(1));
      assertThat(outputs.dead().get(0).errorClass(), is("http 422"));
    }
  }

  @Test
  void entriesOlderThanTheRetentionGo() throws Exception {
    try (EffectServer server = new EffectServer((number, request) -> Fault.NONE)) {
      for (int day = 0; day < 8; day++) {
        Sending.run(Note.of(day * 10, day * 10 + 10), write(server));
        clock.add(Duration.ofHours(5));
      }

      try (Stream<Path> files = Files.list(directory)) {
        assertThat(files.count(), is(lessThanOrEqualTo(6L)));
      }
    }
  }

  @Test
  void firstNoteStandsForOtherProcessesToo() throws Exception {
    Instant first = clock.instant();
    Instant second = first.plus(KEY_MEMORY);
    SentLedger.Log one = SentLedger.in(directory.toString(), Map.of(), RETENTION).open();
    // Another retention is another ledger in memory, as another process would have.
    SentLedger.Log other =
        SentLedger.in(directory.toString(), Map.of(), RETENTION.plusMinutes(1)).open();

    one.note(List.of("a", "b"), first);
    Map<String, SentLedger.Entry> seen = other.note(List.of("b", "c"), second);
    other.settle(Map.of("b", new SentLedger.Result.Written()), second);

    assertThat(seen.get("b").since(), is(first));
    assertThat(seen.get("c").since(), is(second));
    assertThat(
        one.note(List.of("b"), second).get("b").result().orElseThrow(),
        is(new SentLedger.Result.Written()));
    assertThat(one.note(List.of("c"), second).get("c").since(), is(second));
  }

  @Test
  void ofTwoThatNoteAtTheSameTimeOneIsToldOfTheOther() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    Instant early = clock.instant();
    Instant late = early.plusSeconds(1);
    for (int round = 0; round < 50; round++) {
      Path place = directory.resolve("r" + round);
      CyclicBarrier barrier = new CyclicBarrier(2);
      List<Callable<Instant>> both = new ArrayList<>();
      for (Instant now : List.of(early, late)) {
        SentLedger.Log log =
            SentLedger.in(place.toString(), Map.of(), RETENTION.plus(Duration.between(early, now)))
                .open();
        both.add(
            () -> {
              barrier.await();
              return log.note(List.of("k"), now).get("k").since();
            });
      }
      List<Instant> seen = new ArrayList<>();
      for (Future<Instant> each : threads.invokeAll(both)) {
        seen.add(each.get());
      }
      // The early one knows its own note; the late one too, or it wrote before the early one.
      SentLedger.Log third =
          SentLedger.in(place.toString(), Map.of(), RETENTION.plusDays(1)).open();
      Instant stands = third.note(List.of("k"), late.plusSeconds(1)).get("k").since();
      assertThat(new TreeSet<>(seen).first(), is(stands));
    }
    threads.shutdown();
  }

  @Test
  void noteThatAnotherProcessWritesMeanwhileStandsIfItIsEarlier() throws Exception {
    Instant early = clock.instant();
    Instant late = early.plusSeconds(1);
    SentLedger.Log one = SentLedger.in(directory.toString(), Map.of(), RETENTION).open();
    SentLedger.Log other =
        SentLedger.in(directory.toString(), Map.of(), RETENTION.plusMinutes(1)).open();
    List<String> left = new ArrayList<>(List.of("k"));
    FileObserver observer =
        new FileObserver() {
          @Override
          public void before(FileOperation operation) throws IOException {
            // The late one has looked, and is about to publish its note.
            if (operation.kind() == FileOperation.Kind.LINK && !left.isEmpty()) {
              other.note(List.of(left.remove(0)), early);
            }
          }

          @Override
          public void after(FileOperation operation) {
            // Only what comes before counts.
          }
        };

    Instant since;
    DurableFiles.Observation observation = DurableFiles.observe(directory, observer);
    try {
      since = one.note(List.of("k"), late).get("k").since();
    } finally {
      observation.close();
    }

    assertThat(since, is(early));
  }

  @Test
  void damagedFileIsRefused() throws Exception {
    SentLedger.in(directory.toString()).open().note(List.of("a", "b"), clock.instant());
    Path file;
    try (Stream<Path> files = Files.list(directory)) {
      file = files.findFirst().orElseThrow();
    }
    Files.writeString(file, Files.readString(file).replace("b\n", ""));
    SentLedger.Log other =
        SentLedger.in(directory.toString(), Map.of(), Duration.ofDays(31)).open();

    var e =
        assertThrows(IllegalStateException.class, () -> other.note(List.of("c"), clock.instant()));

    assertThat(e.getMessage(), containsString("must be whole"));
  }

  @Test
  void memoryOfKeysLiesBetweenTheTimeOfARequestAndTheRetention() throws Exception {
    try (EffectServer server = new EffectServer((number, request) -> Fault.NONE)) {
      WriteHttpEffects<Note> write = Sending.post(server.url("/notes"));
      SentLedger ledger = SentLedger.in(directory.toString(), Map.of(), RETENTION);

      var tooLong =
          assertThrows(
              IllegalArgumentException.class,
              () -> write.withLedger(ledger, org.joda.time.Duration.standardHours(10)));
      var tooShort =
          assertThrows(
              IllegalArgumentException.class,
              () ->
                  Sending.run(
                      Note.of(0, 1),
                      write.withLedger(ledger, org.joda.time.Duration.standardSeconds(30))));

      assertThat(tooLong.getMessage(), containsString("Retention of a ledger must be longer"));
      assertThat(tooShort.getMessage(), containsString("Memory of keys must be longer"));
    }
  }
}
