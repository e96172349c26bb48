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
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.in;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.matchesPattern;

import dev.idem.testing.Covers;
import dev.idem.testing.DatabaseServer;
import dev.idem.testing.FaultProxy;
import dev.idem.testing.FaultProxy.Action;
import dev.idem.testing.FaultProxy.Direction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.beam.sdk.values.Row;
import org.joda.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two applications that write the same keys of one table at once, in opposite order. */
class TwoWritersTest {

  /** Of writers whose rows have a sequence; others need a few only to show the same. */
  private static final int ROUNDS = 200;

  private static final int ROUNDS_WITHOUT_A_SEQUENCE = 50;
  private static final int KEYS = 50;

  private static JdbcSpec spec(String way, JdbcDatabase database) {
    WriteJdbcRows write =
        way.equals("upsert")
            ? JdbcUpsertIO.upsert("id")
            : JdbcUpsertIO.upsertNewer(List.of("id"), "version");
    return write
        .to("t")
        .withDatabase(database)
        .ignoringFields("op")
        // A deadlock would fail the test.
        .withRetries(1, Duration.millis(1), Duration.millis(2))
        .spec();
  }

  @Covers.Case("DEV-13")
  @Covers.Row(14)
  @ParameterizedTest
  @CsvSource({
    "POSTGRES, upsertNewer",
    "POSTGRES, upsert",
    "MARIADB, upsertNewer",
    "MARIADB, upsert"
  })
  void bothBatchesOfEachRoundAreStoredWithoutADeadlock(OnDatabase database, String way)
      throws Exception {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);
    JdbcSpec spec = spec(way, OnDatabase.of(server));
    // Whoever makes a table that the other has just made begins again, which none may do here.
    TargetCheck.of(spec, new Transactions(spec));
    AtomicInteger bothOpen = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    int rounds = way.equals("upsert") ? ROUNDS_WITHOUT_A_SEQUENCE : ROUNDS;
    for (int round = 0; round < rounds; round++) {
      List<Row> ascending = Writing.rows(1, KEYS + 1, 2L * round);
      List<Row> descending = new ArrayList<>(Writing.rows(1, KEYS + 1, 2L * round + 1));
      Map<Long, String> older = Writing.expected(ascending);
      Map<Long, String> newer = Writing.expected(descending);
      Collections.reverse(descending);
      CountDownLatch open = new CountDownLatch(2);
      Future<Boolean> first = threads.submit(batch(spec, "a", round, ascending, open));
      Future<Boolean> second = threads.submit(batch(spec, "b", round, descending, open));
      boolean ofFirst = first.get();
      boolean ofSecond = second.get();
      if (ofFirst && ofSecond) {
        bothOpen.incrementAndGet();
      }
      Map<Long, String> held = Writing.held(server);
      assertThat(
          "round " + round,
          held,
          way.equals("upsert") ? is(in(List.of(older, newer))) : equalTo(newer));
    }
    threads.shutdown();
    System.out.println(
        "TwoWritersTest %s %s: %s of %s rounds with both transactions open"
            .formatted(server, way, bothOpen, rounds));
    assertThat(
        server.query("SELECT sink, batch, written FROM idem_record ORDER BY sink"),
        equalTo(
            List.of(
                List.of("a/main", rounds - 1L, (long) KEYS),
                List.of("b/main", rounds - 1L, (long) KEYS))));
    assertThat(bothOpen.get(), is(greaterThanOrEqualTo(rounds * 3 / 4)));
  }

  /** Writes a batch of one shard; returns whether the other's transaction was open with its own. */
  private static Callable<Boolean> batch(
      JdbcSpec spec, String application, long batch, List<Row> rows, CountDownLatch open) {
    return () -> {
      JdbcBatch attempt =
          new JdbcBatch(spec, new BatchName(application + "/main", batch, null, "", 0), 1);
      attempt.open();
      AtomicBoolean both = new AtomicBoolean();
      // Rows are read within the transaction: there both wait for each other.
      Iterable<Row> waiting =
          () -> {
            open.countDown();
            both.set(await(open));
            return rows.iterator();
          };
      ShardResult result = attempt.write(0, waiting, Carried.asIs(Writing.SCHEMA));
      attempt.close(result.content(), null);
      assertThat("refused rows", result.letters(), is(List.of()));
      return both.get();
    };
  }

  private static boolean await(CountDownLatch open) {
    try {
      return open.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Covers.Case("DEV-13")
  @ParameterizedTest
  @CsvSource({
    "POSTGRES, upsertNewer",
    "POSTGRES, upsert",
    "MARIADB, upsertNewer",
    "MARIADB, upsert"
  })
  void rowsAreLockedInTheOrderOfKeys(OnDatabase database, String way) throws Exception {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);
    List<Row> descending = new ArrayList<>(Writing.rows(1, KEYS + 1, 1));
    Collections.reverse(descending);
    List<String> sent = Collections.synchronizedList(new ArrayList<>());
    try (FaultProxy proxy =
        FaultProxy.before(
            server,
            chunk -> {
              if (chunk.direction() == Direction.TO_SERVER) {
                sent.add(new String(chunk.bytes(), StandardCharsets.ISO_8859_1));
              }
              return Action.forward();
            })) {
      JdbcSpec spec = spec(way, OnDatabase.at(server, proxy.jdbcUrl()));
      batch(spec, "a", 0, descending, new CountDownLatch(1)).call();
    }

    List<String> inserts =
        String.join("", sent)
            .toLowerCase(Locale.ROOT)
            .replaceAll("[`\"]", "")
            .lines()
            .flatMap(line -> java.util.Arrays.stream(line.split("insert into ")))
            .filter(
                text -> text.matches("(?s)(" + server.database() + "|public)\\.t \\(id.*select.*"))
            .toList();
    assertThat(inserts.size(), is(1));
    assertThat(inserts.get(0), matchesPattern("(?s).* order by idem_staged\\.id.* (on|update) .*"));
  }
}
