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
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import dev.idem.io.debezium.AvroEvents;
import dev.idem.io.debezium.FakeRegistry;
import dev.idem.io.debezium.Samples;
import dev.idem.io.debezium.Samples.Sample;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.pipelines.command.IdemInProcess;
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.testing.CapturedDatabase;
import dev.idem.testing.CapturedDatabase.Sent;
import dev.idem.testing.Covers;
import dev.idem.testing.DatabaseServer;
import dev.idem.testing.KafkaBroker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.beam.sdk.values.Row;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs that merge what Debezium captures of a database into tables. */
class CapturedToDeltaIT {

  private static final CapturedDatabase DATABASE = Captured.database();
  private static final long SEED = 20_261_130;
  private static final int STATEMENTS = 600;
  private static final int BATCH = 200;

  @TempDir private Path directory;

  private final String topic = "captured-" + UUID.randomUUID();

  @BeforeEach
  void createTopic() {
    KafkaBroker.shared().createTopic(topic, 2, Map.of());
  }

  private List<String> command(String table, String... more) {
    return commandOf(topic, table, more);
  }

  private List<String> commandOf(String from, String table, String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "cdc-to-delta",
                "--format=debezium",
                "--bootstrapServers=" + KafkaBroker.shared().bootstrapServers(),
                "--topics=" + from,
                "--table=" + directory.resolve(table),
                "--checkpoint=" + directory.resolve(table + "-checkpoint"),
                "--applicationId=" + table));
    arguments.addAll(List.of(more));
    return arguments;
  }

  private Outcome run(String table, String... more) {
    return IdemInProcess.run(command(table, more).toArray(String[]::new));
  }

  /** Sends events to the partition of their key, as Debezium does, the first ones twice. */
  private void send(List<Sent> events, int again) {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (Sent event : events.subList(0, again)) {
      records.add(record(event));
    }
    events.forEach(event -> records.add(record(event)));
    KafkaBroker.shared().sendAll(records);
  }

  private ProducerRecord<byte[], byte[]> record(Sent event) {
    int partition = Math.floorMod(Arrays.hashCode(event.key()), 2);
    return new ProducerRecord<>(topic, partition, event.key(), event.value());
  }

  private void send(String... values) {
    KafkaBroker.shared()
        .sendAll(
            Arrays.stream(values)
                .map(
                    value ->
                        new ProducerRecord<>(
                            topic,
                            0,
                            "{\"id\":1}".getBytes(StandardCharsets.UTF_8),
                            value.getBytes(StandardCharsets.UTF_8)))
                .toList());
  }

  /** Changes a table in transactions of several statements, some of which are rolled back. */
  private static void work(String table, Random random) {
    String session = "work-" + table;
    boolean open = false;
    for (int i = 0; i < STATEMENTS; i++) {
      if (!open) {
        DATABASE.in(session, "begin");
        open = true;
      }
      int id = 1 + random.nextInt(40);
      int other = 1 + random.nextInt(40);
      DATABASE.in(
          session,
          switch (random.nextInt(10)) {
            case 0, 1, 2 ->
                "insert into %1$s values (%2$d, %3$d.25, repeat('%3$d', 3000)) on conflict (id) do update set amount = excluded.amount"
                    .formatted(table, id, i);
            case 3, 4 -> "update %s set amount = %d where id = %d".formatted(table, i, id);
            case 5 -> "update %s set amount = null where id = %d".formatted(table, id);
            case 6 -> "delete from %s where id = %d".formatted(table, id);
            case 7, 8 ->
                "update %1$s set id = %2$d where id = %3$d and not exists (select 1 from %1$s where id = %2$d)"
                    .formatted(table, other, id);
            default -> "select 1";
          });
      if (random.nextInt(4) == 0) {
        DATABASE.in(session, random.nextInt(5) == 0 ? "rollback" : "commit");
        open = false;
      }
    }
    if (open) {
      DATABASE.in(session, "commit");
    }
  }

  private static List<String> inPostgres(String table) {
    return Arrays.stream(
            DATABASE
                .ask(
                    "select string_agg(id || ' ' || coalesce(amount::text, '-') || ' ' || note, ',') from "
                        + table)
                .split(",", -1))
        .sorted()
        .toList();
  }

  private static String text(Row row) {
    Object amount = row.getValue("amount");
    return row.getValue("id") + " " + (amount == null ? "-" : amount) + " " + row.getString("note");
  }

  private List<Row> rows(String table) {
    return DeltaRows.read(directory.resolve(table).toString()).toList();
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row({38, 39})
  void tableOfEveryKindOfChangeIsThatOfTheDatabase(JobRunner runner) throws IOException {
    String table = "worked_" + runner.name().toLowerCase(Locale.ROOT);
    DATABASE.sql(
        "create table %s (id int primary key, amount numeric(12, 2), note text)".formatted(table),
        "alter table %1$s alter note set storage external".formatted(table),
        "alter table %1$s replica identity full".formatted(table),
        "insert into %s select i, i, repeat('first', 1000) from generate_series(1, 20) i"
            .formatted(table));
    DATABASE.capture(table, "public." + table + "," + Captured.MARKS, true);
    List<Sent> events = new ArrayList<>(Captured.next(table, 20));
    work(table, new Random(SEED));
    events.addAll(Captured.untilNow(table));
    send(events, 60);
    assertThat("events, seed " + SEED, events.size(), greaterThan(BATCH));
    String mode = "--mergeMode=" + (runner == JobRunner.DIRECT ? "copy-on-write" : "merge-on-read");
    String limit = "--maxRecordsPerBatch=" + BATCH;

    List<String> crashing = command("latest", mode, limit);
    crashing.addAll(runner.options());
    crashing.add("--crashAt=between-targets:1");
    Forked.idem(crashing).exits(CrashPoint.EXIT_CODE);
    run("latest", mode, limit).done();
    run("history", "--scd=2", limit).done();
    DatabaseServer mirror = mirror(runner);
    List<String> mirroring = mirrorCommand(mirror, limit);
    mirroring.addAll(runner.options());
    mirroring.add("--crashAt=after-target-write:1");
    Forked.idem(mirroring).exits(CrashPoint.EXIT_CODE);
    IdemInProcess.run(mirrorCommand(mirror, limit).toArray(String[]::new)).done();

    List<String> expected = inPostgres(table);
    assertThat(mirror.name(), rows(mirror), equalTo(expected));
    assertThat(
        rows("latest").stream().map(CapturedToDeltaIT::text).sorted().toList(), equalTo(expected));
    assertThat(
        rows("history").stream()
            .filter(row -> row.getValue("__END_AT") == null)
            .map(CapturedToDeltaIT::text)
            .sorted()
            .toList(),
        equalTo(expected));
    assertThat(Files.exists(directory.resolve("latest_dead_letter/_delta_log")), is(true));
    assertThat(rows("latest_dead_letter"), is(List.of()));
    assertThat(rows("history_dead_letter"), is(List.of()));
    assertThat(run("latest", mode).done().out(), containsString("done: 0 batches run"));
  }

  /** Another database with an empty table of the same columns. */
  private static DatabaseServer mirror(JobRunner runner) {
    DatabaseServer server =
        (runner == JobRunner.DIRECT ? DatabaseServer.mariaDb() : DatabaseServer.postgres())
            .fresh("mirror");
    server.execute("create table mirror (id int primary key, amount numeric(12, 2), note text)");
    return server;
  }

  private List<String> mirrorCommand(DatabaseServer mirror, String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "cdc-to-jdbc",
                "--format=debezium",
                "--bootstrapServers=" + KafkaBroker.shared().bootstrapServers(),
                "--topics=" + topic,
                "--jdbcUrl=" + mirror.jdbcUrl(),
                "--user=" + mirror.user(),
                "--passwordFile=" + JdbcJob.passwordFile(mirror, directory),
                "--table=mirror",
                "--checkpoint=" + directory.resolve("mirror-checkpoint")));
    arguments.addAll(List.of(more));
    return arguments;
  }

  private static List<String> rows(DatabaseServer mirror) {
    return mirror.query("select id, amount, note from mirror").stream()
        .map(row -> row.get(0) + " " + (row.get(1) == null ? "-" : row.get(1)) + " " + row.get(2))
        .sorted()
        .toList();
  }

  private static String event(String op, long lsn, long time, String row) {
    return "{\"op\":\"%s\",\"before\":null,\"after\":%s,\"source\":{\"connector\":\"postgresql\",\"name\":\"p\",\"db\":\"d\",\"snapshot\":\"false\",\"ts_ms\":%d,\"lsn\":%d,\"sequence\":\"[\\\"%d\\\",\\\"%d\\\"]\"}}"
        .formatted(op, row, time, lsn, lsn - 1, lsn);
  }

  private List<String> latest() {
    return rows("latest").stream()
        .map(row -> row.getValues().get(0) + " " + row.getValues().get(1))
        .sorted()
        .toList();
  }

  @Test
  void aRowThatMovesToAnotherKeyIsOneRow() {
    send(
        event("c", 100, 1_000, "{\"id\":1,\"v\":\"a\"}"),
        event("u", 200, 1_000, "{\"id\":2,\"v\":\"b\"}")
            .replace("\"before\":null", "\"before\":{\"id\":1,\"v\":\"a\"}"));

    assertThat(run("latest").done().out(), containsString("read 3, rows 3"));

    assertThat(latest(), is(List.of("2 b")));
  }

  @Test
  void aLogThatGoesBackIsRefusedBeforeAnythingIsCommitted() {
    send(
        event("c", 100, 1_000_000, "{\"id\":1,\"v\":\"a\"}"),
        event("u", 200, 1_010_000, "{\"id\":1,\"v\":\"b\"}"));
    run("latest").done();
    send(event("u", 150, 1_090_000, "{\"id\":1,\"v\":\"c\"}"));

    run("latest").refused("must not go back", "[149]", "--onEarlierPosition=continue");
    run("latest").refused("must not go back");
    assertThat(latest(), is(List.of("1 b")));
    run("latest", "--onEarlierPosition=continue").done();
    // The database has it, the table has what is later in the log; new events go on from there.
    assertThat(latest(), is(List.of("1 b")));
    send(event("u", 300, 1_100_000, "{\"id\":1,\"v\":\"d\"}"));
    run("latest").done();
    assertThat(latest(), is(List.of("1 d")));
  }

  @Test
  @Covers.Case("DEV-24")
  void historiesRefuseTruncatesAndTombstonesSayNothing() {
    send(event("c", 100, 1_000, "{\"id\":1,\"v\":\"a\"}"), event("t", 200, 1_000, "null"));
    KafkaBroker.shared()
        .send(new ProducerRecord<>(topic, 0, "{\"id\":1}".getBytes(StandardCharsets.UTF_8), null));
    KafkaBroker.shared().send(new ProducerRecord<>(topic, 1, null, null));

    assertThat(run("history", "--scd=2").done().out(), containsString("dead letters 1"));
    assertThat(run("latest").done().out(), containsString("dead letters 0"));

    assertThat(rows("latest"), is(List.of()));
    assertThat(rows("history").size(), is(1));
    assertThat(rows("history_dead_letter").get(0).getString("rule"), containsString("truncates"));
  }

  private static void send(String topic, List<Sample> samples) {
    KafkaBroker.shared()
        .sendAll(
            samples.stream()
                .map(sample -> new ProducerRecord<>(topic, 0, sample.key(), sample.value()))
                .toList());
  }

  @Test
  void eventsInAvroAreReadThroughARegistryThatAsksForAPassword() throws IOException {
    // Without the truncate, behind which there is no row.
    List<Sample> samples =
        Samples.read("postgres-orders-schema.tsv").stream()
            .filter(
                sample ->
                    sample.value() == null
                        || !new String(sample.value(), StandardCharsets.UTF_8)
                            .contains("\"op\":\"t\""))
            .toList();
    String inAvro = topic + "-avro";
    KafkaBroker.shared().createTopic(inAvro, 1, Map.of());
    send(topic, samples);
    run("json", "--acceptIncompleteRows").done();
    try (FakeRegistry registry = new FakeRegistry()) {
      AvroEvents writer = new AvroEvents(registry);
      List<Sample> written = new ArrayList<>();
      for (Sample sample : samples) {
        written.add(writer.write(sample));
      }
      send(inAvro, written);
      String password = "n0t-to-be-seen";
      registry.require(
          "Basic "
              + Base64.getEncoder()
                  .encodeToString(("reader:" + password).getBytes(StandardCharsets.UTF_8)));
      Path secret = Files.writeString(directory.resolve("secret"), password);
      String[] options = {"--acceptIncompleteRows", "--schemaRegistry=" + registry.url()};

      Outcome refused =
          IdemInProcess.run(commandOf(inAvro, "avro", options).toArray(String[]::new));
      assertThat(refused.exit(), is(1));
      List<String> allowed = commandOf(inAvro, "avro", options);
      allowed.add("--schemaRegistryUser=reader");
      allowed.add("--schemaRegistrySecretFile=" + secret);
      Outcome done = IdemInProcess.run(allowed.toArray(String[]::new)).done();
      assertThat(done.out() + done.err(), not(containsString(password)));
    }

    List<Row> json = rows("json");
    assertThat(json.size(), greaterThan(0));
    assertThat(values(rows("avro")), equalTo(values(json)));
  }

  private static List<String> values(List<Row> rows) {
    return rows.stream().map(row -> row.getValues().toString()).sorted().toList();
  }

  @Test
  void whatEventsAreIsFoundOnceAndOptionsThatDoNotFitAreRefused() {
    run("latest").failed("--connector");
    send(event("c", 100, 1_000, "{\"id\":1,\"v\":\"a\"}"));
    run("latest", "--deleteWhen=op=d").exits(2);
    run("latest", "--metadataColumns=offset").exits(2);
    run("latest", "--except=v").done();
    assertThat(rows("latest").get(0).getSchema().hasField("v"), is(false));
    KafkaBroker.shared().deleteRecords(topic, 0, 1);

    assertThat(run("latest", "--except=v").done().out(), containsString("0 batches run"));
    run("latest").refused("merge table");
    run("latest", "--except=v", "--connector=mysql").refused("connector");
  }
}
