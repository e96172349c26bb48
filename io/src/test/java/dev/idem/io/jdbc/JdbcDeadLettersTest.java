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
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;

import dev.idem.testing.Covers;
import dev.idem.testing.DatabaseServer;
import dev.idem.transforms.external.DeadLetter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows that a database refuses, among many. */
class JdbcDeadLettersTest {

  @Covers.Case("DEV-12")
  @Covers.Row(19)
  @ParameterizedTest
  @EnumSource
  void everyTenthRowIsRefusedAndAllOthersAreThere(OnDatabase database) {
    DatabaseServer server = database.fresh();
    server.execute(
        "CREATE TABLE t (id BIGINT PRIMARY KEY, version BIGINT, text VARCHAR(40),"
            + " CHECK (version < 100))");
    List<Row> good = new ArrayList<>();
    Set<Row> bad = new HashSet<>();
    int rows = database == OnDatabase.POSTGRES ? 5_000 : 1_000;
    for (int id = 0; id < rows; id++) {
      if (id % 10 == 3) {
        bad.add(Writing.row(id, 100, "refused " + id));
      } else {
        good.add(Writing.row(id, 1, "text " + id));
      }
    }
    List<Row> all = new ArrayList<>(good);
    all.addAll(bad);

    Writing.Outputs outputs = Writing.run(Writing.shuffled(all, 1), Writing.upsertNewer(server));

    Set<Row> dead = new HashSet<>();
    outputs.deadLetters().forEach(letter -> dead.add(letter.record()));
    assertThat(dead, equalTo(bad));
    assertThat(outputs.deadLetters().size(), is(rows / 10));
    assertThat(
        outputs.outcome(),
        is(new JdbcWriteOutcome("app/main", 0, rows - rows / 10, rows / 10, false)));
    assertThat(Writing.held(server), equalTo(Writing.expected(good)));
  }

  @Test
  void rowThatBreaksADeferredConstraintIsADeadLetter() {
    DatabaseServer server = DatabaseServer.postgres().fresh("deferred");
    server.execute(
        "CREATE TABLE parents (id BIGINT PRIMARY KEY)",
        "INSERT INTO parents VALUES (1), (2), (4)",
        "CREATE TABLE t (id BIGINT PRIMARY KEY REFERENCES parents DEFERRABLE INITIALLY DEFERRED,"
            + " version BIGINT, text VARCHAR(40))");
    List<Row> rows = Writing.rows(1, 5, 1);

    Writing.Outputs outputs = Writing.run(rows, Writing.upsertNewer(server).withShards(1));

    List<Row> good = List.of(rows.get(0), rows.get(1), rows.get(3));
    assertThat(Writing.held(server), equalTo(Writing.expected(good)));
    assertThat(outputs.deadLetters().size(), is(1));
    DeadLetter<Row> letter = outputs.deadLetters().get(0);
    assertThat(letter.record(), is(rows.get(2)));
    assertThat(letter.errorClass(), is("SQLSTATE 23503"));
    assertThat(letter.message(), containsString("foreign key"));
  }

  @Test
  void rowThatATriggerRefusesIsADeadLetter() {
    DatabaseServer server = DatabaseServer.postgres().fresh("trigger");
    Writing.createTable(server);
    server.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
            + " $$ BEGIN IF NEW.id = 3 THEN RAISE EXCEPTION 'not 3'; END IF; RETURN NEW; END $$",
        "CREATE CONSTRAINT TRIGGER refusing AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED"
            + " FOR EACH ROW EXECUTE FUNCTION refuse()");
    List<Row> rows = Writing.rows(1, 5, 1);

    Writing.Outputs outputs = Writing.run(rows, Writing.upsertNewer(server).withShards(1));

    List<Row> good = List.of(rows.get(0), rows.get(1), rows.get(3));
    assertThat(Writing.held(server), equalTo(Writing.expected(good)));
    assertThat(outputs.deadLetters().size(), is(1));
    assertThat(
        outputs.deadLetters().get(0).message(),
        allOf(startsWith("ERROR"), containsString("not 3")));
  }
}
