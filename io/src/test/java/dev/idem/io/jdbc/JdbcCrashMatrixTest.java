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
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.Covers;
import dev.idem.testing.DatabaseServer;
import dev.idem.testing.FaultProxy;
import dev.idem.testing.FaultProxy.Action;
import dev.idem.testing.FaultProxy.Chunk;
import dev.idem.testing.FaultProxy.Direction;
import dev.idem.testing.FaultProxy.Phase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.io.jdbc.JdbcIO;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.Row;
import org.joda.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every moment at which a write can stop, for every way to write: the pipeline fails there, and is
 * run again. What JdbcIO does then is the plain column.
 */
class JdbcCrashMatrixTest {

  private static final int ROWS = 1_000;

  /** When the connection to the database is gone. */
  private enum Moment {
    BEFORE_WRITE,
    MID_BATCH,
    AFTER_WRITE_BEFORE_COMMIT,
    AFTER_COMMIT
  }

  /** How rows are written. */
  private enum Way {
    PLAIN,
    UPSERT,
    UPSERT_NEWER,
    APPEND_ONCE
  }

  /** Cuts a connection once, after so many commits. */
  private static final class CutOnce implements FaultProxy.Policy {
    private final Moment moment;
    private final int after;
    private int commits;
    private boolean done;

    CutOnce(Moment moment, int after) {
      this.moment = moment;
      this.after = after;
    }

    @Override
    public synchronized Action decide(Chunk chunk) {
      boolean toServer = chunk.direction() == Direction.TO_SERVER;
      if (done) {
        return Action.forward();
      }
      boolean now =
          commits == after
              && switch (moment) {
                case BEFORE_WRITE, MID_BATCH -> toServer && chunk.phase() == Phase.EXECUTE;
                case AFTER_WRITE_BEFORE_COMMIT -> toServer && chunk.phase() == Phase.COMMIT;
                case AFTER_COMMIT -> chunk.committed();
              };
      if (chunk.committed()) {
        commits++;
      }
      done = now;
      return now ? Action.cut() : Action.forward();
    }
  }

  @Covers.Row({14, 19, 32})
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB"})
  void everyCellHasTheExactRows(OnDatabase database) {
    TreeMap<Moment, List<Integer>> matrix = new TreeMap<>();
    for (Moment moment : Moment.values()) {
      matrix.put(moment, new ArrayList<>());
      for (Way way : Way.values()) {
        matrix.get(moment).add(rowsAfter(moment, way, database.fresh()));
      }
    }

    System.out.println(database + ", rows of 1,000, plain / upsert / upsertNewer / append:");
    matrix.forEach((moment, cells) -> System.out.println("  " + moment + " " + cells));
    for (Moment moment : Moment.values()) {
      assertThat(moment + "", matrix.get(moment).subList(1, 4), is(List.of(ROWS, ROWS, ROWS)));
    }
    assertThat(matrix.get(Moment.BEFORE_WRITE).get(0), is(ROWS));
    assertThat(matrix.get(Moment.MID_BATCH).get(0), is(greaterThan(ROWS)));
    assertThat(matrix.get(Moment.AFTER_COMMIT).get(0), is(2 * ROWS));
  }

  /** Returns how many rows there are after a run that is cut, and another one. */
  private static int rowsAfter(Moment moment, Way way, DatabaseServer server) {
    if (way == Way.PLAIN || way == Way.APPEND_ONCE) {
      Writing.createLog(server);
    } else {
      Writing.createTable(server);
    }
    List<Row> rows = Writing.rows(0, ROWS, 1);
    try (FaultProxy proxy = FaultProxy.before(server, new CutOnce(moment, commits(moment, way)))) {
      Runnable write = () -> write(moment, way, server, proxy.jdbcUrl(), rows);
      assertThrows(Pipeline.PipelineExecutionException.class, write::run);
      write.run();
    }
    List<List<Object>> held = server.query("SELECT id, version, text FROM t");
    Set<List<Object>> distinct = new HashSet<>(held);
    Set<List<Object>> expected = new HashSet<>();
    rows.forEach(
        row ->
            expected.add(
                List.of(row.getInt64("id"), row.getInt64("version"), row.getString("text"))));
    assertThat(moment + " " + way, distinct, equalTo(expected));
    return held.size();
  }

  /** A batch of ours is opened, its four shards are written, and it is closed. */
  private static int commits(Moment moment, Way way) {
    if (way == Way.PLAIN) {
      return moment == Moment.MID_BATCH ? 4 : 0;
    }
    return switch (moment) {
      case BEFORE_WRITE -> 1;
      case MID_BATCH, AFTER_WRITE_BEFORE_COMMIT -> 3;
      case AFTER_COMMIT -> 5;
    };
  }

  private static void write(
      Moment moment, Way way, DatabaseServer server, String url, List<Row> rows) {
    if (way == Way.PLAIN) {
      // By default JdbcIO commits 1,000 rows at once, so that there is no middle.
      plain(server, url, rows, moment == Moment.MID_BATCH ? 100 : 1_000);
      return;
    }
    WriteJdbcRows write =
        switch (way) {
          case UPSERT -> Writing.upsert(server);
          case UPSERT_NEWER -> Writing.upsertNewer(server);
          default -> Writing.append(server);
        };
    Writing.run(
        Writing.oneAtATime(),
        rows,
        write
            .withDataSourceProvider(
                new NetworkFaults.Unpooled(
                    server.driverClass(), url, server.user(), server.password()))
            .withRetries(1, Duration.millis(1), Duration.millis(2)));
  }

  private static void plain(DatabaseServer server, String url, List<Row> rows, int batch) {
    Pipeline pipeline = Pipeline.create(Writing.oneAtATime());
    pipeline
        .apply(Create.of(0))
        .apply("InOneBundle", ParDo.of(new Rows(rows.size())))
        .setRowSchema(Writing.SCHEMA)
        .apply(
            JdbcIO.<Row>write()
                .withDataSourceConfiguration(
                    JdbcIO.DataSourceConfiguration.create(server.driverClass(), url)
                        .withUsername(server.user())
                        .withPassword(server.password()))
                .withStatement("INSERT INTO t (id, version, text) VALUES (?, ?, ?)")
                .withBatchSize(batch)
                .withPreparedStatementSetter(
                    (row, statement) -> {
                      statement.setLong(1, row.getInt64("id"));
                      statement.setLong(2, row.getInt64("version"));
                      statement.setString(3, row.getString("text"));
                    }));
    pipeline.run().waitUntilFinish();
  }

  private static final class Rows extends DoFn<Integer, Row> {
    private final int count;

    Rows(int count) {
      this.count = count;
    }

    @ProcessElement
    public void make(OutputReceiver<Row> output) {
      Writing.rows(0, count, 1).forEach(output::output);
    }
  }
}
