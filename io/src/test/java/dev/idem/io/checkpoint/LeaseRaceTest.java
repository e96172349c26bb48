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
import static org.hamcrest.Matchers.is;

import dev.idem.io.file.MemoryDirectory;
import dev.idem.io.file.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeaseRaceTest {

  private static final int ROUNDS = 200;

  @TempDir(factory = MemoryDirectory.class)
  Path root;

  private Path location;
  private Storage storage;
  private CheckpointFiles files;

  @BeforeEach
  void locate() {
    location = root.resolve("checkpoint");
    storage = Storage.at("Checkpoint", location.toString(), Map.of());
    files = new CheckpointFiles(storage);
  }

  private Lease acquire(String host, String run) throws IOException {
    return Lease.acquire(files, Batches.owner(host, run), Batches.watch());
  }

  @Test
  void exactlyOneOfTwoTakersOfADeadLeaseWins() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    CyclicBarrier barrier = new CyclicBarrier(2);
    acquire("a", "dead").abandon();
    try {
      for (int round = 0; round < ROUNDS; round++) {
        List<Future<Object>> results = new ArrayList<>();
        for (String run : List.of("left-" + round, "right-" + round)) {
          results.add(threads.submit(() -> take(barrier, files, Batches.owner("a", run))));
        }
        assertOneWinner(results.get(0).get(), results.get(1).get(), round + 2);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void exactlyOneOfTwoHostsWinsWhereNoLockIsShared() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    CyclicBarrier barrier = new CyclicBarrier(2);
    acquire("a", "dead").close();
    CheckpointFiles left = withOwnLocks("left");
    CheckpointFiles right = withOwnLocks("right");
    try {
      for (int round = 0; round < ROUNDS; round++) {
        LeaseOwner one = Batches.owner("left", "left-" + round);
        LeaseOwner two = Batches.owner("right", "right-" + round);
        Future<Object> first = threads.submit(() -> takeUnlocked(barrier, left, one));
        Future<Object> second = threads.submit(() -> takeUnlocked(barrier, right, two));
        Object winner = assertOneWinner(first.get(), second.get(), round + 2);
        ((Lease) winner).close();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static Object take(CyclicBarrier barrier, CheckpointFiles files, LeaseOwner me)
      throws Exception {
    barrier.await();
    Object result;
    try {
      result = Lease.acquire(files, me, Batches.watch());
    } catch (LeaseHeldException e) {
      result = e;
    }
    barrier.await();
    if (result instanceof Lease lease) {
      lease.abandon();
    }
    return result;
  }

  private static Object takeUnlocked(CyclicBarrier barrier, CheckpointFiles files, LeaseOwner me)
      throws Exception {
    barrier.await();
    try {
      return Lease.acquireNext(files, me, Batches.watch());
    } catch (LeaseHeldException e) {
      return e;
    }
  }

  private static Object assertOneWinner(Object first, Object second, long generation) {
    boolean firstWon = first instanceof Lease;
    Object winner = firstWon ? first : second;
    Object loser = firstWon ? second : first;
    assertThat(((Lease) winner).generation(), is(generation));
    assertThat(((LeaseHeldException) loser).holder(), is(((Lease) winner).owner()));
    assertThat(((LeaseHeldException) loser).generation(), is(generation));
    return winner;
  }

  /** The same files as another host sees them: its locks are invisible here and ours there. */
  private CheckpointFiles withOwnLocks(String host) throws IOException {
    Path locks = root.resolve("locks-of-" + host);
    Files.createDirectories(locks.resolve(Lease.DIRECTORY));
    return new CheckpointFiles(storage, Optional.of(locks));
  }

  @Test
  void exactlyOneOfTwoProcessesWinsADeadLease() throws Exception {
    int won = 0;
    try (CheckpointMain job = CheckpointMain.start(location)) {
      for (int round = 0; round < ROUNDS; round++) {
        job.open();
        Object ours;
        try {
          ours = Checkpoint.open(location.toString(), Batches.APPLICATION, Clock.systemUTC());
        } catch (LeaseHeldException e) {
          ours = e;
        }
        String theirs = job.answer();
        if (ours instanceof Checkpoint mine) {
          won++;
          LeaseOwner me = mine.lease().owner();
          assertThat(mine.lease().generation(), is(round + 1L));
          assertThat(theirs, is("refused by " + me.pid() + " " + me.run()));
          mine.lease().abandon();
        } else {
          LeaseOwner winner = ((LeaseHeldException) ours).holder();
          assertThat(theirs, is("won " + (round + 1) + " " + winner.run()));
          job.abandon();
          assertThat(job.answer(), is("abandoned"));
        }
      }
    }
    System.out.println("Rounds won by this process: " + won + " of " + ROUNDS);
  }
}
