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
package dev.idem.pipelines.quickstart.cdc;

import dev.idem.pipelines.quickstart.environment.QuickstartErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Transactions of several connections at once, the same for the same seed, with pauses for as long
 * as nobody hurries them.
 */
final class Workload implements AutoCloseable {

  static final long SEED = 20_261_130;
  static final int TELLERS = 4;
  static final int LEAST = 100;
  static final int MOST = 1_000_000;

  private static final int FIRST_ROWS = 123;
  private static final Duration PAUSE = Duration.ofMillis(12);

  private final Database database;
  private final List<Teller> tellers = new ArrayList<>();
  private final ExecutorService threads = Executors.newFixedThreadPool(TELLERS);
  private final List<Future<Tally>> running = new ArrayList<>();
  private final CountDownLatch hurry = new CountDownLatch(1);
  private final AtomicLong done = new AtomicLong();

  Workload(Database database) {
    this.database = database;
    for (int number = 0; number < TELLERS; number++) {
      tellers.add(new Teller(number, TELLERS, SEED));
    }
  }

  /** Inserts the rows that are there before anything is captured, and returns how many. */
  long insertFirstRows() throws SQLException {
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      Teller.insertShared(connection, SEED);
      for (Teller teller : tellers) {
        teller.insert(connection, FIRST_ROWS);
      }
      connection.commit();
    }
    return Teller.SHARED + (long) TELLERS * FIRST_ROWS;
  }

  /** Begins to run transactions. */
  void start(int transactions) {
    for (int number = 0; number < TELLERS; number++) {
      Teller teller = tellers.get(number);
      int share = transactions / TELLERS + (number < transactions % TELLERS ? 1 : 0);
      running.add(threads.submit(() -> run(teller, share)));
    }
  }

  private Tally run(Teller teller, int transactions) throws SQLException {
    Tally all = Tally.NOTHING;
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < transactions; i++) {
        all = all.plus(teller.transaction(connection, this::pause));
        done.incrementAndGet();
        pause();
      }
    }
    return all;
  }

  private void pause() {
    try {
      if (hurry.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      throw QuickstartErrors.interrupted(e);
    }
  }

  /** Returns how many transactions have ended so far. */
  long done() {
    return done.get();
  }

  /** Leaves out the pauses from now on, and returns what was done once all is. */
  Tally finish() throws SQLException {
    hurry.countDown();
    Tally all = Tally.NOTHING;
    for (Future<Tally> each : running) {
      try {
        all = all.plus(each.get());
      } catch (ExecutionException e) {
        throw CdcErrors.failed(e.getCause());
      } catch (InterruptedException e) {
        throw QuickstartErrors.interrupted(e);
      }
    }
    return all;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
