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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.testing.Covers;
import dev.idem.testing.DatabaseServer;
import dev.idem.transforms.changes.ApplyChanges;
import dev.idem.transforms.changes.RandomLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Changes end in a database as they do everywhere else. */
class JdbcChangesTest {

  private static final int BATCHES = 3;
  private static final int LOGS_OF_TABLE = 8;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @Covers.Row({8, 56})
  @ParameterizedTest
  @EnumSource
  void tablesEndAsTheSortedLogsDo(OnDatabase database) {
    long seed = new Random().nextLong();
    System.out.println("JdbcChangesTest seed " + seed);
    Random random = new Random(seed);
    int logs = 0;
    for (RandomLog.Rules rules : RandomLog.Rules.values()) {
      if (!rules.history()) {
        for (int variant = 0; variant < 2; variant++) {
          List<RandomLog> together = logs(seed, rules, variant);
          logs += together.size();
          merge("seed " + seed + " " + rules + " " + variant, database, together, random);
        }
      }
    }
    assertThat(logs, is(greaterThanOrEqualTo(20)));
  }

  private static void merge(
      String which, OnDatabase database, List<RandomLog> logs, Random random) {
    List<Row> changes = new ArrayList<>();
    Set<String> expected = new TreeSet<>();
    for (RandomLog log : logs) {
      log.events.forEach(event -> changes.add(log.row(event)));
      expected.addAll(log.expected());
    }
    Collections.shuffle(changes, random);
    DatabaseServer server = database.fresh();
    server.execute(
        "CREATE TABLE t (log INT, k VARCHAR(20), a BIGINT, b VARCHAR(20), n VARCHAR(60),"
            + " PRIMARY KEY (log, k))");
    RandomLog first = logs.get(0);
    WriteJdbcRows write =
        JdbcUpsertIO.applyChanges(first.rules.transform(first.variant))
            .by("app")
            .to("t")
            .withDatabase(OnDatabase.of(server))
            .withShards(2);
    int replayed = random.nextInt(BATCHES);
    for (int batch = 0; batch < BATCHES; batch++) {
      int from = changes.size() * batch / BATCHES;
      // Some changes come twice.
      int overlap = random.nextInt(3);
      List<Row> rows =
          changes.subList(Math.max(0, from - overlap), changes.size() * (batch + 1) / BATCHES);
      Writing.run(rows, write.withBatch(batch));
      if (batch == replayed) {
        Set<String> before = lines(server);
        Writing.run(rows, write.withBatch(batch));
        assertThat(which + " replayed", lines(server), equalTo(before));
      }
    }
    assertThat(which, lines(server), equalTo(expected));
  }

  private static Set<String> lines(DatabaseServer server) {
    Schema schema = RandomLog.SCHEMA;
    Schema struct = schema.getField("n").getType().getRowSchema();
    Set<String> lines = new TreeSet<>();
    for (List<Object> row : server.query("SELECT log, k, a, b, n FROM t")) {
      lines.add(
          RandomLog.line(
              Row.withSchema(schema)
                  .withFieldValue("log", row.get(0))
                  .withFieldValue("k", row.get(1))
                  .withFieldValue("s", null)
                  .withFieldValue("t", null)
                  .withFieldValue("op", "")
                  .withFieldValue("a", row.get(2))
                  .withFieldValue("b", row.get(3))
                  .withFieldValue("n", struct(struct, (String) row.get(4)))
                  .withFieldValue("carried", null)
                  .build(),
              false));
    }
    return lines;
  }

  private static Row struct(Schema schema, String json) {
    if (json == null) {
      return null;
    }
    try {
      JsonNode node = MAPPER.readTree(json);
      return Row.withSchema(schema)
          .addValues(
              node.get("x").isNull() ? null : node.get("x").longValue(),
              node.get("y").isNull() ? null : node.get("y").textValue())
          .build();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Logs of one kind; those that truncate are alone, since a truncate reaches all keys. */
  private static List<RandomLog> logs(long seed, RandomLog.Rules rules, int variant) {
    List<RandomLog> logs = new ArrayList<>();
    for (int number = 0; logs.size() < LOGS_OF_TABLE; number++) {
      RandomLog log = new RandomLog(seed, number);
      if (log.rules == rules && log.variant == variant) {
        if (logs.isEmpty() && log.hasTruncate()) {
          return List.of(log);
        }
        log.events.removeIf(event -> event.op() == RandomLog.Op.TRUNCATE);
        logs.add(log);
      }
    }
    return logs;
  }

  @ParameterizedTest
  @EnumSource
  void changesOfARowThatTheTableRefusesAreDeadLetters(OnDatabase database) {
    DatabaseServer server = database.fresh();
    server.execute(
        "CREATE TABLE t (id BIGINT PRIMARY KEY, text VARCHAR(40), CHECK (text <> 'bad'))");
    WriteJdbcRows write =
        JdbcUpsertIO.applyChanges(
                ApplyChanges.keys("id")
                    .sequenceBy("version")
                    .applyAsDeleteWhen(row -> row.getString("op").equals("d"))
                    .columns("id", "text"))
            .by("app")
            .to("t")
            .withDatabase(OnDatabase.of(server));
    Row bad = Writing.row(1, 5, "bad");

    Writing.Outputs outputs =
        Writing.run(
            List.of(Writing.row(1, 1, "good"), bad, Writing.row(2, 1, "two")), write.withBatch(0));
    Writing.run(List.of(Writing.row(1, 3, "later")), write.withBatch(1));

    assertThat(
        outputs.deadLetters().stream().map(letter -> letter.record()).toList().size(), is(2));
    assertThat(
        server.query("SELECT id, text FROM t ORDER BY id"),
        equalTo(List.of(List.of(1L, "later"), List.of(2L, "two"))));
  }

  @ParameterizedTest
  @EnumSource(names = "H2")
  void historiesAreRefused(OnDatabase database) {
    DatabaseServer server = database.fresh();
    WriteJdbcRows write =
        JdbcUpsertIO.applyChanges(ApplyChanges.keys("id").sequenceBy("version").storedAsScdType2())
            .by("app")
            .to("t")
            .withBatch(0)
            .withDatabase(OnDatabase.of(server));

    var e =
        assertThrows(
            IllegalArgumentException.class,
            () -> Writing.run(List.of(Writing.row(1, 1, "one")), write));

    assertThat(e.getMessage(), containsString("must be kept as the latest rows (SCD type 1)"));
  }
}
