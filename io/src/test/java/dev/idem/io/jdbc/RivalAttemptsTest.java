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
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.DatabaseServer;
import dev.idem.testing.FaultProxy;
import dev.idem.testing.FaultProxy.Action;
import dev.idem.testing.FaultProxy.Chunk;
import dev.idem.testing.FaultProxy.Direction;
import dev.idem.testing.FaultProxy.Phase;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.values.Row;
import org.joda.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Attempts that meet others: of the same batch, or of a later one. */
class RivalAttemptsTest {

  private static WriteJdbcRows through(FaultProxy proxy, DatabaseServer server, WriteJdbcRows to) {
    return to.withDataSourceProvider(
        new NetworkFaults.Unpooled(
            server.driverClass(), proxy.jdbcUrl(), server.user(), server.password()));
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void replayWithAnotherNumberOfShardsIsExact(OnDatabase database) {
    DatabaseServer server = database.fresh();
    Writing.createLog(server);
    List<Row> rows = Writing.rows(0, 2_000, 1);
    AtomicInteger commits = new AtomicInteger();
    FaultProxy.Policy cutInTheNinthShard =
        chunk -> {
          if (chunk.committed()) {
            commits.incrementAndGet();
          }
          return commits.get() >= 9 && chunk.phase() == Phase.EXECUTE
              ? Action.cut()
              : Action.forward();
        };
    try (FaultProxy proxy = FaultProxy.before(server, cutInTheNinthShard)) {
      WriteJdbcRows write =
          through(proxy, server, Writing.append(server).withShards(16))
              .withRetries(1, Duration.millis(1), Duration.millis(2));
      assertThrows(
          Pipeline.PipelineExecutionException.class,
          () -> Writing.run(Writing.oneAtATime(), rows, write));
    }
    int before = Writing.held(server).size();

    Writing.Outputs again = Writing.run(rows, Writing.append(server).withShards(5));

    assertThat(before > 0 && before < 2_000, is(true));
    assertThat(Writing.held(server), equalTo(Writing.expected(rows)));
    assertThat(again.outcome(), is(new JdbcWriteOutcome("app/main", 0, 2_000, 0, false)));
    assertThat(server.query("SELECT COUNT(*) FROM idem_shard").get(0).get(0).toString(), is("16"));
  }

  /** Holds what a client sends from a moment on. */
  private static FaultProxy.Policy holding(Phase phase, int afterCommits) {
    AtomicInteger commits = new AtomicInteger();
    return new FaultProxy.Policy() {
      @Override
      public synchronized Action decide(Chunk chunk) {
        boolean now =
            commits.get() >= afterCommits
                && chunk.direction() == Direction.TO_SERVER
                && chunk.phase() == phase;
        if (chunk.committed()) {
          commits.incrementAndGet();
        }
        return now ? Action.hold() : Action.forward();
      }
    };
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void attemptThatIsHeldUpCannotOverwriteALaterBatch(OnDatabase database) throws Exception {
    // Before its first statement, and with its rows sent and its transaction open.
    for (Phase phase : List.of(Phase.EXECUTE, Phase.COMMIT)) {
      DatabaseServer server = database.fresh();
      Writing.createTable(server);
      List<Row> old = Writing.rows(0, 100, 1);
      List<Row> later = Writing.rows(0, 100, 2);
      ExecutorService thread = Executors.newSingleThreadExecutor();
      try (FaultProxy proxy = FaultProxy.before(server, holding(phase, 1))) {
        WriteJdbcRows held =
            through(proxy, server, Writing.upsert(server).withShards(1))
                .withTimeout(Duration.standardSeconds(2))
                .withRetries(1, Duration.millis(1), Duration.millis(2));
        Future<Writing.Outputs> attempt =
            thread.submit(() -> Writing.run(Writing.oneAtATime(), old, held));
        proxy.awaitHeld(1);
        // The same batch by another attempt, and the next one.
        WriteJdbcRows rival = Writing.upsert(server).withShards(1);
        Writing.run(old, rival);
        Writing.run(later, rival.withBatch(1));
        proxy.use(chunk -> Action.forward());
        proxy.release();

        if (phase == Phase.COMMIT) {
          // The server did not bear a client that said nothing for so long.
          var e = assertThrows(ExecutionException.class, () -> attempt.get(60, TimeUnit.SECONDS));
          assertThat(e.getCause().getCause(), is(instanceOf(JdbcTargetException.class)));
        } else {
          assertThat(attempt.get(60, TimeUnit.SECONDS).outcome().alreadyWritten(), is(true));
        }
      }
      thread.shutdown();
      assertThat(phase + "", Writing.held(server), equalTo(Writing.expected(later)));
    }
  }
}
