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
import static org.hamcrest.Matchers.is;

import dev.idem.io.checkpoint.CheckpointView;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.pipelines.command.IdemInProcess;
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.testing.CapturedDatabase;
import dev.idem.testing.KafkaBroker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables of a real PostgreSQL are loaded, beside the changes that Debezium captures of them. */
class JdbcToDeltaIT {

  private static final long SEED = 20_261_130;
  private static final int IDS = 150;
  private static final int CHANGES = 60;
  private static final Pattern REPEATED = Pattern.compile("([a-z0-9])\\1{99,}");

  private static final CapturedDatabase DATABASE = Captured.database();

  @TempDir private Path directory;

  private Path table(String name) {
    return directory.resolve(name);
  }

  /** Returns the load of a table into a Delta table of the same name. */
  private List<String> load(String name, String... more) {
    List<String> load = loadInto(name);
    load.add("--sourceTable=" + name);
    load.addAll(List.of(more));
    return load;
  }

  /** Returns a load that lacks what is read. */
  private List<String> loadInto(String name) {
    return new ArrayList<>(
        List.of(
            "jdbc-to-delta",
            "--jdbcUrl=" + DATABASE.jdbcUrl(),
            "--user=postgres",
            "--table=" + table(name),
            "--checkpoint=" + directory.resolve(name + "_load")));
  }

  /** Returns arguments of which one has another value. */
  private static List<String> with(String option, List<String> arguments) {
    String name = option.substring(0, option.indexOf('=') + 1);
    arguments.replaceAll(each -> each.startsWith(name) ? option : each);
    return arguments;
  }

  private static Outcome run(List<String> arguments) {
    return IdemInProcess.run(arguments.toArray(String[]::new));
  }

  private List<String> stream(CapturedTopic topic, Path table) {
    return List.of(
        "cdc-to-delta",
        "--bootstrapServers=" + KafkaBroker.shared().bootstrapServers(),
        "--topics=" + topic.name(),
        "--format=debezium",
        "--table=" + table,
        "--checkpoint=" + table + "_stream");
  }

  /** Returns rows with all that guards them, in an order of their own. */
  private static List<String> rows(Path table) {
    return DeltaRows.read(table.toString()).toList().stream()
        .map(row -> row.getValues().stream().map(JdbcToDeltaIT::text).toList().toString())
        .sorted()
        .toList();
  }

  private static String text(Object value) {
    if (value instanceof Row row) {
      return row.getValues().stream().map(JdbcToDeltaIT::text).toList().toString();
    }
    return value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : String.valueOf(value);
  }

  private static String schema(Path table) {
    return DeltaTable.at(table.toString(), Map.of()).state().orElseThrow().schemaJson();
  }

