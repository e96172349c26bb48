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

import static dev.idem.io.jdbc.Writing.append;
import static dev.idem.io.jdbc.Writing.delete;
import static dev.idem.io.jdbc.Writing.expected;
import static dev.idem.io.jdbc.Writing.held;
import static dev.idem.io.jdbc.Writing.row;
import static dev.idem.io.jdbc.Writing.rows;
import static dev.idem.io.jdbc.Writing.run;
import static dev.idem.io.jdbc.Writing.shuffled;
import static dev.idem.io.jdbc.Writing.upsert;
import static dev.idem.io.jdbc.Writing.upsertNewer;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.Covers;
import dev.idem.testing.DatabaseServer;
import dev.idem.transforms.external.DeadLetter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each mode makes of rows, and of a batch that comes again, on every database. */
class JdbcUpsertTest {

  @Covers.Row({14, 47, 56})
  @ParameterizedTest
  @EnumSource
  void batchThatIsRunAgainChangesNothing(OnDatabase database) {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);
    List<Row> batch = rows(0, 1_000, 1);

    Writing.Outputs first = run(batch, upsertNewer(server));
    Map<Long, String> before = held(server);
    Writing.Outputs second = run(shuffled(batch, 1), upsertNewer(server));

    assertThat(first.outcome(), is(new JdbcWriteOutcome("app/main", 0, 1_000, 0, false)));
    assertThat(before, equalTo(expected(batch)));
    assertThat(second.outcome(), is(new JdbcWriteOutcome("app/main", 0, 0, 0, true)));
    assertThat(held(server), equalTo(before));
  }

  @ParameterizedTest
  @EnumSource
  void olderRowNeverReplacesANewerOneInAnyOrder(OnDatabase database) {
    long seed = System.nanoTime();
    System.out.println("JdbcUpsertTest seed " + seed);
    DatabaseServer server = database.fresh();
    Writing.createTable(server);
    Random random = new Random(seed);
    List<Row> log = new ArrayList<>();
    Map<Long, Row> newest = new java.util.HashMap<>();
    for (int i = 0; i < 400; i++) {
      long id = random.nextInt(40);
      Row change = random.nextInt(4) == 0 ? delete(id, i) : row(id, i, "text " + i);
      log.add(change);
      newest.put(id, change);
    }
    List<Row> order = shuffled(log, seed);

    for (int batch = 0; batch < 4; batch++) {
      run(order.subList(batch * 100, (batch + 1) * 100), upsertNewer(server).withBatch(batch));
    }

    List<Row> there =
        newest.values().stream().filter(change -> change.getString("op").equals("u")).toList();
    assertThat(held(server), equalTo(expected(there)));
  }

  @ParameterizedTest
  @EnumSource
  void lastRowOfAKeyCountsWithoutASequence(OnDatabase database) {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);

    run(rows(0, 100, 5), upsert(server));
    List<Row> later = new ArrayList<>(rows(0, 50, 3));
    later.add(delete(99, 0));
    run(later, upsert(server).withBatch(1));

    List<Row> there = new ArrayList<>(rows(0, 50, 3));
    there.addAll(rows(50, 99, 5));
    assertThat(held(server), equalTo(expected(there)));
  }

  @Covers.Row(35)
  @ParameterizedTest
  @EnumSource
  void appendedBatchIsThereOnceAndEqualBatchesBoth(OnDatabase database) {
    DatabaseServer server = database.fresh();
    Writing.createLog(server);
    List<Row> batch = rows(0, 500, 1);

    run(batch, append(server));
    run(batch, append(server));
    assertThat(count(server), is(500L));
    run(batch, append(server).withBatch(1));

    assertThat(count(server), is(1_000L));
    assertThat(
        server.query("SELECT COUNT(DISTINCT id) FROM t").get(0).get(0).toString(), is("500"));
  }

  private static long count(DatabaseServer server) {
    return ((Number) server.query("SELECT COUNT(*) FROM t").get(0).get(0)).longValue();
  }

  @Covers.Case("DEV-14")
  @ParameterizedTest
  @EnumSource
  void upsertsAndDeletesOfOneKeyEndAsTheirSequenceSays(OnDatabase database) {
    List<Row> flush =
        List.of(
            row(1, 1, "data1"),
            delete(1, 2),
            row(1, 3, "data2"),
            row(2, 1, "old"),
            delete(2, 2),
            delete(3, 1),
            row(3, 2, "x"));
    for (int size : new int[] {1, 2, 100}) {
      DatabaseServer server = database.fresh();
      Writing.createTable(server);

      run(flush, upsertNewer(server).withBatchSize(size));
      run(flush, upsertNewer(server).withBatchSize(size).withBatch(1));

      assertThat(held(server), equalTo(expected(List.of(row(1, 3, "data2"), row(3, 2, "x")))));
    }
  }

  @ParameterizedTest
  @EnumSource
  void deleteKeepsLateRowsOut(OnDatabase database) {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);

    run(List.of(delete(1, 5), delete(2, 5)), upsertNewer(server));
    run(
        List.of(row(1, 5, "as new"), row(2, 6, "newer"), delete(3, 1)),
        upsertNewer(server).withBatch(1));
    run(List.of(delete(2, 4)), upsertNewer(server).withBatch(2));

    assertThat(held(server), equalTo(expected(List.of(row(2, 6, "newer")))));
  }

  @ParameterizedTest
  @EnumSource
  void rowWithoutASequenceIsOlderThanEverything(OnDatabase database) {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);
    server.execute("INSERT INTO t VALUES (1, NULL, 'one'), (2, NULL, 'two'), (3, NULL, 'three')");

    run(List.of(row(1, -9, "newer"), delete(2, -9)), upsertNewer(server));

    assertThat(
        server.query("SELECT id, text FROM t ORDER BY id"),
        equalTo(List.of(List.of(1L, "newer"), List.of(3L, "three"))));
  }

  @ParameterizedTest
  @EnumSource
  void softDeleteKeepsTheRowWithAMark(OnDatabase database) {
    DatabaseServer server = database.fresh();
    server.execute(
        "CREATE TABLE t (id BIGINT PRIMARY KEY, version BIGINT, text VARCHAR(40), gone BOOLEAN)");
    WriteJdbcRows write =
        JdbcUpsertIO.upsertNewer(List.of("id"), "version")
            .by("app")
            .to("t")
            .withDatabase(OnDatabase.of(server))
            .withShards(1)
            .softDeletingWhen("op", "d", "gone");

    run(List.of(row(1, 1, "one"), row(2, 1, "two"), row(3, 1, "three")), write.withBatch(0));
    run(List.of(delete(1, 2), delete(2, 1), delete(3, 0)), write.withBatch(1));
    run(List.of(row(1, 1, "late"), row(2, 1, "as new")), write.withBatch(2));

    assertThat(
        server.query("SELECT id, version, text FROM t WHERE gone ORDER BY id"),
        equalTo(List.of(List.of(1L, 2L, "one"), List.of(2L, 1L, "two"))));
    assertThat(
        server.query("SELECT id, version, text FROM t WHERE NOT gone ORDER BY id"),
        equalTo(List.of(List.of(3L, 1L, "three"))));
  }

  @Covers.Case("DEV-12")
  @Covers.Row(19)
  @ParameterizedTest
  @EnumSource
  void rowThatIsRefusedIsADeadLetterAndAllOthersAreThere(OnDatabase database) {
    DatabaseServer server = database.fresh();
    server.execute(
        "CREATE TABLE t (id BIGINT PRIMARY KEY, version BIGINT, text VARCHAR(40),"
            + " CHECK (version < 100))");
    List<Row> good = rows(0, 200, 1);
    List<Row> batch = new ArrayList<>(good);
    Row tooLong = row(1_000, 1, "x".repeat(41));
    Row checked = row(1_001, 100, "checked");
    Row keyless = Row.withSchema(Writing.SCHEMA).addValues(null, 1L, "no key", "u").build();
    Row unordered = Row.withSchema(Writing.SCHEMA).addValues(7L, null, "no version", "u").build();
    batch.addAll(List.of(tooLong, checked, keyless, unordered));

    Writing.Outputs first = run(shuffled(batch, 3), upsertNewer(server));
    Writing.Outputs again = run(shuffled(batch, 4), upsertNewer(server));

    assertThat(held(server), equalTo(expected(good)));
    assertThat(first.outcome(), is(new JdbcWriteOutcome("app/main", 0, 200, 4, false)));
    for (Writing.Outputs outputs : List.of(first, again)) {
      Map<Row, DeadLetter<Row>> letters = new java.util.HashMap<>();
      outputs.deadLetters().forEach(letter -> letters.put(letter.record(), letter));
      assertThat(outputs.deadLetters().size(), is(4));
      assertThat(letters.get(tooLong).message().isEmpty(), is(false));
      assertThat(letters.get(checked).errorClass(), containsString("SQLSTATE 23"));
      assertThat(letters.get(checked).key(), is("1001"));
      assertThat(
          letters.get(keyless).message(),
          containsString("Column \"id\" must not be null, because it is a key or sequence column"));
      assertThat(letters.get(unordered).message(), containsString("Column \"version\""));
    }
    assertThat(again.outcome().alreadyWritten(), is(true));
  }

  @ParameterizedTest
  @EnumSource
  void otherRowsUnderOneBatchIdAreRefused(OnDatabase database) {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);
    run(rows(0, 100, 1), upsertNewer(server));

    String content = refusal(rows(0, 100, 2), upsertNewer(server));
    String plan = refusal(rows(0, 100, 1), upsertNewer(server).withBatch(0, "other"));
    run(rows(0, 100, 3), upsertNewer(server).withBatch(7, "plan"));
    String planOfAnother = refusal(rows(0, 100, 3), upsertNewer(server).withBatch(7, "other"));
    String skipped = refusal(rows(0, 100, 3), upsertNewer(server).withBatch(5));
    String earlier = refusal(rows(0, 100, 2), upsertNewer(server).withBatch(0));

    assertThat(content, containsString("must have the rows that it had before"));
    assertThat(
        planOfAnother,
        allOf(
            containsString("must have the plan under which it was begun, plan"),
            containsString("Give what is planned now, other, a batch id of its own")));
    assertThat(skipped, containsString("must be the next one, or one of the last 100"));
    assertThat(earlier, containsString("must have the rows that it had before"));
    assertThat(plan, is(""));
    assertThat(held(server), equalTo(expected(rows(0, 100, 3))));
  }

  /** Returns the message of the refusal, nothing if there is none. */
  private static String refusal(List<Row> rows, WriteJdbcRows write) {
    try {
      run(rows, write);
      return "";
    } catch (Pipeline.PipelineExecutionException e) {
      return e.getCause().getMessage();
    }
  }

  @ParameterizedTest
  @EnumSource
  void emptyBatchIsRemembered(OnDatabase database) {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);

    Writing.Outputs first = run(List.of(), upsertNewer(server));
    Writing.Outputs second = run(List.of(), upsertNewer(server));

    assertThat(first.outcome(), is(new JdbcWriteOutcome("app/main", 0, 0, 0, false)));
    assertThat(second.outcome().alreadyWritten(), is(true));
    assertThat(held(server).keySet(), is(empty()));
  }

  @Covers.Row(33)
  @ParameterizedTest
  @EnumSource
  void tableWithoutAUniqueKeyIsRefused(OnDatabase database) {
    DatabaseServer server = database.fresh();
    server.execute("CREATE TABLE t (id BIGINT, version BIGINT, text VARCHAR(40))");
    server.execute("CREATE INDEX plain ON t (id)");
    String none = refusal(rows(0, 1, 1), upsertNewer(server));
    server.execute("CREATE UNIQUE INDEX wider ON t (id, version)");
    String wider = refusal(rows(0, 1, 1), upsert(server));
    server.execute("CREATE UNIQUE INDEX exact ON t (id)");
    server.execute("DROP INDEX wider" + (database == OnDatabase.MARIADB ? " ON t" : ""));
    String exact = refusal(rows(0, 1, 1), upsert(server));

    assertThat(none, containsString("must have a unique constraint"));
    assertThat(wider, containsString("must have a unique constraint"));
    assertThat(exact, is(""));
  }

  @ParameterizedTest
  @EnumSource(names = "MARIADB")
  void furtherUniqueIndexOfMysqlIsRefused(OnDatabase database) {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);
    server.execute("CREATE UNIQUE INDEX by_text ON t (text)");

    String refusal = refusal(rows(0, 1, 1), upsertNewer(server));

    assertThat(
        refusal,
        allOf(
            containsString("must have no unique index but that over [id]"),
            containsString("by_text")));
  }

  @ParameterizedTest
  @EnumSource
  void unknownColumnsAndTablesAreRefused(OnDatabase database) {
    DatabaseServer server = database.fresh();
    server.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, version BIGINT)");

    String column = refusal(rows(0, 1, 1), upsertNewer(server));
    String table = refusal(rows(0, 1, 1), upsertNewer(server).to("nothing"));

    assertThat(column, containsString("Field \"text\" must be a column of table"));
    assertThat(table, containsString("Table \"nothing\" must exist once, but was: not found"));
    assertThat(held0(server), is(contains(List.of("0"))));
  }

  private static List<List<String>> held0(DatabaseServer server) {
    return List.of(List.of(server.query("SELECT COUNT(*) FROM t").get(0).get(0).toString()));
  }

  @ParameterizedTest
  @EnumSource
  void incompleteSettingsAreRefusedAtConstruction(OnDatabase database) {
    DatabaseServer server = database.fresh();

    var batch =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                run(
                    rows(0, 1, 1),
                    JdbcUpsertIO.upsert("id")
                        .by("app")
                        .to("t")
                        .withDatabase(OnDatabase.of(server))));
    var twice = assertThrows(IllegalArgumentException.class, () -> JdbcUpsertIO.upsert("a", "a"));
    var missing =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                run(
                    rows(0, 1, 1),
                    JdbcUpsertIO.upsert("other")
                        .by("app")
                        .to("t")
                        .withBatch(0)
                        .withDatabase(OnDatabase.of(server))));

    assertThat(batch.getMessage(), containsString("must have a batch id"));
    assertThat(twice.getMessage(), containsString("must name a column once"));
    assertThat(missing.getMessage(), containsString("Key \"other\" must be a field of the rows"));
  }
}
