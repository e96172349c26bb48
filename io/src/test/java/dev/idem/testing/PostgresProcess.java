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

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;

/** A PostgreSQL in processes of its own, which end with this JVM. */
final class PostgresProcess implements AutoCloseable {
  private static final Map<String, String> SETTINGS =
      Map.of(
          // What tests count is decided by what the server has, not by its disk.
          "fsync",
          "off",
          // The newer kind costs a client 50 ms a connection.
          "password_encryption",
          "md5",
          "synchronous_commit",
          "on",
          "max_connections",
          "200",
          "shared_buffers",
          "64MB",
          "max_prepared_transactions",
          "20");

  private final int port;
  private final EndWithJvm end;

  private PostgresProcess(int port, EndWithJvm end) {
    this.port = port;
    this.end = end;
  }

  /** Starts a server with settings above ours; the user is its superuser. */
  static PostgresProcess start(Map<String, String> settings, String user, String password) {
    try {
      Path directory = Files.createTempDirectory("idem-postgres-");
      Path data = directory.resolve("data");
      Redirect said = Redirect.appendTo(directory.resolve("out").toFile());
      EmbeddedPostgres.Builder builder =
          EmbeddedPostgres.builder()
              .setDataDirectory(data)
              .setRegisterShutdownHook(false)
              .setOutputRedirector(said)
              .setErrorRedirector(said);
      Map<String, String> all = new TreeMap<>(SETTINGS);
      all.putAll(settings);
      all.forEach(builder::setServerConfig);
      EmbeddedPostgres server;
      try {
        server = builder.start();
      } catch (IOException | RuntimeException e) {
        EndWithJvm.delete(directory);
        throw e;
      }
      EndWithJvm end = EndWithJvm.of(processOf(data), "QUIT", directory);
      try (Connection connection = server.getPostgresDatabase().getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE ROLE %s SUPERUSER LOGIN PASSWORD '%s'".formatted(user, password));
        // The server lets everybody in until it is told to ask for passwords.
        Files.writeString(
            data.resolve("pg_hba.conf"),
            "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 md5\n");
        statement.execute("SELECT pg_reload_conf()");
      } catch (IOException | SQLException | RuntimeException e) {
        end.close();
        throw e;
      }
      return new PostgresProcess(server.getPort(), end);
    } catch (IOException | SQLException e) {
      throw new IllegalStateException("PostgreSQL must start.", e);
    }
  }

  private static long processOf(Path data) throws IOException {
    return Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
  }

  int port() {
    return port;
  }

  @Override
  public void close() {
    end.close();
  }
}
