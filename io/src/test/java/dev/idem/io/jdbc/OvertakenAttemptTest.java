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
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.DatabaseServer;
import dev.idem.testing.FaultProxy;
import dev.idem.testing.FaultProxy.Action;
import dev.idem.testing.FaultProxy.Direction;
import dev.idem.testing.FaultProxy.Phase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Attempts that go on after others took their place: they fail and leave nothing. */
class OvertakenAttemptTest {

  private static final Carried CARRIED = Carried.asIs(Writing.SCHEMA);

  private static BatchName name(long batch, String plan, long lease) {
    return new BatchName("app/main", batch, plan, "epoch", lease);
  }

  private static JdbcBatch attempt(WriteJdbcRows write, BatchName name) {
    return new JdbcBatch(write.spec(), name, 1);
  }

  private static void writeWhole(JdbcBatch batch, List<Row> rows) throws InterruptedException {
    batch.close(batch.write(0, rows, CARRIED).content(), null);
  }

  @ParameterizedTest
  @CsvSource({"POSTGRES, upsert", "POSTGRES, append", "MARIADB, upsert", "MARIADB, append"})
  void attemptHeldBeforeItsFirstStatementFindsALaterBatch(OnDatabase database, String way)
      throws Exception {
    DatabaseServer server = database.fresh();
    boolean append = way.equals("append");
    if (append) {
      Writing.createLog(server);
    } else {
      Writing.createTable(server);
    }
    WriteJdbcRows write = append ? Writing.append(server) : Writing.upsert(server);
    List<Row> old = Writing.rows(0, 100, 1);
    List<Row> later = Writing.rows(append ? 100 : 0, append ? 200 : 100, 2);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (FaultProxy proxy = FaultProxy.before(server, chunk -> Action.forward())) {
      JdbcBatch held =
          attempt(
              write.withDataSourceProvider(
                  new NetworkFaults.Unpooled(
                      server.driverClass(), proxy.jdbcUrl(), server.user(), server.password())),
              name(0, null, 0));
      held.open();
      proxy.use(
          chunk ->
              chunk.direction() == Direction.TO_SERVER && chunk.phase() == Phase.EXECUTE
                  ? Action.hold()
                  : Action.forward());
      Future<ShardResult> writing = thread.submit(() -> held.write(0, old, CARRIED));
      proxy.awaitHeld(1);
      writeWhole(attempt(write, name(0, null, 0)), old);
      writeWhole(attempt(write, name(1, null, 0)), later);
      proxy.use(chunk -> Action.forward());
      proxy.release();

      var e = assertThrows(ExecutionException.class, () -> writing.get(60, TimeUnit.SECONDS));

      assertThat(e.getCause(), is(instanceOf(JdbcBatchRefusedException.class)));
      assertThat(e.getCause().getMessage(), containsString("batch 1"));
    }
    thread.shutdown();
    Map<Long, String> expected = Writing.expected(later);
    if (append) {
      expected.putAll(Writing.expected(old));
    }
    assertThat(Writing.held(server), equalTo(expected));
  }

  @ParameterizedTest
  @EnumSource
  void attemptThatLostItsLeaseWritesNothingAndClosesNothing(OnDatabase database)
      throws InterruptedException {
    DatabaseServer server = database.fresh();
    Writing.createLog(server);
    WriteJdbcRows write = Writing.append(server);
    List<Row> rows = Writing.rows(0, 100, 1);
    JdbcBatch first = attempt(write, name(0, "plan", 1));
    first.open();
    JdbcBatch second = attempt(write, name(0, "plan", 2));
    second.open();

    var writing =
        assertThrows(JdbcBatchRefusedException.class, () -> first.write(0, rows, CARRIED));
    ShardResult written = second.write(0, rows, CARRIED);
    var closing =
        assertThrows(JdbcBatchRefusedException.class, () -> first.close(written.content(), null));
    var opening =
        assertThrows(
            JdbcBatchRefusedException.class, () -> attempt(write, name(0, "plan", 1)).open());
    JdbcWriteOutcome outcome = second.close(written.content(), null);

    for (JdbcBatchRefusedException refused : List.of(writing, closing, opening)) {
      assertThat(refused.getMessage(), containsString("lease 2, plan plan"));
    }
    assertThat(outcome, is(new JdbcWriteOutcome("app/main", 0, 100, 0, false)));
    assertThat(Writing.held(server), equalTo(Writing.expected(rows)));
  }

  @ParameterizedTest
  @EnumSource
  void attemptOfAnOtherLifeOfTheCheckpointIsOvertakenToo(OnDatabase database)
      throws InterruptedException {
    DatabaseServer server = database.fresh();
    Writing.createLog(server);
    WriteJdbcRows write = Writing.append(server);
    List<Row> rows = Writing.rows(0, 100, 1);
    JdbcBatch before = attempt(write, new BatchName("app/main", 0, "plan", "another epoch", 9));
    before.open();
    JdbcBatch now = attempt(write, name(0, "plan", 1));
    now.open();

    assertThrows(JdbcBatchRefusedException.class, () -> before.write(0, rows, CARRIED));
    writeWhole(now, rows);

    assertThat(Writing.held(server), equalTo(Writing.expected(rows)));
  }

  @ParameterizedTest
  @EnumSource
  void batchIsNotOpenedWhileTheOneBeforeIsNotComplete(OnDatabase database)
      throws InterruptedException {
    DatabaseServer server = database.fresh();
    Writing.createLog(server);
    WriteJdbcRows write = Writing.append(server);
    JdbcBatch first = attempt(write, name(0, "plan", 1));
    first.open();

    var e =
        assertThrows(
            JdbcBatchRefusedException.class, () -> attempt(write, name(1, "next", 1)).open());

    assertThat(e.getMessage(), containsString("must follow a batch that is complete"));
    writeWhole(first, Writing.rows(0, 10, 1));
    writeWhole(attempt(write, name(1, "next", 1)), Writing.rows(10, 20, 1));
    assertThat(Writing.held(server), equalTo(Writing.expected(Writing.rows(0, 20, 1))));
  }
}