  @Test
  void rowsAreThoseOfDebeziumsFirstSnapshot() throws IOException {
    DATABASE.sql(
        "create type mood as enum ('sad', 'ok')",
        "create table kinds (id bigint primary key, i2 smallint, i4 int, i8 bigint, f4 real,"
            + " f8 double precision, n numeric, n5 numeric(5), n12 numeric(12, 3),"
            + " n40 numeric(40, 2), b boolean, t text, v varchar(20), c char(3), u uuid,"
            + " j json, jb jsonb, x xml, m mood, d date, tm time, tm3 time(3),"
            + " ts timestamp, ts3 timestamp(3), tz timestamptz, by bytea, bi bit(1),"
            + " ip inet, net cidr, mac macaddr, rg int4range, \"Weird\"\"name\" text)",
        "insert into kinds values (1, -32768, -2147483648, -9223372036854775808, 0.1, 1e300,"
            + " 12345.6700, 99999, 123456789.125, 12345678901234567890123456789012345678.20,"
            + " true, 'text', 'varchar', 'c', '00000000-0000-0000-0000-00000000002a',"
            + " '{\"a\": 1}', '{\"b\":[1]}', '<a/>', 'ok', '2026-03-01', '12:00:00.120000',"
            + " '23:59:59.5', '2026-03-01 12:00:00.123456', '1969-12-31 23:59:59.999',"
            + " '2026-03-01 12:00:00.123456+02', '\\x00ff', '1', '10.0.0.1', '10.0.0.0/8',"
            + " '08:00:2b:01:02:03', '[1,5)', 'weird')",
        "insert into kinds (id) values (-5)",
        "insert into kinds (id, i2, f4, f8, n, n12, t, d, tm, ts, tz, by) values (2, 32767, 'NaN',"
            + " '-Infinity', 100, -0.001, '', '0001-01-01', '00:00', '1600-01-01', '9999-12-31',"
            + " '')");
    DATABASE.capture("kinds", "public.kinds," + Captured.MARKS, true);
    CapturedTopic topic = CapturedTopic.of("kinds");
    topic.sendUntilNow();
    run(stream(topic, table("streamed"))).done();

    List<String> load = load("kinds", "--before=postgresql", "--partitions=3");
    run(load).done();

    assertThat(schema(table("kinds")), equalTo(schema(table("streamed"))));
    assertThat(rows(table("kinds")), equalTo(rows(table("streamed"))));
    assertThat(rows(table("kinds")).size(), is(3));
    assertThat(run(load).done().out(), containsString("done: 0 batches run"));
  }

  private void loadsParts(String column, String... more) {
    List<String> load = loadInto("by_" + column);
    load.addAll(List.of("--sourceTable=parts", "--before=postgresql"));
    load.addAll(List.of(more));
    Outcome outcome = run(load).done();

    assertThat(outcome.out().lines().count(), is(2L));
    assertThat(column, pairs(table("by_" + column), "id", "p"), equalTo(PARTS));
  }

  private static final List<String> PARTS =
      List.of(
          "-1=-9223372036854775808",
          "-9223372036854775808=-1",
          "0=null",
          "5=9223372036854775807",
          "6=9223372036854775807",
          "9223372036854775807=0");

  private static List<String> pairs(Path table, String... columns) {
    return DeltaRows.read(table.toString()).toList().stream()
        .map(
            row ->
                Stream.of(columns)
                    .map(column -> shortened(text(row.getValue(column))))
                    .collect(Collectors.joining("=")))
        .sorted()
        .toList();
  }

  @Test
  void everyRowIsInOnePartition() {
    DATABASE.sql(
        "create table parts (id bigint primary key, p bigint, n numeric(22, 2), ts timestamp,"
            + " tz timestamptz)",
        "insert into parts values"
            + " (-9223372036854775808, -1, -0.01, '1969-12-31 23:59:59.999999', null),"
            + " (-1, -9223372036854775808, 7, null, '1969-12-31 23:59:59.999999Z'),"
            + " (0, null, null, '1970-01-01', '2026-01-01Z'),"
            + " (5, 9223372036854775807, 99999999999999999999.99, '2026-01-01', '2026-01-01Z'),"
            + " (6, 9223372036854775807, 7, '2026-01-01 00:00:00.000001', null),"
            + " (9223372036854775807, 0, 0, '2026-01-02', '2026-01-02Z')");

    loadsParts("id", "--partitions=7");
    loadsParts("p", "--partitions=7", "--partitionColumn=p");
    loadsParts("n", "--partitions=3", "--partitionColumn=n", "--fetchSize=1");
    loadsParts("ts", "--partitions=5", "--partitionColumn=ts");
    loadsParts("tz", "--partitions=2", "--partitionColumn=tz");
  }

  @Test
  void anEmptyTableIsLoadedOnce() {
    DATABASE.sql("create table nothing (id int primary key, v text)");

    assertThat(run(load("nothing", "--before=postgresql")).done().out(), containsString("batch 0"));

    assertThat(rows(table("nothing")), is(List.of()));
    DATABASE.sql("insert into nothing values (1, 'later')");
    assertThat(
        run(load("nothing", "--before=postgresql")).done().out(),
        containsString("done: 0 batches run"));
    assertThat(rows(table("nothing")), is(List.of()));
  }

