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
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.idem.io.debezium.DebeziumDecoder;
import dev.idem.io.debezium.DebeziumInference;
import dev.idem.io.debezium.DebeziumTable;
import dev.idem.io.debezium.DecodedEvent;
import dev.idem.io.debezium.DecodedEvent.Changes;
import dev.idem.io.debezium.DecodedEvent.Refused;
import dev.idem.io.debezium.SourcePositions;
import dev.idem.testing.CapturedDatabase;
import dev.idem.testing.CapturedDatabase.Sent;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestPipeline;
import org.apache.beam.sdk.testing.TestPipelineExtension;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What Debezium sends for a real PostgreSQL becomes the rows that PostgreSQL has. */
@ExtendWith(TestPipelineExtension.class)
class DebeziumIT {
  private static final int LARGE = 100_000;

  private static final CapturedDatabase DATABASE = Captured.database();

  private static DebeziumTable infer(List<Sent> records) {
    DebeziumInference inference = DebeziumInference.json();
    records.forEach(sent -> inference.add(sent.key(), sent.value()));
    return inference.table();
  }

  /** Returns the columns of changes that are not null, without those that order them. */
  private static List<Map<String, Object>> changes(DebeziumDecoder decoder, Sent sent) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Row row : ((Changes) decoder.decode(sent.key(), sent.value())).rows()) {
      Map<String, Object> columns = new TreeMap<>();
      for (String name : row.getSchema().getFieldNames()) {
        Object value = row.getValue(name);
        if (value != null && !name.endsWith("lsn") && !name.endsWith("_ms")) {
          columns.put(
              name, value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value);
        }
      }
      all.add(columns);
    }
    return all;
  }

  private static JsonNode source(Sent sent) throws IOException {
    return Captured.payload(sent.value()).path("source");
  }

  private static final String INSERT =
      "insert into %s values (1, repeat('x', "
          + LARGE
          + "), 12345.678, '2026-03-01 12:00:00.123456+02', '2026-03-01 12:00:00.123456',"
          + " '00000000-0000-0000-0000-00000000002a', '{\"a\": 1}', array['a', null, 'b'],"
          + " array[1, 2], '\\x00ff')";

  private static void createKinds(String table) {
    DATABASE.sql(
        "create table %s (id bigint primary key, large text, n numeric(12, 3), at timestamptz, local timestamp, u uuid, j jsonb, texts text[], ints int[], b bytea)"
            .formatted(table),
        "alter table %s alter large set storage external".formatted(table));
  }

  private static Map<String, Object> inserted() {
    Map<String, Object> row = new TreeMap<>();
    row.put("id", 1L);
    row.put("large", "x".repeat(LARGE));
    row.put("n", new BigDecimal("12345.678"));
    row.put("at", Instant.parse("2026-03-01T10:00:00.123456Z"));
    row.put("local", LocalDateTime.parse("2026-03-01T12:00:00.123456"));
    row.put("u", "00000000-0000-0000-0000-00000000002a");
    row.put("j", "{\"a\": 1}");
    row.put("texts", Arrays.asList("a", null, "b"));
    row.put("ints", List.of(1, 2));
    row.put("b", "00ff");
    row.put("__op", "c");
    return row;
  }

  private static Map<String, Object> with(Map<String, Object> row, Object... columns) {
    Map<String, Object> changed = new TreeMap<>(row);
    for (int i = 0; i < columns.length; i += 2) {
      if (columns[i + 1] == null) {
        changed.remove((String) columns[i]);
      } else {
        changed.put((String) columns[i], columns[i + 1]);
      }
    }
    return changed;
  }

  /** Does everything to a table that has been captured. */
  private static void change(String table) {
    DATABASE.sql(
        INSERT.formatted(table),
        "update %s set n = null where id = 1".formatted(table),
        "delete from %s".formatted(table),
        "truncate %s".formatted(table));
  }

  private static void assertChanges(DebeziumDecoder decoder, List<Sent> records) {
    Map<String, Object> row = inserted();
    List<String> carried = List.of("id", "n", "at", "local", "u", "j", "texts", "ints", "b");
    assertThat(changes(decoder, records.get(0)), contains(row));
    assertThat(
        changes(decoder, records.get(1)),
        contains(with(row, "__op", "u", "n", null, "large", null, "__columns", carried)));
    assertThat(changes(decoder, records.get(2)), contains(Map.of("id", 1L, "__op", "d")));
    assertThat(
        decoder.decode(records.get(3).key(), records.get(3).value()),
        instanceOf(DecodedEvent.Tombstone.class));
    assertThat(changes(decoder, records.get(4)), contains(Map.of("__op", "t")));
    assertThat(records.size(), is(5));
  }

  @Test
  void everyKindOfChangeIsRead() throws IOException {
    createKinds("typed");
    DATABASE.sql("insert into typed (id) values (0)");
    DATABASE.capture("typed", "public.typed,public.marks", true);
    List<Sent> snapshot = Captured.next("typed", 1);
    DebeziumTable table = infer(snapshot);

    change("typed");

    DebeziumDecoder decoder = DebeziumDecoder.json(table);
    assertThat(changes(decoder, snapshot.get(0)), contains(Map.of("id", 0L, "__op", "r")));
    List<Sent> sent = Captured.untilNow("typed");
    // The row of the snapshot is deleted before the table is emptied.
    List<Sent> deletedFirst = List.of(sent.get(2), sent.get(3));
    assertThat(changes(decoder, deletedFirst.get(0)), contains(Map.of("id", 0L, "__op", "d")));
    List<Sent> others = new ArrayList<>(sent);
    others.removeAll(deletedFirst);
    assertChanges(decoder, others);
  }

  @Test
  void withoutSchemasTheDeclaredTypesAreRead() throws IOException {
    createKinds("untyped");
    createKinds("declared");
    DATABASE.sql("insert into untyped (id) values (0)", "insert into declared (id) values (0)");
    DATABASE.capture("declared", "public.declared", true);
    DebeziumTable table = infer(Captured.next("declared", 1));
    DATABASE.capture("untyped", "public.untyped,public.marks", false);
    Captured.next("untyped", 1);
    DATABASE.sql("delete from untyped");
    Captured.untilNow("untyped");

    change("untyped");

    assertChanges(
        DebeziumDecoder.json(table).withUnit(ChronoUnit.MICROS), Captured.untilNow("untyped"));
  }

  @Test
  void aRowThatMovesNeedsItsLargeValues() throws IOException {
    createKinds("moving");
    DATABASE.sql(INSERT.formatted("moving"));
    DATABASE.capture("moving", "public.moving,public.marks", true);
    DebeziumTable table = infer(Captured.next("moving", 1));

    DATABASE.sql("update moving set id = 2");
    List<Sent> withoutIdentity = Captured.untilNow("moving");
    DATABASE.sql("alter table moving replica identity full", "update moving set id = 3");
    List<Sent> withIdentity = Captured.untilNow("moving");
    DATABASE.sql("update moving set n = 7");
    List<Sent> updated = Captured.untilNow("moving");

    DebeziumDecoder decoder = DebeziumDecoder.json(table);
    Sent began = withoutIdentity.get(2);
    Refused refused = (Refused) decoder.decode(began.key(), began.value());
    assertThat(refused.column(), is("large"));
    assertThat(refused.rule(), containsString("REPLICA IDENTITY FULL"));
    assertThat(changes(decoder, withIdentity.get(0)), contains(Map.of("id", 2L, "__op", "d")));
    assertThat(changes(decoder, withIdentity.get(2)), contains(with(inserted(), "id", 3L)));
    // Rows told apart by another column move when it changes.
    DebeziumDecoder byNumber = DebeziumDecoder.json(table.withKeys(List.of("n")));
    assertThat(
        changes(byNumber, updated.get(0)),
        contains(
            Map.of("n", new BigDecimal("12345.678"), "__op", "d"),
            with(inserted(), "id", 3L, "n", new BigDecimal("7.000"), "__op", "u")));
  }

  /** Returns the rows of a table as texts, in order. */
  private static List<String> rows(String table) {
    return Arrays.asList(
        DATABASE
            .ask("select string_agg(id || '=' || coalesce(v, '-'), ',' order by id) from " + table)
            .split(",", -1));
  }

  private static PCollection<Row> apply(
      TestPipeline pipeline, DebeziumDecoder decoder, List<Sent> records, Random random) {
    List<Row> rows = new ArrayList<>();
    for (Sent sent : records) {
      if (decoder.decode(sent.key(), sent.value()) instanceof Changes changes) {
        rows.addAll(changes.rows());
      }
    }
    Collections.shuffle(rows, random);
    return pipeline
        .apply(Create.of(rows).withRowSchema(decoder.schema()))
        .apply(decoder.changes())
        .rows();
  }

  private static void assertRows(PCollection<Row> rows, List<String> expected) {
    PAssert.that(rows)
        .satisfies(
            found -> {
              TreeMap<Integer, String> byId = new TreeMap<>();
              for (Row row : found) {
                String v = row.getString("v");
                byId.put(row.getInt32("id"), row.getInt32("id") + "=" + (v == null ? "-" : v));
              }
              assertThat(List.copyOf(byId.values()), equalTo(expected));
              return null;
            });
  }

  @Test
  void aTransactionThatWasOpenAtTheSnapshotIsNotOlderThanIt(TestPipeline pipeline)
      throws IOException {
    DATABASE.sql(
        "create table accounts (id int primary key, v text)",
        "insert into accounts values (1, 'old'), (2, 'old')");
    String open =
        Captured.captureBesideOpen(
            "accounts", "public.accounts", "update accounts set v = 'new' where id = 1");
    List<Sent> snapshot = Captured.next("accounts", 2);
    DATABASE.in(open, "commit");
    List<Sent> changes = Captured.untilNow("accounts");

    List<Sent> all = new ArrayList<>(snapshot);
    all.addAll(changes);
    long read = source(snapshot.get(0)).path("lsn").longValue();
    long updated = source(changes.get(0)).path("lsn").longValue();
    assertThat(updated, lessThan(read));
    PCollection<Row> rows = apply(pipeline, DebeziumDecoder.json(infer(all)), all, new Random(1));

    assertThat(rows("accounts"), contains("1=new", "2=old"));
    assertRows(rows, rows("accounts"));
    pipeline.run();
  }

  @Test
  void changesInAnyOrderGiveTheRowsThatPostgresHas(TestPipeline pipeline) throws IOException {
    long seed = 20261130;
    Random random = new Random(seed);
    DATABASE.sql(
        "create table items (id int primary key, v text)",
        "insert into items select i, 'first' from generate_series(1, 20) i");
    DATABASE.capture("items", "public.items,public.marks", true);
    List<Sent> records = new ArrayList<>(Captured.next("items", 20));
    List<String> sessions = List.of("one", "two");
    List<String> open = new ArrayList<>();

    for (int i = 0; i < 300; i++) {
      // Each session has ids of its own, so that none waits for the other.
      int session = random.nextInt(2);
      String name = sessions.get(session);
      int id = 2 * (1 + random.nextInt(15)) + session;
      int other = 2 * (1 + random.nextInt(15)) + session;
      if (!open.contains(name)) {
        DATABASE.in(name, "begin");
        open.add(name);
      }
      DATABASE.in(
          name,
          switch (random.nextInt(8)) {
            case 0, 1, 2 ->
                "insert into items values (%d, 'v%d') on conflict (id) do update set v = excluded.v"
                    .formatted(id, i);
            case 3 -> "update items set v = null where id = %d".formatted(id);
            case 4 -> "delete from items where id = %d".formatted(id);
            case 5, 6 ->
                "update items set id = %d where id = %d and not exists (select 1 from items where id = %d)"
                    .formatted(other, id, other);
            default -> "select 1";
          });
      if (random.nextInt(4) == 0) {
        DATABASE.in(name, random.nextInt(4) == 0 ? "rollback" : "commit");
        open.remove(name);
      }
    }
    open.forEach(name -> DATABASE.in(name, "commit"));
    records.addAll(Captured.untilNow("items"));

    DebeziumDecoder decoder = DebeziumDecoder.json(infer(records));
    SourcePositions positions = new SourcePositions();
    int placed = 0;
    for (int offset = 0; offset < records.size(); offset++) {
      Sent sent = records.get(offset);
      if (decoder.decode(sent.key(), sent.value()) instanceof Changes changes
          && changes.position() != null) {
        positions.add("items-0", offset, changes.position());
        placed++;
      }
    }
    assertThat("seed " + seed, placed, greaterThan(100));
    assertThat(positions.wentBack(SourcePositions.DEFAULT_TOLERANCE), equalTo(Optional.empty()));
    assertRows(apply(pipeline, decoder, records, random), rows("items"));
    pipeline.run();
  }
}
