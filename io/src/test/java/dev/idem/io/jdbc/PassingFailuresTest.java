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
package dev.idem.io.jdbc;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.Covers;
import dev.idem.testing.DatabaseServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.beam.sdk.values.Row;
import org.joda.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Failures that pass: the whole transaction is done again, with all its rows. */
class PassingFailuresTest {

  private static final List<Row> ROWS = List.of(row(1, 11), row(2, 22), row(3, 33), row(4, 44));

  private static Row row(long id, long value) {
    return Writing.row(id, value, "row " + id);
  }

  /** Rows whose readings are counted: one a transaction. */
  private static final class Counted implements Iterable<Row> {
    private final List<Row> rows;
    private final AtomicInteger readings = new AtomicInteger();
    private final Work onSecondTransaction;

    Counted(List<Row> rows, Work onSecondTransaction) {
      this.rows = rows;
      this.onSecondTransaction = onSecondTransaction;
    }

    @Override
    public Iterator<Row> iterator() {
      if (readings.incrementAndGet() == 2) {
        onSecondTransaction.run();
      }
      return rows.iterator();
    }

    int transactions() {
      return readings.get();
    }
  }

  /** What a test does in a database. */
  private interface Work {
    void call() throws SQLException;

    default void run() {
      try {
        call();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static ShardResult write(JdbcBatch batch, Counted rows) throws InterruptedException {
    ShardResult result = batch.write(0, rows, Carried.asIs(Writing.SCHEMA));
    batch.close(result.content(), null);
    return result;
  }

  private static JdbcBatch batch(WriteJdbcRows write) {
    return new JdbcBatch(write.spec(), new BatchName("app/main", 0, null, "", 0), 1);
  }

  @Covers.Case("DEV-12")
  @ParameterizedTest
  @EnumSource
  void rowThatWaitedTooLongForALockIsNotLeftOutByTheRetry(OnDatabase database) throws Exception {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);
    try (Connection other = server.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("INSERT INTO t VALUES (3, 0, 'not committed')");
      Counted rows = new Counted(ROWS, other::rollback);
      WriteJdbcRows write = Writing.upsertNewer(server).withTimeout(Duration.millis(300));

      ShardResult result = write(batch(write), rows);

      assertThat(result.letters(), is(List.of()));
      assertThat("transactions", rows.transactions(), is(2));
    }
    assertThat(Writing.held(server), equalTo(Writing.expected(ROWS)));
  }

  @ParameterizedTest
  @EnumSource
  void lockThatStaysFailsTheBatchAndLeavesNothing(OnDatabase database) throws Exception {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);
    try (Connection other = server.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("INSERT INTO t VALUES (3, 0, 'not committed')");
      WriteJdbcRows write =
          Writing.upsertNewer(server)
              .withTimeout(Duration.millis(300))
              .withRetries(2, Duration.millis(1), Duration.millis(2));
      Counted rows = new Counted(ROWS, () -> {});
      JdbcBatch batch = batch(write);

      var e = assertThrows(JdbcTargetException.class, () -> write(batch, rows));

      assertThat(e.getMessage(), containsString("2 attempts"));
      assertThat("transactions", rows.transactions(), is(2));
      other.rollback();
      assertThat(Writing.held(server).size(), is(0));
    }
    write(batch(Writing.upsertNewer(server)), new Counted(ROWS, () -> {}));
    assertThat(Writing.held(server), equalTo(Writing.expected(ROWS)));
  }

  @ParameterizedTest
  @CsvSource({"POSTGRES, 57014", "MARIADB, 70100"})
  void statementThatTakesTooLongIsEndedByTheServer(OnDatabase database, String state) {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);
    if (database == OnDatabase.POSTGRES) {
      server.execute(
          "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS"
              + " $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$",
          "CREATE TRIGGER slow BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION slow()");
    } else {
      server.execute(
          "CREATE TRIGGER slow BEFORE INSERT ON t FOR EACH ROW"
              + " BEGIN DECLARE slept INT; SET slept = SLEEP(60); END");
    }
    JdbcBatch batch =
        batch(
            Writing.upsertNewer(server)
                .withTimeout(Duration.millis(300))
                .withRetries(1, Duration.millis(1), Duration.millis(2)));

    var e =
        assertThrows(JdbcTargetException.class, () -> write(batch, new Counted(ROWS, () -> {})));

    SQLException sql = SqlFailure.sql(e);
    assertThat(sql.getSQLState(), is(state));
    assertThat(SqlFailure.of(sql), is(SqlFailure.TRANSIENT));
  }

  @Covers.Case("DEV-13")
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void victimOfADeadlockIsWrittenByTheRetry(OnDatabase database) throws Exception {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);
    server.execute(
        "INSERT INTO t VALUES (1, 0, 'one'), (4, 0, 'four')",
        "CREATE TABLE heavy (id INT PRIMARY KEY)");
    ExecutorService thread = Executors.newSingleThreadExecutor();
    Counted rows = new Counted(ROWS, () -> {});
    try (Connection other = server.connect();
        Statement statement = other.createStatement()) {
      if (database == OnDatabase.POSTGRES) {
        // The one that looks for a deadlock first is its victim.
        statement.execute("SET deadlock_timeout = '60s'");
      }
      other.setAutoCommit(false);
      if (database == OnDatabase.MARIADB) {
        // The one that did less is the victim.
        statement.execute("INSERT INTO heavy SELECT seq FROM seq_1_to_1000");
      }
      statement.execute("UPDATE t SET text = 'changed' WHERE id = 4");
      Future<ShardResult> writing =
          thread.submit(() -> write(batch(Writing.upsertNewer(server)), rows));
      awaitWaiting(server, database);
      statement.execute("UPDATE t SET text = 'changed' WHERE id = 1");
      other.rollback();

      ShardResult result = writing.get(60, TimeUnit.SECONDS);

      assertThat(result.letters(), is(List.of()));
      assertThat("transactions", rows.transactions(), is(2));
    }
    thread.shutdown();
    assertThat(Writing.held(server), equalTo(Writing.expected(ROWS)));
  }

  /** Returns once a transaction waits for the lock of a row. */
  private static void awaitWaiting(DatabaseServer server, OnDatabase database)
      throws TimeoutException {
    String waiting =
        database == OnDatabase.POSTGRES
            ? "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname ="
                + " current_database()"
            : "SELECT CAST(variable_value AS INT) FROM information_schema.global_status"
                + " WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'";
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (((Number) server.query(waiting).get(0).get(0)).intValue() == 0) {
      if (System.nanoTime() > end) {
        throw new TimeoutException("No transaction waits for a lock.");
      }
      Thread.onSpinWait();
    }
  }
}
