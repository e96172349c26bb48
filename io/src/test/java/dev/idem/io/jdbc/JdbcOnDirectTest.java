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
import dev.idem.testing.FaultProxy.Chunk;
import dev.idem.testing.FaultProxy.Direction;
import dev.idem.testing.FaultProxy.Phase;
import dev.idem.transforms.dedup.DeduplicateWithinWatermark;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.Row;
import org.joda.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The Direct runner never runs a bundle again: the writer itself does. */
class JdbcOnDirectTest {

  /** Cuts the connection once, behind the opening of the batch. */
  private static final class CutOnce implements FaultProxy.Policy {
    private final boolean stored;
    private int commits;
    private boolean done;

    /**
     * Cuts the first shard.
     *
     * @param stored whether the server has stored it, and only the answer is lost
     */
    CutOnce(boolean stored) {
      this.stored = stored;
    }

    @Override
    public synchronized Action decide(Chunk chunk) {
      if (chunk.committed()) {
        commits++;
      }
      boolean now =
          !done
              && (stored
                  ? commits == 2 && chunk.committed()
                  : commits == 1
                      && chunk.direction() == Direction.TO_SERVER
                      && chunk.phase() == Phase.COMMIT);
      done |= now;
      return now ? Action.cut() : Action.forward();
    }
  }

  @Covers.Case("DEV-04")
  @Covers.Row(72)
  @ParameterizedTest
  @CsvSource({"POSTGRES, false", "POSTGRES, true", "MARIADB, false", "MARIADB, true"})
  void keyThatWasSeenBeforeTheWriteFailedIsWrittenByTheRetry(OnDatabase database, boolean stored) {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);
    Row x1 = Writing.row(1, 1, "x1");
    Row x2 = Writing.row(2, 1, "x2");
    CutOnce fault = new CutOnce(stored);
    try (FaultProxy proxy = FaultProxy.before(server, fault)) {
      Pipeline pipeline = Pipeline.create(Writing.direct());
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
                          server.driverClass(),
                          proxy.jdbcUrl(),
                          server.user(),
                          server.password())));
      PAssert.that(unique.duplicates()).containsInAnyOrder(x1);
      pipeline.run().waitUntilFinish();
    }

    assertThat("the connection was cut", fault.done, is(true));
    assertThat(Writing.held(server), equalTo(Writing.expected(List.of(x1, x2))));
  }
}
