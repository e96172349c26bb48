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
package dev.idem.capture;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Properties;

/** How PostgreSQL and Debezium's connector for it are set up. */
final class Servers {

  private Servers() {}

  /** Returns a PostgreSQL that can be captured, on a free port; everybody is let in as postgres. */
  static EmbeddedPostgres.Builder postgres() {
    return EmbeddedPostgres.builder()
        .setServerConfig("wal_level", "logical")
        .setServerConfig("max_replication_slots", "32")
        .setServerConfig("max_wal_senders", "32");
  }

  /**
   * Returns the properties of a connector.
   *
   * @param name of the connector, of its slot and publication, and what topics begin with
   * @param tables with their schema, separated by commas
   */
  static Properties connector(String name, int port, String tables) {
    Properties properties = new Properties();
    properties.put("name", name);
    properties.put("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
    properties.put("database.hostname", "127.0.0.1");
    properties.put("database.port", String.valueOf(port));
    properties.put("database.user", "postgres");
    properties.put("database.password", "none");
    properties.put("database.dbname", "postgres");
    // Two of one prefix in a JVM are in each other's way for a minute, by the names of their
    // metrics.
    properties.put("topic.prefix", name);
    properties.put("table.include.list", tables);
    properties.put("plugin.name", "pgoutput");
    properties.put("slot.name", name);
    properties.put("publication.name", name);
    properties.put("publication.autocreate.mode", "filtered");
    // By default a truncate is not sent.
    properties.put("skipped.operations", "none");
    properties.put("poll.interval.ms", "20");
    return properties;
  }

  /** Returns once standard input has ended: the process that started this one is gone. */
  static void awaitEndOfInput() throws IOException {
    System.in.transferTo(OutputStream.nullOutputStream());
  }
}
