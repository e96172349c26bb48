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

import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Runs PostgreSQL, and Debezium's connector for it, until standard input ends. Each line of the
 * input is a command, and is answered:
 *
 * <ul>
 *   <li>{@code sql SESSION STATEMENT} runs a statement: {@code done};
 *   <li>{@code ask SESSION QUERY} reads the first value of a query: {@code value BASE64};
 *   <li>{@code capture NAME TABLES SCHEMAS SETTING=VALUE..} starts a connector with settings of its
 *       own, whose records have schemas if the third word is {@code true}: {@code done}, and from
 *       then on {@code record NAME TOPIC KEY VALUE}, key and value in base64, or {@code -}.
 * </ul>
 *
 * A command that fails is answered by {@code failed} and the reason in base64.
 */
public final class RunDebezium {
  private static final String NONE = "-";

  private final EmbeddedPostgres database;
  private final Map<String, Connection> sessions = new HashMap<>();
  private final ExecutorService engines = Executors.newCachedThreadPool();

  private RunDebezium(EmbeddedPostgres database) {
    this.database = database;
  }

  /** Starts PostgreSQL and carries out commands. */
  public static void main(String[] args) throws IOException {
    RunDebezium run = new RunDebezium(Servers.postgres().start());
    say("started");
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      try {
        say(run.answer(line));
      } catch (SQLException | RuntimeException e) {
        say("failed " + base64(e.toString()));
      }
    }
    run.database.close();
    System.exit(0);
  }

  private static synchronized void say(String line) {
    System.out.println(line);
  }

  private static String base64(String text) {
    return text == null
        ? NONE
        : Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private String answer(String line) throws SQLException {
    String[] words = line.split(" ", 3);
    switch (words[0]) {
      case "sql" -> {
        try (Statement statement = session(words[1]).createStatement()) {
          statement.execute(words[2]);
        }
      }
      case "ask" -> {
        try (Statement statement = session(words[1]).createStatement();
            ResultSet result = statement.executeQuery(words[2])) {
          return "value " + (result.next() ? base64(result.getString(1)) : NONE);
        }
      }
      case "capture" -> {
        String[] rest = words[2].split(" ");
        capture(words[1], rest[0], rest[1], List.of(rest).subList(2, rest.length));
      }
      default -> throw new IllegalArgumentException(line);
    }
    return "done";
  }

  private Connection session(String name) throws SQLException {
    Connection known = sessions.get(name);
    if (known == null) {
      known = database.getPostgresDatabase().getConnection();
      sessions.put(name, known);
    }
    return known;
  }

  private void capture(String name, String tables, String schemas, List<String> settings) {
    Properties properties = Servers.connector(name, database.getPort(), tables);
    properties.put("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
    properties.put("key.converter.schemas.enable", schemas);
    properties.put("value.converter.schemas.enable", schemas);
    for (String setting : settings) {
      String[] parts = setting.split("=", 2);
      properties.put(parts[0], parts[1]);
    }
    engines.execute(
        DebeziumEngine.create(Json.class)
            .using(properties)
            .using(
                (success, message, error) ->
                    say("failed " + base64(name + " ended: " + message + ", " + error)))
            .notifying((ChangeEvent<String, String> event) -> record(name, event))
            .build());
  }

  private static void record(String name, ChangeEvent<String, String> event) {
    say(
        "record %s %s %s %s"
            .formatted(name, event.destination(), base64(event.key()), base64(event.value())));
  }
}
