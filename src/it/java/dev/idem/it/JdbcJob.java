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
package dev.idem.it;

import dev.idem.io.delta.table.DeltaRows;
import dev.idem.pipelines.command.IdemInProcess;
import dev.idem.testing.DatabaseServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A {@code kafka-to-jdbc} job that writes the events of an {@link EventJob} to a database. */
final class JdbcJob {

  private final EventJob events;
  private final DatabaseServer server;
  private final Map<String, String> options = new LinkedHashMap<>();

  private JdbcJob(EventJob events, DatabaseServer server) {
    this.events = events;
    this.server = server;
    options.put("--bootstrapServers", events.broker.bootstrapServers());
    options.put("--topics", events.topic);
    options.put("--jdbcUrl", server.jdbcUrl());
    options.put("--user", server.user());
    options.put("--passwordFile", passwordFile(server, events.directory).toString());
    options.put("--table", "events");
    options.put("--checkpoint", checkpoint().toString());
    options.put("--maxRecordsPerBatch", "10");
  }

  static JdbcJob of(EventJob events, DatabaseServer server, String mode, String... more) {
    JdbcJob job = new JdbcJob(events, server);
    job.options.put("--mode", mode);
    for (String option : more) {
      int equals = option.indexOf('=');
      job.options.put(option.substring(0, equals), option.substring(equals + 1));
    }
    return job;
  }

  static Path passwordFile(DatabaseServer server, Path directory) {
    try {
      return Files.writeString(directory.resolve("password"), server.password());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes the table of events; with a key its column is the primary key. */
  static void createTable(DatabaseServer server, boolean key) {
    server.execute(
        "CREATE TABLE events (id VARCHAR(20)"
            + (key ? " PRIMARY KEY" : "")
            + ", at VARCHAR(40), amount BIGINT, CHECK (amount <> 70))");
  }

  Path checkpoint() {
    return events.directory.resolve("checkpoint");
  }

  private List<String> command(String... more) {
    List<String> command = new ArrayList<>(List.of("kafka-to-jdbc"));
    options.forEach((name, value) -> command.add(name + "=" + value));
    command.addAll(List.of(more));
    return command;
  }

  Outcome run(String... more) {
    return IdemInProcess.run(command(more).toArray(String[]::new));
  }

  Outcome fork(String... more) {
    return Forked.idem(command(more));
  }

  /** Returns the rows as {@code id=amount}, sorted. */
  List<String> rows() {
    return rows(server);
  }

  static List<String> rows(DatabaseServer server) {
    return server.query("SELECT id, amount FROM events").stream()
        .map(row -> row.get(0) + "=" + row.get(1))
        .sorted()
        .toList();
  }

  /** Returns the events of a range without the seventh, which the table's rule keeps out. */
  static List<String> taken(int from, int to) {
    return EventJob.events(from, to).stream().filter(each -> !each.equals("e7=70")).toList();
  }

  /** Returns the dead letters as {@code reason offset value rule}. */
  static List<String> deadLetters(Path table) {
    return DeltaRows.read(table.toString()).toList().stream()
        .map(
            row ->
                Stream.of(
                        row.getString("reason"),
                        String.valueOf(row.getInt64("offset")),
                        new String(row.getBytes("value"), StandardCharsets.UTF_8))
                    .reduce((a, b) -> a + " " + b)
                    .orElseThrow())
        .sorted()
        .toList();
  }

  Path deadLetterTable() {
    return events.directory.resolve("checkpoint_dead_letter");
  }
}
