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
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that is killed as it writes, and a replay with another number of shards. */
class KilledWriterTest {

  private static final int SHARDS_BEFORE = 6;

  @TempDir private Path directory;

  /** What the process has just sent when it is killed; it arrives only then. */
  private enum Sent {
    ROWS,
    COMMIT
  }

  /** Holds what is sent once the batch was opened and some shards were written. */
  private static FaultProxy.Policy holding(Sent sent) {
    return new FaultProxy.Policy() {
      private int commits;

      @Override
      public synchronized Action decide(Chunk chunk) {
        if (chunk.committed()) {
          commits++;
        }
        boolean now =
            commits == 1 + SHARDS_BEFORE
                && chunk.direction() == Direction.TO_SERVER
                && (sent == Sent.COMMIT ? chunk.phase() == Phase.COMMIT : hasRows(chunk));
        return now ? Action.hold() : Action.forward();
      }
    };
  }

  private static boolean hasRows(Chunk chunk) {
    return chunk.phase() == Phase.EXECUTE
        && new String(chunk.bytes(), StandardCharsets.ISO_8859_1).contains("text 1");
  }

  @Covers.Row({14, 32, 35})
  @ParameterizedTest
  @CsvSource({
    "POSTGRES, append, ROWS",
    "POSTGRES, upsertNewer, COMMIT",
    "MARIADB, append, COMMIT",
    "MARIADB, upsertNewer, ROWS"
  })
  void replayWithOtherShardsIsExact(OnDatabase database, String way, Sent sent) throws Exception {
    DatabaseServer server = database.fresh();
    boolean append = way.equals("append");
    if (append) {
      Writing.createLog(server);
    } else {
      Writing.createTable(server);
    }
    try (FaultProxy proxy = FaultProxy.before(server, holding(sent))) {
      Process process = start(server, proxy, append);
      try {
        proxy.awaitHeld(1);
      } finally {
        process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
      }
      assertThat("killed by a signal", process.exitValue(), is(128 + 9));
      proxy.use(chunk -> Action.forward());
      proxy.release();

      Writing.Outputs again =
          Writing.run(
              WritingProcess.rows(),
              (append ? Writing.append(server) : Writing.upsertNewer(server)).withShards(5));

      assertThat(
          again.outcome(), is(new JdbcWriteOutcome("app/main", 0, WritingProcess.ROWS, 0, false)));
    }
    assertThat(Writing.held(server), equalTo(Writing.expected(WritingProcess.rows())));
    assertThat(
        server.query("SELECT shards, closed FROM idem_record"), equalTo(List.of(List.of(16, 1))));
  }

  private Process start(DatabaseServer server, FaultProxy proxy, boolean append)
      throws IOException {
    Path password = Files.writeString(directory.resolve("password"), server.password());
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            WritingProcess.class.getName(),
            proxy.jdbcUrl(),
            server.user(),
            password.toString(),
            String.valueOf(append))
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("out").toFile())
        .start();
  }
}
