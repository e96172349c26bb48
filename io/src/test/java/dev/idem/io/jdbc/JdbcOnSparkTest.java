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
import static org.hamcrest.Matchers.is;

import dev.idem.testing.Covers;
import dev.idem.testing.DatabaseServer;
import dev.idem.testing.FaultProxy;
import dev.idem.testing.FaultProxy.Action;
import dev.idem.testing.FaultProxy.Direction;
import dev.idem.testing.FaultProxy.Phase;
import dev.idem.transforms.dedup.DeduplicateWithinWatermark;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.beam.runners.spark.SparkPipelineOptions;
import org.apache.beam.runners.spark.SparkRunner;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.Row;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tasks that Spark runs again because a connection was cut, before or after its commit. */
class JdbcOnSparkTest {

  /** When the connection of the first attempt is cut. */
  private enum Cut {
    BEFORE_IT_IS_STORED,
    AFTER_IT_IS_STORED
  }

  private static PipelineOptions spark() {
    SparkPipelineOptions options = PipelineOptionsFactory.as(SparkPipelineOptions.class);
    options.setRunner(SparkRunner.class);
    options.setSparkMaster("local[2,4]");
    return options;
  }

  /** Cuts once, after the batch was opened. */
  private static FaultProxy.Policy policy(Cut cut, AtomicInteger cuts) {
    AtomicInteger commits = new AtomicInteger();
    return chunk -> {
      if (chunk.committed()) {
        commits.incrementAndGet();
      }
      boolean now =
          cuts.get() == 0
              && switch (cut) {
                case BEFORE_IT_IS_STORED ->
                    commits.get() == 1
                        && chunk.direction() == Direction.TO_SERVER
                        && chunk.phase() == Phase.COMMIT;
                case AFTER_IT_IS_STORED -> commits.get() == 2 && chunk.committed();
              };
      if (now) {
        cuts.incrementAndGet();
      }
      return now ? Action.cut() : Action.forward();
    };
  }

  @Covers.Case("DEV-04")
  @ParameterizedTest
  @EnumSource
  void keyThatWasSeenBeforeTheWriteFailedIsWrittenByTheRetry(Cut cut) {
    DatabaseServer server = OnDatabase.POSTGRES.fresh();
    Writing.createTable(server);
    Row x1 = Writing.row(1, 1, "x1");
    Row x2 = Writing.row(2, 1, "x2");
    AtomicInteger cuts = new AtomicInteger();
    try (FaultProxy proxy = FaultProxy.before(server, policy(cut, cuts))) {
      Pipeline pipeline = Pipeline.create(spark());
      DeduplicateWithinWatermark.Result<Row> unique =
          pipeline
              .apply(Create.of(x1, x2, x1).withRowSchema(Writing.SCHEMA))
              .apply(
                  DeduplicateWithinWatermark.rows("id").withHorizon(Duration.standardMinutes(5)));
      unique
          .unique()
          .setRowSchema(Writing.SCHEMA)
          .apply(
              Writing.upsertNewer(server)
                  .withShards(1)
                  .withDataSourceProvider(
                      new NetworkFaults.Unpooled(
                          server.driverClass(), proxy.jdbcUrl(), server.user(), server.password()))
                  .withRetries(1, Duration.millis(1), Duration.millis(2)));
      PAssert.that(unique.duplicates()).containsInAnyOrder(x1);
      pipeline.run().waitUntilFinish();
    }

    assertThat("cuts", cuts.get(), is(1));
    assertThat(Writing.held(server), equalTo(Writing.expected(List.of(x1, x2))));
  }

  @Test
  void batchThatIsRunAgainWithOtherShardsChangesNothing() {
    DatabaseServer server = OnDatabase.MARIADB.fresh();
    Writing.createLog(server);
    List<Row> rows = Writing.rows(0, 2_000, 1);

    Writing.Outputs first = Writing.run(spark(), rows, Writing.append(server).withShards(8));
    Writing.Outputs second = Writing.run(spark(), rows, Writing.append(server).withShards(3));

    assertThat(first.outcome(), is(new JdbcWriteOutcome("app/main", 0, 2_000, 0, false)));
    assertThat(second.outcome().alreadyWritten(), is(true));
    assertThat(Writing.held(server), equalTo(Writing.expected(rows)));
  }
}
