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
package dev.idem.testing;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.startsWith;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.FaultProxy.Action;
import dev.idem.testing.FaultProxy.Category;
import dev.idem.testing.FaultProxy.Chunk;
import dev.idem.testing.FaultProxy.Direction;
import dev.idem.testing.FaultProxy.Phase;
import dev.idem.testing.FaultProxy.Policy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

// A side that is told nothing waits for ever, and its thread cannot be interrupted.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FaultProxyTest {
  private static final int MOST_ATTEMPTS = 5;

  static Stream<DatabaseServer> servers() {
    return Stream.of(DatabaseServer.postgres(), DatabaseServer.mariaDb())
        .map(
            server -> {
              DatabaseServer own = server.fresh("proxied");
              own.execute("CREATE TABLE t (a INT PRIMARY KEY)");
              return own;
            });
  }

  @ParameterizedTest
  @MethodSource("servers")
  void cutBeforeTheCommitLeavesNoRow(DatabaseServer server) throws SQLException {
    Policy policy = at(Phase.COMMIT, Direction.TO_SERVER, Action.cut());
    try (FaultProxy proxy = FaultProxy.before(server, policy);
        Connection connection = connect(server, proxy)) {
      insert(connection, 1);

      assertThrows(SQLException.class, connection::commit);

      assertThat(rows(server), is(List.of()));
      assertThat(proxy.faults(), is(faults(Category.COMMIT, 1)));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void appliedCommitThatIsNotSeenLeavesTheRow(DatabaseServer server) throws SQLException {
    Policy policy = at(Phase.COMMIT, Direction.TO_CLIENT, Action.cut());
    try (FaultProxy proxy = FaultProxy.before(server, policy);
        Connection connection = connect(server, proxy)) {
      insert(connection, 1);

      assertThrows(SQLException.class, connection::commit);

      assertThat(rows(server), is(List.of(1)));
      assertThat(proxy.faults(), is(faults(Category.COMMIT_APPLIED_UNSEEN, 1)));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void cutInTheAnswerToAStatementLeavesNoRow(DatabaseServer server) throws SQLException {
    Policy policy = at(Phase.EXECUTE, Direction.TO_CLIENT, Action.cut());
    try (FaultProxy proxy = FaultProxy.before(server, policy);
        Connection connection = connect(server, proxy)) {
      assertThrows(SQLException.class, () -> insert(connection, 1));

      assertThat(rows(server), is(List.of()));
      assertThat(proxy.faults(), is(faults(Category.EXECUTE, 1)));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void forwardedCommitIsAppliedThoughItsConnectionIsCut(DatabaseServer server) throws SQLException {
    Policy policy = at(Phase.COMMIT, Direction.TO_CLIENT, Action.forwardThenCut());
    try (FaultProxy proxy = FaultProxy.before(server, policy);
        Connection connection = connect(server, proxy)) {
      insert(connection, 1);
      connection.commit();

      assertThrows(SQLException.class, () -> insert(connection, 2));

      assertThat(rows(server), is(List.of(1)));
      assertThat(proxy.faults(), is(faults(Category.COMMIT, 1)));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void halfCloseTowardsTheServerEndsTheTransaction(DatabaseServer server) throws SQLException {
    Policy policy = at(Phase.COMMIT, Direction.TO_SERVER, Action.halfClose());
    try (FaultProxy proxy = FaultProxy.before(server, policy);
        Connection connection = connect(server, proxy)) {
      insert(connection, 1);

      assertThrows(SQLException.class, connection::commit);

      assertThat(rows(server), is(List.of()));
      assertThat(proxy.faults(), is(faults(Category.HALF_CLOSE, 1)));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void halfCloseTowardsTheClientEndsTheConnection(DatabaseServer server) throws SQLException {
    Policy policy = at(Phase.EXECUTE, Direction.TO_CLIENT, Action.halfClose());
    try (FaultProxy proxy = FaultProxy.before(server, policy);
        Connection connection = connect(server, proxy)) {
      assertThrows(SQLException.class, () -> insert(connection, 1));

      assertThat(rows(server), is(List.of()));
      assertThat(proxy.faults(), is(faults(Category.HALF_CLOSE, 1)));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void delayedStatementArrives(DatabaseServer server) throws SQLException {
    Policy policy = at(Phase.EXECUTE, Direction.TO_SERVER, Action.delay(20));
    try (FaultProxy proxy = FaultProxy.before(server, policy);
        Connection connection = connect(server, proxy)) {
      long before = System.nanoTime();
      insert(connection, 1);
      long millis = (System.nanoTime() - before) / 1_000_000;
      connection.commit();

      assertThat(millis, greaterThanOrEqualTo(20L));
      assertThat(rows(server), is(List.of(1)));
      assertThat(proxy.faults(), is(faults(Category.DELAY, 1)));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void heldCommitWaitsForItsRelease(DatabaseServer server) throws SQLException {
    Policy policy = at(Phase.COMMIT, Direction.TO_SERVER, Action.hold());
    try (FaultProxy proxy = FaultProxy.before(server, policy);
        Connection connection = connect(server, proxy)) {
      insert(connection, 1);
      CompletableFuture<Void> commit = CompletableFuture.runAsync(() -> commit(connection));
      proxy.awaitHeld(1);

      assertThat(commit.isDone(), is(false));
      assertThat(rows(server), is(List.of()));
      proxy.release();
      commit.join();
      assertThat(rows(server), is(List.of(1)));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void heldCommitArrivesThoughItsClientIsGone(DatabaseServer server) throws SQLException {
    Policy policy = at(Phase.COMMIT, Direction.TO_SERVER, Action.hold());
    // The one driver counts in seconds, the other in milliseconds.
    String impatient = "?socketTimeout=" + (server.name().equals("PostgreSQL") ? 1 : 200);
    try (FaultProxy proxy = FaultProxy.before(server, policy);
        Connection connection = connect(server, proxy, impatient)) {
      insert(connection, 1);
      assertThrows(SQLException.class, connection::commit);
      assertThat(rows(server), is(List.of()));

      proxy.release();

      // Waits for the lock that the row has until its transaction ends.
      SQLException e = assertThrows(SQLException.class, () -> insertDirectly(server, 1));
      assertThat(e.getSQLState(), startsWith("23"));
      assertThat(rows(server), is(List.of(1)));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void closingDropsWhatIsHeld(DatabaseServer server) throws SQLException {
    Policy policy = at(Phase.COMMIT, Direction.TO_SERVER, Action.hold());
    FaultProxy proxy = FaultProxy.before(server, policy);
    try (Connection connection = connect(server, proxy)) {
      insert(connection, 1);
      CompletableFuture<Void> commit = CompletableFuture.runAsync(() -> commit(connection));
      proxy.awaitHeld(1);

      proxy.close();

      assertThrows(RuntimeException.class, commit::join);
      // Waits for the lock that the row had until its transaction was taken back.
      server.execute("INSERT INTO t VALUES (1)");
      assertThat(rows(server), is(List.of(1)));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void everyCommitOfAConnectionIsKnown(DatabaseServer server) throws SQLException {
    List<String> commits = new CopyOnWriteArrayList<>();
    Policy policy =
        chunk -> {
          if (chunk.phase() == Phase.COMMIT) {
            commits.add(chunk.direction() + (chunk.committed() ? " committed" : ""));
          }
          return Action.forward();
        };
    try (FaultProxy proxy = FaultProxy.before(server, policy);
        Connection connection = connect(server, proxy)) {
      for (int i = 0; i < 12; i++) {
        insert(connection, i);
        connection.commit();
      }

      assertThat(
          commits,
          is(
              IntStream.range(0, 12)
                  .boxed()
                  .flatMap(i -> Stream.of("TO_SERVER", "TO_CLIENT committed"))
                  .toList()));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void batchesOfAnySizeAreNoCommit(DatabaseServer server) throws SQLException {
    List<Chunk> chunks = new CopyOnWriteArrayList<>();
    Policy policy =
        chunk -> {
          chunks.add(chunk);
          return Action.forward();
        };
    server.execute("CREATE TABLE wide (a INT PRIMARY KEY, b VARCHAR(10000))");
    String commits = "; COMMIT ".repeat(500);
    try (FaultProxy proxy = FaultProxy.before(server, policy);
        Connection connection = connect(server, proxy)) {
      try (PreparedStatement statement =
          connection.prepareStatement("INSERT INTO wide VALUES (?, ?)")) {
        for (int i = 0; i < 300; i++) {
          statement.setInt(1, i);
          statement.setString(2, commits);
          statement.addBatch();
        }
        statement.executeBatch();
      }
      assertThat(chunks.stream().map(Chunk::phase).toList(), everyItem(is(not(Phase.COMMIT))));
      connection.commit();
    }

    assertThat(server.query("SELECT COUNT(*) FROM wide"), is(List.of(List.of(300L))));
    assertThat(
        chunks.stream()
            .filter(chunk -> chunk.phase() == Phase.COMMIT)
            .map(Chunk::direction)
            .toList(),
        is(List.of(Direction.TO_SERVER, Direction.TO_CLIENT)));
  }

  @Test
  void refusedCommitIsNotTakenForAnAppliedOne() throws SQLException {
    DatabaseServer server = DatabaseServer.postgres().fresh("refused");
    server.execute("CREATE TABLE t (a INT UNIQUE DEFERRABLE INITIALLY DEFERRED)");
    Policy policy = at(Phase.COMMIT, Direction.TO_CLIENT, Action.cut());
    try (FaultProxy proxy = FaultProxy.before(server, policy);
        Connection connection = connect(server, proxy)) {
      insert(connection, 1);
      insert(connection, 1);

      assertThrows(SQLException.class, connection::commit);

      assertThat(rows(server), is(List.of()));
      assertThat(proxy.faults(), is(faults(Category.COMMIT, 1)));
    }
  }

  @Test
  void sameSeedIsTheSameSchedule() {
    List<String> schedules =
        LongStream.range(0, 500).mapToObj(seed -> new FaultSchedule(seed).toString()).toList();

    assertThat(
        LongStream.range(0, 500).mapToObj(seed -> new FaultSchedule(seed).toString()).toList(),
        is(schedules));
    assertThat(schedules.stream().distinct().count(), is(500L));
  }

  @ParameterizedTest
  @MethodSource("servers")
  void sameSeedDoesTheSameToTheSameWriter(DatabaseServer server) throws SQLException {
    for (long seed = 0; seed < 10; seed++) {
      Map<Category, Integer> first = write(server, seed);
      server.execute("DELETE FROM t");

      assertThat("seed " + seed, write(server, seed), is(first));

      server.execute("DELETE FROM t");
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void writerWithBoundedRetriesGetsThroughEachSchedule(DatabaseServer server) throws SQLException {
    Map<Category, Integer> total = new EnumMap<>(Category.class);
    for (long seed = 0; seed < 20; seed++) {
      write(server, seed).forEach((category, count) -> total.merge(category, count, Integer::sum));

      assertThat("seed " + seed, rows(server), is(IntStream.range(0, 10).boxed().toList()));

      server.execute("DELETE FROM t");
    }

    System.out.printf("%s: %s%n", server, total);
    assertThat(total.get(Category.EXECUTE), greaterThanOrEqualTo(6));
    assertThat(total.get(Category.COMMIT), greaterThanOrEqualTo(6));
    assertThat(total.get(Category.COMMIT_APPLIED_UNSEEN), greaterThanOrEqualTo(4));
    assertThat(total.get(Category.HALF_CLOSE), greaterThanOrEqualTo(4));
    assertThat(total.get(Category.SESSION), is(0));
  }

  @ParameterizedTest
  @MethodSource("servers")
  void closingEndsThreadsAndConnections(DatabaseServer server) throws SQLException {
    FaultProxy proxy = FaultProxy.before(server, chunk -> Action.forward());
    List<Connection> connections = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      connections.add(connect(server, proxy));
    }
    assertThat(threads(proxy.port()), is(11L));

    proxy.close();

    assertThat(threads(proxy.port()), is(0L));
    for (Connection connection : connections) {
      assertThrows(SQLException.class, () -> insert(connection, 1));
      connection.close();
    }
    assertThrows(SQLException.class, () -> connect(server, proxy));
  }

  @Test
  void databaseInMemoryIsRefused() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> FaultProxy.before(DatabaseServer.h2("proxied"), chunk -> Action.forward()));

    assertThat(e.getMessage(), is("Server must be PostgreSQL or MariaDB, but was: H2."));
  }

  /** Writes ten rows in five transactions, each again until it is known to be done. */
  private static Map<Category, Integer> write(DatabaseServer server, long seed)
      throws SQLException {
    try (FaultProxy proxy = FaultProxy.seeded(server, seed)) {
      for (int transaction = 0; transaction < 5; transaction++) {
        writeTwo(server, proxy, transaction * 2);
      }
      return proxy.faults();
    }
  }

  private static void writeTwo(DatabaseServer server, FaultProxy proxy, int from)
      throws SQLException {
    for (int attempt = 1; ; attempt++) {
      try (Connection connection = connect(server, proxy)) {
        try (Statement statement = connection.createStatement()) {
          statement.execute("DELETE FROM t WHERE a IN (%d, %d)".formatted(from, from + 1));
        }
        insert(connection, from);
        insert(connection, from + 1);
        connection.commit();
        return;
      } catch (SQLException e) {
        if (attempt == MOST_ATTEMPTS) {
          throw new IllegalStateException("The writer must get through: " + proxy, e);
        }
      }
    }
  }

  private static long threads(int port) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("fault-proxy-"))
        .filter(thread -> thread.getName().contains("-" + port))
        .count();
  }

  /** Does something once, at the first chunk of a phase and a direction. */
  private static Policy at(Phase phase, Direction direction, Action action) {
    boolean[] done = new boolean[1];
    return chunk -> {
      synchronized (done) {
        if (done[0] || chunk.phase() != phase || chunk.direction() != direction) {
          return Action.forward();
        }
        done[0] = true;
        return action;
      }
    };
  }

  private static Map<Category, Integer> faults(Category only, int count) {
    Map<Category, Integer> all = new EnumMap<>(Category.class);
    for (Category category : Category.values()) {
      all.put(category, category == only ? count : 0);
    }
    return all;
  }

  private static Connection connect(DatabaseServer server, FaultProxy proxy) throws SQLException {
    return connect(server, proxy, "");
  }

  private static Connection connect(DatabaseServer server, FaultProxy proxy, String parameters)
      throws SQLException {
    Connection connection =
        DriverManager.getConnection(proxy.jdbcUrl() + parameters, server.user(), server.password());
    connection.setAutoCommit(false);
    return connection;
  }

  private static void insert(Connection connection, int value) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("INSERT INTO t VALUES (?)")) {
      statement.setInt(1, value);
      statement.executeUpdate();
    }
  }

  private static void insertDirectly(DatabaseServer server, int value) throws SQLException {
    try (Connection connection = server.connect()) {
      insert(connection, value);
    }
  }

  private static void commit(Connection connection) {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Object> rows(DatabaseServer server) {
    return server.query("SELECT a FROM t ORDER BY a").stream().map(row -> row.get(0)).toList();
  }
}