  @Test
  void rowsThatAreNoChangesAreDeadLetters() {
    DATABASE.sql(
        "create table odd (id int, at timestamp, n numeric(5, 1))",
        "insert into odd values (1, '2026-01-01', 1), (null, '2026-01-01', 2), (3, 'infinity', 3),"
            + " (4, '2026-01-01', 'NaN')");

    run(load("odd", "--before=postgresql", "--keys=id")).done();

    assertThat(pairs(table("odd"), "id", "n"), is(List.of("1=1.0")));
    assertThat(
        DeltaRows.read(directory.resolve("odd_dead_letter").toString()).toList().stream()
            .map(row -> row.getString("reason") + " " + row.getString("column"))
            .sorted()
            .toList(),
        is(List.of("null key id", "parse error at", "parse error n")));
  }

  @Test
  void columnsOfTheTableMayOrderRows() {
    DATABASE.sql(
        "create table versioned (id int primary key, version int, v text)",
        "insert into versioned values (1, 5, 'old'), (2, 7, 'old'), (3, null, 'no version')");
    List<String> load = load("versioned", "--keys=id", "--sequenceBy=version");
    run(load).done();
    DATABASE.sql(
        "update versioned set version = 6, v = 'new' where id = 1",
        "update versioned set version = 6, v = 'older' where id = 2");

    load.add("--applicationId=again");
    run(with("--checkpoint=" + directory.resolve("again"), load)).done();

    assertThat(pairs(table("versioned"), "id", "v"), is(List.of("1=new", "2=old")));
  }

  /** Reads the rows as they are when it begins, and then waits until nobody holds the gate. */
  private static final String GATED =
      "select id, v, large, n from %1$s union all select id, v, large, n from %1$s where case when"
          + " current_setting('transaction_read_only') = 'on' then"
          + " pg_advisory_lock_shared(42)::text = 'never' else false end";

  /** Changes what may have been loaded, and may not. */
  private static void change(Random random, String table) {
    for (int i = 0; i < CHANGES; i++) {
      DATABASE.in("workload", "begin");
      DATABASE.in("workload", statement(random).formatted(table));
      DATABASE.in("workload", random.nextInt(8) == 0 ? "rollback" : "commit");
    }
  }

  /** The row with id 1 is left to the transaction that is open. */
  private static String statement(Random random) {
    int id = 2 + random.nextInt(IDS);
    int other = 2 + random.nextInt(IDS);
    int value = random.nextInt(1000);
    return switch (random.nextInt(6)) {
      case 0 -> "delete from %s where id = " + id;
      case 1 -> "update %s set large = repeat('" + value % 10 + "', 3000) where id = " + id;
      case 2 ->
          ("update %%1$s set id = %d where id = %d and not exists (select 1 from %%1$s where id ="
                  + " %d)")
              .formatted(other, id, other);
      case 3 ->
          "insert into %s values ("
              + id
              + ", 'again', repeat('y', 4000), 1) on conflict do nothing";
      default -> "update %s set v = 'v" + value + "', n = -n where id = " + id;
    };
  }

  private static List<String> source(String table) {
    String rows =
        DATABASE.ask(
            "select string_agg(concat_ws('=', id, v, large, coalesce(n::text, 'null')), ',') from "
                + table);
    return Stream.of(shortened(rows).split(",", -1)).sorted().toList();
  }

  /** Writes how often a character is repeated instead of repeating it. */
  private static String shortened(String text) {
    return REPEATED
        .matcher(text)
        .replaceAll(repeated -> repeated.group(1) + "*" + repeated.group().length());
  }

