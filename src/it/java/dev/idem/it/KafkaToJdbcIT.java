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
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.testing.Covers.Row;
import dev.idem.testing.DatabaseServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that write to real databases, halted at every crash point. */
class KafkaToJdbcIT {

  private static final String REFUSED = "rejected by target 7 " + EventJob.event(7);

  @TempDir Path directory;

  @Test
  @Row({25, 35})
  void crashAtEveryPointLeavesEveryRowOnceInPostgresqlWithoutAKey() {
    DatabaseServer server = DatabaseServer.postgres().fresh("crashes");
    JdbcJob.createTable(server, false);
    EventJob events = EventJob.in(directory);
    JdbcJob job = JdbcJob.of(events, server, "append-once");
    List<CrashPoint> points = List.of(CrashPoint.values());

    for (int batch = 0; batch < points.size(); batch++) {
      events.send(batch * 10, batch * 10 + 10);
      job.fork("--crashAt=" + points.get(batch).option() + ":" + batch).exits(86);
      List<String> rows = job.rows();
      boolean written = points.get(batch).compareTo(CrashPoint.BEFORE_TARGET_COMMIT) > 0;
      assertThat(
          points.get(batch).option(),
          rows,
          is(JdbcJob.taken(0, written ? batch * 10 + 10 : batch * 10)));
    }
    job.fork().done();

    assertThat(job.rows(), is(JdbcJob.taken(0, points.size() * 10)));
    assertThat(JdbcJob.deadLetters(job.deadLetterTable()), is(List.of(REFUSED)));
  }

  @Test
  void crashAroundTheWriteLeavesEveryRowOnceInMariaDb() {
    DatabaseServer server = DatabaseServer.mariaDb().fresh("crashes");
    JdbcJob.createTable(server, true);
    EventJob events = EventJob.in(directory);
    JdbcJob job = JdbcJob.of(events, server, "upsert", "--keys=id");
    List<String> points = List.of("after-target-write", "between-targets", "before-commits");

    for (int batch = 0; batch < points.size(); batch++) {
      events.send(batch * 10, batch * 10 + 10);
      job.fork("--crashAt=" + points.get(batch) + ":" + batch).exits(86);
    }
    job.fork().done();
    Outcome again = job.fork().done();

    assertThat(again.err(), is(""));
    assertThat(job.rows(), is(JdbcJob.taken(0, 30)));
    assertThat(JdbcJob.deadLetters(job.deadLetterTable()), is(List.of(REFUSED)));
  }

  @Test
  void dryRunLeavesTheDatabaseAsItIs() {
    DatabaseServer server = DatabaseServer.postgres().fresh("dry");
    JdbcJob.createTable(server, true);
    EventJob events = EventJob.in(directory);
    events.send(0, 5);

    Outcome outcome = JdbcJob.of(events, server, "upsert", "--keys=id").run("--dryRun").done();

    assertThat(outcome.out(), containsString("dry run: nothing is written"));
    assertThat(
        server.query(
            "SELECT table_name::text FROM information_schema.tables"
                + " WHERE table_schema = 'public'"),
        is(List.of(List.of("events"))));
  }

  @Test
  void laterRecordOfAKeyWinsWithoutASequence() {
    DatabaseServer server = DatabaseServer.postgres().fresh("upsert");
    JdbcJob.createTable(server, true);
    EventJob events = EventJob.in(directory).with("--maxRecordsPerBatch", "1000");
    events.send(0, 100);
    List<String> last = new ArrayList<>();
    for (int id = 0; id < 100; id++) {
      for (int version = 0; version < 3; version++) {
        events.sendValue(
            "{\"id\":\"e%d\",\"at\":\"now\",\"amount\":%d}".formatted(id, 1000 + version));
      }
      last.add("e" + id + "=1002");
    }

    JdbcJob.of(events, server, "upsert", "--keys=id", "--maxRecordsPerBatch=1000").run().done();

    assertThat(JdbcJob.rows(server), is(last.stream().sorted().toList()));
  }

  @Test
  void lostCheckpointIsRefusedAndRestoredFromTheTable() throws IOException {
    DatabaseServer server = DatabaseServer.postgres().fresh("lost");
    JdbcJob.createTable(server, false);
    EventJob events = EventJob.in(directory);
    JdbcJob job = JdbcJob.of(events, server, "append-once");
    events.send(0, 25);
    job.run().done();
    Files.move(job.checkpoint(), directory.resolve("lost"));
    events.send(25, 30);

    Outcome refused = job.run().exits(3);
    job.run("--onLostCheckpoint=resume").done();

    assertThat(refused.err(), containsString("\"table\""));
    assertThat(job.rows(), is(JdbcJob.taken(0, 30)));
    assertThat(JdbcJob.deadLetters(job.deadLetterTable()), is(List.of(REFUSED)));
  }

  @Test
  void restoredDatabaseIsRefused() {
    DatabaseServer server = DatabaseServer.postgres().fresh("restored");
    JdbcJob.createTable(server, false);
    EventJob events = EventJob.in(directory);
    JdbcJob job = JdbcJob.of(events, server, "append-once");
    events.send(0, 10);
    job.run().done();
    server.execute(
        "CREATE TABLE saved AS SELECT * FROM events",
        "CREATE TABLE saved_record AS SELECT * FROM idem_record");
    events.send(10, 20);
    job.run().done();
    server.execute(
        "DELETE FROM events",
        "INSERT INTO events SELECT * FROM saved",
        "DELETE FROM idem_record",
        "INSERT INTO idem_record SELECT * FROM saved_record");

    Outcome refused = job.run().exits(3);

    assertThat(refused.err(), containsString("\"table\""));
    assertThat(job.rows(), is(JdbcJob.taken(0, 10)));
  }

  @Test
  @Row(38)
  void crashBetweenADatabaseAndATableLeavesTheBatchOnceInBoth() {
    DatabaseServer server = DatabaseServer.postgres().fresh("both");
    JdbcJob.createTable(server, false);
    EventJob events = EventJob.in(directory);
    events.send(0, 10);
    both(server, events).done();
    events.send(10, 20);

    both(server, events, "--crashAt=after-target-write:1").exits(86);
    assertThat(JdbcJob.rows(server), is(JdbcJob.taken(0, 20)));
    assertThat(held(), is(0L));
    both(server, events, "--crashAt=between-targets:1").exits(86);
    assertThat(held(), is(0L));
    both(server, events).done();

    assertThat(held(), is(1L));
    assertThat(JdbcJob.rows(server), is(JdbcJob.taken(0, 20)));
    assertThat(EventJob.rows(directory.resolve("table")), is(EventJob.events(0, 20)));
    assertThat(JdbcJob.deadLetters(directory.resolve("table_dead_letter")), is(List.of(REFUSED)));
  }

  private Outcome both(DatabaseServer server, EventJob events, String... more) {
    return Forked.main(
        TwoPlacesJob.class.getName(),
        Stream.concat(
                Stream.of(
                    events.broker.bootstrapServers(),
                    events.topic,
                    directory.toString(),
                    server.jdbcUrl(),
                    server.user(),
                    JdbcJob.passwordFile(server, directory).toString(),
                    "--maxRecordsPerBatch=10",
                    "--checkpoint=" + directory.resolve("checkpoint")),
                Stream.of(more))
            .toList());
  }

  private long held() {
    return DeltaTable.at(directory.resolve("table").toString(), Map.of())
        .record("both/table")
        .map(DeltaRecord::batch)
        .orElse(-1L);
  }
}
