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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.file.DurableFiles;
import dev.idem.io.file.MemoryDirectory;
import dev.idem.io.file.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeaseTest {

  @TempDir(factory = MemoryDirectory.class)
  Path root;

  private Path location;
  private CheckpointFiles files;

  @BeforeEach
  void locate() {
    location = root.resolve("checkpoint");
    files = new CheckpointFiles(Storage.at("Checkpoint", location.toString(), Map.of()));
  }

  private Lease acquire(String host, String run) throws IOException {
    return Lease.acquire(files, Batches.owner(host, run), Batches.watch());
  }

  @Test
  void secondJobOfTheSameJvmIsRefusedByName() throws IOException {
    try (Lease first = acquire("a", "run-1")) {
      var e = assertThrows(LeaseHeldException.class, () -> acquire("a", "run-2"));

      assertThat(e.holder(), is(first.owner()));
      assertThat(e.generation(), is(1L));
      assertThat(e.isOnThisHost(), is(true));
      assertThat(
          e.getMessage(),
          is(
              "Checkpoint \""
                  + location
                  + "\" must have no other job at work, but was: under live lease 1 of process 4711"
                  + " on host \"a\", run run-1, since 2026-03-01T10:15:30Z. Stop that process, or"
                  + " wait for its end."));
    }
  }

  @Test
  void releasedLeaseGoesToAnyHostAtOnce() throws IOException {
    acquire("a", "run-1").close();

    try (Lease second = acquire("b", "run-2")) {
      assertThat(second.generation(), is(2L));
      second.assertHeld();
    }
  }

  @Test
  void deadJobsLeaseGoesToItsOwnHostAtOnceAndToNoOtherHost() throws IOException {
    acquire("a", "run-1").abandon();

    var e = assertThrows(LeaseHeldException.class, () -> acquire("b", "run-2"));
    assertThat(e.isOnThisHost(), is(false));
    assertThat(e.getMessage(), containsString("wait until its heartbeat stands still"));
    try (Lease second = acquire("a", "run-3")) {
      assertThat(second.generation(), is(2L));
    }
  }

  @Test
  void otherHostTakesOverOnlyAfterTheHeartbeatStoodStillForLongEnough() throws IOException {
    MovableClock clock = new MovableClock();
    LeaseWatch watch = new LeaseWatch(clock, Duration.ofSeconds(60));
    LeaseOwner other = Batches.owner("b", "run-2");

    try (Lease first = acquire("a", "run-1")) {
      refuse(other, watch);
      clock.plus(59);
      refuse(other, watch);
      first.beat();
      clock.plus(1);
      refuse(other, watch);
      clock.plus(59);
      refuse(other, watch);
      clock.plus(1);
      try (Lease second = Lease.acquire(files, other, watch)) {
        assertThat(second.generation(), is(2L));
        second.assertHeld();
        var e = assertThrows(LeaseLostException.class, first::assertHeld);
        assertThat(e.ours(), is(1L));
        assertThat(e.current(), is(2L));
        assertThat(e.getMessage(), containsString("but was: 2 of process 4711 on host \"b\""));
      }
    }
  }

  private void refuse(LeaseOwner other, LeaseWatch watch) {
    assertThrows(LeaseHeldException.class, () -> Lease.acquire(files, other, watch));
  }

  @Test
  void stoppedHolderThatWasTakenOverPublishesNothing() throws IOException {
    MovableClock clock = new MovableClock();
    LeaseWatch watch = new LeaseWatch(clock, Duration.ofSeconds(60));
    String place = location.toString();
    Checkpoint stopped =
        Checkpoint.open(
            place, Batches.APPLICATION, clock, Batches.owner("a", "run-1"), Batches.watch());
    Plan plan = Batches.plan(0, stopped.epoch(), 1);
    stopped.publishPlan(plan);
    LeaseOwner taker = Batches.owner("b", "run-2");
    assertThrows(
        LeaseHeldException.class,
        () -> Checkpoint.open(place, Batches.APPLICATION, clock, taker, watch));
    clock.plus(60);

    try (Checkpoint current = Checkpoint.open(place, Batches.APPLICATION, clock, taker, watch)) {
      assertThrows(LeaseLostException.class, () -> stopped.publishCommit(Batches.commit(plan)));
      assertThrows(LeaseLostException.class, () -> stopped.replan(plan));
      assertThrows(LeaseLostException.class, () -> stopped.bind(java.util.Map.of("keys", "a")));
      assertThrows(LeaseLostException.class, stopped::moveAside);
      stopped.close();

      assertThat(DurableFiles.list(location.resolve("offsets")), contains("0"));
      assertThat(DurableFiles.list(location.resolve("commits")), is(List.of()));
      assertThat(Files.exists(location.resolve("bound")), is(false));
      assertThat(current.plan(0).orElseThrow(), is(plan));
      current.publishCommit(Batches.commit(plan));
    }
  }

  @Test
  void holderThatWasTakenOverPlansNothing() throws IOException {
    MovableClock clock = new MovableClock();
    LeaseWatch watch = new LeaseWatch(clock, Duration.ofSeconds(60));
    String place = location.toString();
    LeaseOwner taker = Batches.owner("b", "run-2");
    try (Checkpoint stopped =
        Checkpoint.open(
            place, Batches.APPLICATION, clock, Batches.owner("a", "run-1"), Batches.watch())) {
      assertThrows(
          LeaseHeldException.class,
          () -> Checkpoint.open(place, Batches.APPLICATION, clock, taker, watch));
      clock.plus(60);
      try (Checkpoint current = Checkpoint.open(place, Batches.APPLICATION, clock, taker, watch)) {
        Plan plan = Batches.plan(0, current.epoch(), 1);
        assertThrows(LeaseLostException.class, () -> stopped.publishPlan(plan));
        assertThrows(LeaseLostException.class, () -> stopped.restore(plan));
        assertThat(DurableFiles.list(location.resolve("offsets")), is(List.of()));
      }
    }
  }

  @Test
  void hostsThatShareANameAreToldApartByAProperty() {
    String own = LeaseOwner.current(Batches.CLOCK).host();
    System.setProperty("idem.host", own + "-2");
    try {
      assertThat(LeaseOwner.current(Batches.CLOCK).host(), is(own + "-2"));
    } finally {
      System.clearProperty("idem.host");
    }
  }

  @Test
  void vanishedLeaseIsLost() throws IOException {
    try (Lease lease = acquire("a", "run-1")) {
      Files.delete(location.resolve("lease/1"));

      var e = assertThrows(LeaseLostException.class, lease::assertHeld);
      assertThat(e.current(), is(-1L));
    }
  }

  @Test
  void failingHeartbeatFailsTheNextEntry() throws IOException {
    try (Lease lease = acquire("a", "run-1")) {
      Files.createDirectory(location.resolve("lease/1.beat"));
      lease.beatOrFail();
      var e = assertThrows(IOException.class, lease::assertHeld);
      assertThat(e.getMessage(), containsString("Heartbeat of lease 1 must be written"));

      Files.delete(location.resolve("lease/1.beat"));
      lease.beatOrFail();
      lease.assertHeld();
      assertThat(Lease.counter(files, 1), is(2L));
    }
  }

  @Test
  void damagedLeaseIsNotTaken() throws IOException {
    acquire("a", "run-1").close();
    Files.write(location.resolve("lease/1"), new byte[] {1});

    var e = assertThrows(DamagedEntryException.class, () -> acquire("a", "run-2"));
    assertThat(e.getMessage(), containsString("Delete it once no job runs on this checkpoint."));
  }

  @Test
  void oldGenerationsAreRemoved() throws IOException {
    for (int start = 1; start <= 15; start++) {
      acquire("a", "run-" + start).close();
    }

    List<String> numbers =
        DurableFiles.list(location.resolve("lease")).stream()
            .filter(EntryNames::isNumber)
            .sorted(java.util.Comparator.comparing(Long::parseLong))
            .toList();
    assertThat(numbers, is(List.of("5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15")));
  }

  @Test
  void otherProcessIsRefusedUntilTheHolderIsKilled() throws Exception {
    try (CheckpointMain job = CheckpointMain.start(location)) {
      job.open();
      assertThat(job.answer(), containsString("won 1 "));

      var e =
          assertThrows(
              LeaseHeldException.class,
              () -> Checkpoint.open(location.toString(), Batches.APPLICATION, Clock.systemUTC()));
      assertThat(e.holder().pid(), is(job.pid()));
      assertThat(e.holder().pid(), is(not(ProcessHandle.current().pid())));

      job.kill();
      try (Checkpoint next =
          Checkpoint.open(location.toString(), Batches.APPLICATION, Clock.systemUTC())) {
        assertThat(next.lease().generation(), is(2L));
      }
    }
  }

  @Test
  void refusalInsideTheJvmDoesNotFreeTheLockForOtherProcesses() throws Exception {
    try (CheckpointMain job = CheckpointMain.start(location);
        Checkpoint held =
            Checkpoint.open(location.toString(), Batches.APPLICATION, Clock.systemUTC())) {
      assertThrows(
          LeaseHeldException.class,
          () -> Checkpoint.open(location.toString(), Batches.APPLICATION, Clock.systemUTC()));

      job.open();

      LeaseOwner owner = held.lease().owner();
      assertThat(job.answer(), is("refused by " + owner.pid() + " " + owner.run()));
      held.lease().assertHeld();
    }
  }

  /** A clock that goes only when told. */
  private static final class MovableClock extends Clock {
    private Instant now = Batches.NOW;

    void plus(long seconds) {
      now = now.plusSeconds(seconds);
    }

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public java.time.ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(java.time.ZoneId zone) {
      return this;
    }
  }
}