  @ParameterizedTest
  @EnumSource
  void loadAndStreamMeetWithoutGapOrDouble(JobRunner runner) throws IOException {
    String name = "accounts_" + runner.name().toLowerCase(Locale.ROOT);
    Random random = new Random(SEED);
    DATABASE.sql(
        "create table %s (id int primary key, v text, large text, n numeric(10, 2))"
            .formatted(name),
        "alter table %s alter large set storage external".formatted(name),
        "alter table %s replica identity full".formatted(name),
        "insert into %s select i, 'v' || i, repeat('x', 3000), i from generate_series(1, 100) i"
            .formatted(name));
    String open =
        Captured.captureBesideOpen(
            name,
            "public." + name,
            "update %s set v = 'open' where id = 1".formatted(name),
            "snapshot.mode=no_data");
    CapturedTopic topic = CapturedTopic.of(name);
    List<String> stream = stream(topic, table(name));
    List<String> load = loadInto(name);
    load.addAll(List.of("--before=postgresql", "--keys=id", "--query=" + GATED.formatted(name)));
    load.addAll(runner.options());

    change(random, name);
    topic.sendUntilNow();
    run(stream).done();
    for (String point : points(runner)) {
      List<String> crashed = new ArrayList<>(load);
      crashed.add("--crashAt=" + point);
      Forked.idem(crashed).exits(CrashPoint.EXIT_CODE);
      change(random, name);
    }
    DATABASE.in("gate", "select pg_advisory_lock(42)");
    CompletableFuture<Outcome> loaded = CompletableFuture.supplyAsync(() -> Forked.idem(load));
    DATABASE.await(
        "select exists (select 1 from pg_locks where locktype = 'advisory' and not granted)");
    // What the load has read is old from here on.
    DATABASE.in(open, "commit");
    change(random, name);
    topic.sendUntilNow();
    run(stream).done();
    DATABASE.in("gate", "select pg_advisory_unlock(42)");
    loaded.join().done();

    assertThat(pairs(table(name), "id", "v", "large", "n"), equalTo(source(name)));
    change(random, name);
    topic.sendUntilNow();
    run(stream).done();
    assertThat(pairs(table(name), "id", "v", "large", "n"), equalTo(source(name)));
    assertThat(deadLetters(name), is(0));
    assertThat(run(load).done().out(), containsString("done: 0 batches run"));
    assertThat(
        CheckpointView.find(directory.resolve(name + "_load").toString(), Map.of())
            .orElseThrow()
            .batches()
            .get(0)
            .commit()
            .orElseThrow()
            .notes()
            .keySet(),
        is(Set.of("changed content of table")));
  }

  /** The earlier point is the same on every runner. */
  private static List<String> points(JobRunner runner) {
    return runner == JobRunner.DIRECT
        ? List.of("before-target-commit", "between-targets")
        : List.of("between-targets");
  }

  private int deadLetters(String name) {
    return DeltaRows.read(directory.resolve(name + "_dead_letter").toString()).toList().size();
  }

