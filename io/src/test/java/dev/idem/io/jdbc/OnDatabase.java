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

import dev.idem.testing.DatabaseServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The databases that writes are tested on; each test has an empty one. */
enum OnDatabase {
  POSTGRES {
    @Override
    DatabaseServer fresh() {
      return DatabaseServer.postgres().fresh("jdbc");
    }
  },
  MARIADB {
    @Override
    DatabaseServer fresh() {
      return DatabaseServer.mariaDb().fresh("jdbc");
    }
  },
  H2 {
    @Override
    DatabaseServer fresh() {
      return DatabaseServer.h2("jdbc" + System.nanoTime());
    }
  };

  abstract DatabaseServer fresh();

  /** Returns how an application gets to a database, as a user would say it. */
  static JdbcDatabase of(DatabaseServer server) {
    return at(server, server.jdbcUrl());
  }

  /** Returns how an application gets to a database by another URL, such as a proxy's. */
  static JdbcDatabase at(DatabaseServer server, String url) {
    return JdbcDatabase.at(url).as(server.user()).withPasswordFile(passwordFile(server));
  }

  private static Path passwordFile(DatabaseServer server) {
    try {
      Path file = Files.createTempFile("password", ".txt");
      file.toFile().deleteOnExit();
      return Files.writeString(file, server.password() + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
