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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.table.DeltaRecord;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.kafka.publish.BatchRecord;
import dev.idem.pipelines.command.IdemInProcess;
import dev.idem.testing.Covers.Row;
import dev.idem.testing.DatabaseServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One job that writes a Delta table, a table of a database and a topic, by a file of options. */
class ThreeTargetsIT {

  private static final String REFUSED = "rejected by target 7 " + EventJob.event(7);

  @TempDir Path directory;

  private DatabaseServer server;
  private EventJob events;
  private Published published;
  private Path config;

  @BeforeEach
  void writeTheFileOfOptions() throws IOException {
    server = DatabaseServer.postgres().fresh("three");
    JdbcJob.createTable(server, false);
    events = EventJob.in(directory);
    published = Published.create(events.broker);
    config =
        Files.writeString(
            directory.resolve("events.properties"),
            """
            bootstrapServers=%1$s
            topics=%2$s
            table=%3$s/table
            checkpoint=%3$s/checkpoint
            keys=id
            eventTime=at
            maxRecordsPerBatch=10

            target.shop.jdbcUrl=%4$s
            target.shop.user=%5$s
            target.shop.passwordFile=%6$s
            target.shop.table=events
            target.shop.mode=append-once

            target.published.bootstrapServers=%1$s
            target.published.topic=%7$s
            target.published.key=id
            """
                .formatted(
                    events.broker.bootstrapServers(),
                    events.topic,
                    directory,
                    server.jdbcUrl(),
                    server.user(),
                    JdbcJob.passwordFile(server, directory),
                    published.topic()));
  }

  private List<String> command(String... more) {
    List<String> command = new ArrayList<>(List.of("kafka-to-delta", "--config=" + config));
    command.addAll(List.of(more));
    return command;
  }

  private Outcome fork(String... more) {
    return Forked.idem(command(more));
  }

  /** Returns which batch each target remembers, and whether it has more rows than those of it. */
  private String held() {
    BatchRecord topic = published.batch(sink("published"));
    Object database =
        server.query("SELECT batch FROM idem_batch ORDER BY batch DESC LIMIT 1").get(0).get(0);
    long table =
        DeltaTable.at(directory.resolve("table").toString(), Map.of())
            .record(sink("table"))
            .map(DeltaRecord::batch)
            .orElse(-1L);
    return "topic "
        + topic.batch()
        + (topic.closed() ? "" : " open")
        + ", database "
        + database
        + ", table "
        + table;
  }

  private String sink(String target) {
    return "kafka-to-delta:" + events.topic + "/" + target;
  }

  private static List<String> records(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(id -> "e" + id + "=" + EventJob.event(id))
        .sorted()
        .toList();
  }

  @Test
  @Row(38)
  void crashBetweenEachTwoTargetsLeavesTheBatchOnceInAll() {
    events.send(0, 10);
    run().done();
    assertThat(held(), is("topic 0, database 0, table 0"));
    events.send(10, 20);

    fork("--crashAt=after-target-write:1").exits(86);
    assertThat(held(), is("topic 1 open, database 0, table 0"));
    assertThat(published.rows(), is(records(0, 20)));
    assertThat(JdbcJob.rows(server), is(JdbcJob.taken(0, 10)));
    fork("--crashAt=between-targets:1").exits(86);
    assertThat(held(), is("topic 1, database 0, table 0"));
    assertThat(JdbcJob.rows(server), is(JdbcJob.taken(0, 20)));
    fork("--crashAt=between-targets:1").exits(86);
    assertThat(held(), is("topic 1, database 1, table 0"));
    assertThat(events.rows(), is(EventJob.events(0, 10)));
    fork("--crashAt=after-target-commit:1").exits(86);
    assertThat(held(), is("topic 1, database 1, table 1"));
    Outcome done = run().done();

    assertThat(done.err(), is(""));
    assertThat(events.rows(), is(EventJob.events(0, 20)));
    assertThat(JdbcJob.rows(server), is(JdbcJob.taken(0, 20)));
    assertThat(published.rows(), is(records(0, 20)));
    assertThat(
        published.records().stream()
            .map(each -> each.key() + " in " + each.batch())
            .sorted()
            .toList(),
        is(IntStream.range(0, 20).mapToObj(id -> "e" + id + " in " + id / 10).sorted().toList()));
    assertThat(JdbcJob.deadLetters(events.deadLetters()), is(List.of(REFUSED)));
  }

  @Test
  void targetsThatCannotBeAreRefusedByName() {
    assertThat(
        run("--target=odd.path=/data").exits(2).err(), containsString("Target \"odd\" must have"));
    assertThat(
        run("--target=odd.topic=t").exits(2).err(), containsString("Target \"odd\": Missing"));
    assertThat(
        run("--target=table.table=" + directory.resolve("other")).exits(2).err(),
        containsString("\"table\""));
  }

  private Outcome run(String... more) {
    return IdemInProcess.run(command(more).toArray(String[]::new));
  }
}
