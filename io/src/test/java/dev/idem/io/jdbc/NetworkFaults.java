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
import static org.hamcrest.Matchers.is;

import dev.idem.testing.DatabaseServer;
import dev.idem.testing.FaultProxy;
import dev.idem.transforms.fingerprint.ContentSum;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.values.Row;
import org.apache.commons.dbcp2.BasicDataSource;
import org.joda.time.Duration;

/**
 * Batches that are written through a network that breaks, as seeds decide; each must have its
 * effect once. Odd seeds append, even ones replace by sequence.
 */
public final class NetworkFaults {

  private static final int SHARDS = 4;
  private static final int ROWS = 20;

  private final DatabaseServer server;
  private final Map<FaultProxy.Category, Integer> totals = new EnumMap<>(FaultProxy.Category.class);
  private final List<Row> appended = new ArrayList<>();

  private NetworkFaults(DatabaseServer server) {
    this.server = server;
    server.execute(
        "CREATE TABLE log (id BIGINT, version BIGINT, text VARCHAR(40), op VARCHAR(1))",
        "CREATE TABLE t (id BIGINT PRIMARY KEY, version BIGINT, text VARCHAR(40))");
  }

  /** Runs the schedules of seeds and returns what happened. */
  public static Map<FaultProxy.Category, Integer> run(
      DatabaseServer server, long firstSeed, int schedules) throws InterruptedException {
    NetworkFaults faults = new NetworkFaults(server);
    for (int i = 0; i < schedules; i++) {
      faults.schedule(firstSeed + i, i);
    }
    System.out.println(
        "NetworkFaults " + server + ", seeds from " + firstSeed + ": " + faults.totals);
    return faults.totals;
  }

  private void schedule(long seed, int number) throws InterruptedException {
    boolean append = number % 2 == 1;
    List<Row> rows =
        append
            ? Writing.rows(number * ROWS, (number + 1) * ROWS, 1)
            : Writing.rows(0, ROWS, number);
    try (FaultProxy proxy = FaultProxy.seeded(server, seed)) {
      WriteJdbcRows write =
          (append
                  ? JdbcUpsertIO.appendOncePerBatch("app").to("log")
                  : JdbcUpsertIO.upsertNewer(List.of("id"), "version")
                      .to("t")
                      .deletingWhen("op", "d"))
              .withDataSourceProvider(
                  new Unpooled(
                      server.driverClass(), proxy.jdbcUrl(), server.user(), server.password()))
              .withTimeout(Duration.millis(200))
              .withRetries(12, Duration.millis(1), Duration.millis(20));
      write(write, number, rows);
      proxy.faults().forEach((category, count) -> totals.merge(category, count, Integer::sum));
    }
    if (append) {
      appended.addAll(rows);
      assertThat(
          "seed " + seed + ": rows",
          server.query("SELECT COUNT(*), COUNT(DISTINCT id) FROM log"),
          is(List.of(List.of((long) appended.size(), (long) appended.size()))));
    } else {
      assertThat("seed " + seed, Writing.held(server), is(Writing.expected(rows)));
    }
  }

  /** Writes a batch without a runner, whose start takes longer than all of it. */
  private static void write(WriteJdbcRows write, long batch, List<Row> rows)
      throws InterruptedException {
    JdbcBatch attempt =
        new JdbcBatch(write.spec(), new BatchName("app/main", batch, null, "", 0), SHARDS);
    attempt.open();
    ContentSum content = ContentSum.EMPTY;
    for (int shard = 0; shard < SHARDS; shard++) {
      List<Row> ofShard = new ArrayList<>();
      for (Row row : rows) {
        if (row.getInt64("id") % SHARDS == shard) {
          ofShard.add(row);
        }
      }
      content = content.plus(attempt.write(shard, ofShard, Carried.asIs(Writing.SCHEMA)).content());
    }
    attempt.close(content, null);
  }

  /** Gives a new connection each time, so that each transaction has faults of its own. */
  record Unpooled(String driver, String url, String user, String password)
      implements SerializableFunction<Void, DataSource> {
    @Override
    public DataSource apply(Void nothing) {
      BasicDataSource source = new BasicDataSource();
      source.setDriverClassName(driver);
      source.setUrl(url);
      source.setUsername(user);
      source.setPassword(password);
      source.setMaxIdle(0);
      source.setCacheState(false);
      return source;
    }
  }
}