  @Test
  void whatIsWrongIsSaid() throws IOException {
    DATABASE.sql(
        "create table listed (id int primary key, a int[])",
        "create table keyless (id int, v text)");
    Path wide = Files.writeString(directory.resolve("wide"), schemaOf("a", "string"));
    Path narrow = Files.writeString(directory.resolve("narrow"), schemaOf("id", "short"));

    run(load("nowhere", "--before=postgresql")).failed("table nowhere", "does not exist");
    run(with(
            "--jdbcUrl=jdbc:postgresql://localhost:1/postgres",
            load("listed", "--before=postgresql")))
        .failed("jdbc:postgresql://localhost:1/postgres", "user \"postgres\"", "refused");
    usage(load("listed", "--before=postgresql"), "Column \"a\"", "_int4", "--schema=FILE");
    usage(load("listed", "--before=postgresql", "--schema=" + wide), "Column \"a\"");
    usage(
        load("listed", "--before=postgresql", "--schema=" + narrow),
        "Column \"id\" must be read as integer or wider, but is declared as: short");
    usage(load("keyless", "--before=postgresql"), "keyless has no primary key");
    usage(
        load("keyless", "--before=postgresql", "--keys=id", "--partitions=2"),
        "--partitions=2 must come with --partitionColumn");
    usage(
        load("keyless", "--before=postgresql", "--keys=id", "--partitionColumn=v"),
        "\"v\" is: text");
    usage(
        load("keyless", "--before=postgresql", "--keys=id", "--partitionColumn=w"),
        "one of the columns [id, v], but was: \"w\"");
    usage(load("keyless", "--before=postgresql", "--keys=id", "--scd=2"), "--scd must be 1");
    usage(load("keyless", "--before=oracle", "--keys=id"), "but was: \"oracle\"");
    usage(load("keyless", "--keys=id"), "Either --before or --sequenceBy");
    usage(
        load("keyless", "--keys=id", "--before=postgresql", "--query=select 1"),
        "Either --sourceTable or --query");
    assertThat(Files.exists(directory.resolve("keyless_load")), is(false));
    assertThat(Files.exists(directory.resolve("listed_load")), is(false));
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  private static void usage(List<String> arguments, String... parts) {
    Outcome outcome = run(arguments).exits(2);
    for (String part : parts) {
      assertThat(outcome.err(), containsString(part));
    }
  }

  private static String schemaOf(String column, String type) {
    return "{\"type\":\"struct\",\"fields\":[{\"name\":\"%s\",\"type\":\"%s\",\"nullable\":true,\"metadata\":{}}]}"
        .formatted(column, type);
  }

  @Test
  void declaredColumnsAreLoadedAlone() throws IOException {
    DATABASE.sql(
        "create table wider (id int primary key, a int[], s smallint)",
        "insert into wider values (1, '{1}', 7)");
    Path declared =
        Files.writeString(
            directory.resolve("declared"),
            schemaOf("id", "integer")
                .replace(
                    "]}",
                    ",{\"name\":\"s\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}"));

    run(load("wider", "--before=postgresql", "--schema=" + declared)).done();

    assertThat(rows(table("wider")), is(List.of("[1, 7, [0, 0], null, null]")));
    assertThat(schema(table("wider")), containsString("\"s\",\"type\":\"long\""));
  }

  @Test
  void aPasswordIsReadFromItsFileAndIsInNothingElse() throws IOException {
    String password = "jdbc-n0t-f0r-pr1nt";
    DATABASE.sql(
        "create role loader login password '" + password + "'",
        "create table secured (id int primary key)",
        "insert into secured values (1)",
        "grant select on secured to loader");
    Path access = Path.of(DATABASE.ask("show hba_file"));
    Files.writeString(access, "host all loader all scram-sha-256\n" + Files.readString(access));
    DATABASE.ask("select pg_reload_conf()");
    Path right = Files.writeString(directory.resolve("password"), password + "\n");
    Path wrong = Files.writeString(directory.resolve("wrong"), "wr0ng-n0t-f0r-pr1nt");
    List<String> load = with("--user=loader", loadInto("secured"));
    load.addAll(List.of("--sourceTable=secured", "--before=postgresql"));

    List<String> all = new ArrayList<>(load);
    all.add("--passwordFile=" + right);
    Outcome done = run(all).done();
    load.add("--passwordFile=" + wrong);
    Outcome refused =
        run(load).failed("user \"loader\"", "password authentication failed", "--passwordFile");

    assertThat(pairs(table("secured"), "id"), is(List.of("1")));
    for (String secret : List.of(password, "wr0ng-n0t-f0r-pr1nt")) {
      assertThat(
          (done.out() + done.err() + refused.out() + refused.err()).contains(secret), is(false));
      for (Path file : files()) {
        String content = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        boolean own = file.equals(right) || file.equals(wrong);
        assertThat(file.toString(), content.contains(secret) && !own, is(false));
      }
    }
    usage(
        with(
            "--jdbcUrl=" + DATABASE.jdbcUrl() + "?password=x9y",
            load("secured", "--before=postgresql")),
        "--jdbcUrl must not hold a password");
  }
}
