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
package dev.idem.testing;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import dev.idem.testing.SparkReader.Count;
import dev.idem.testing.SparkReader.Query;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparkReaderTest {

  @TempDir private static Path directory;

  private static Path table;
  private static SparkReader reader;

  @BeforeAll
  static void createTable() {
    reader = SparkReader.start();
    table = directory.resolve("a`table.of.types");
    String name = "delta.`" + table.toString().replace("`", "``") + "`";
    reader.sql(
        "CREATE TABLE "
            + name
            + " USING delta AS SELECT * FROM VALUES ('a', 9007199254740993, 1, 0.5D, true,"
            + " TIMESTAMP '1969-12-31 23:59:59.5', DATE '1500-03-01', 1234567890123456.7891,"
            + " X'00FF', array(1, 2), named_struct('x', 7)),"
            + " ('b', 2L, 2, double('NaN'), false, TIMESTAMP '1500-03-01 00:00:00.000001',"
            + " DATE '1970-01-01', 0.1000, X'', array(), null),"
            + " ('b', null, null, null, null, null, null, null, null, null, null)"
            + " AS t(`the.key`, n, i, d, b, ts, dt, amount, bytes, list, nested)");
    reader.sql("INSERT INTO " + name + " (`the.key`, n) VALUES ('c', 3)");
  }

  @AfterAll
  static void closedReaderLeavesNoProcess() {
    ProcessHandle child = reader.process();

    reader.close();

    assertThat(child.isAlive(), is(false));
  }

  @Test
  void countTellsRowsFromDistinctKeys() {
    assertThat(reader.count(table, "the.key"), is(new Count(4, 3)));
    assertThat(reader.count(table, "the.key", "n"), is(new Count(4, 4)));
    assertThat(reader.count(Query.of(table).version(0), "the.key"), is(new Count(3, 2)));
  }

  @Test
  void valuesOfEveryTypeArriveWithoutLoss() {
    List<String> rows =
        texts(reader.rows(Query.of(table).where("n is not null").orderBy("the.key")));

    assertThat(
        rows,
        contains(
            "{\"the.key\":\"a\",\"n\":9007199254740993,\"i\":1,\"d\":0.5,\"b\":true,\"ts\":-500000,"
                + "\"dt\":\"1500-03-01\",\"amount\":\"1234567890123456.7891\",\"bytes\":\"AP8=\","
                + "\"list\":[1,2],\"nested\":{\"x\":7}}",
            "{\"the.key\":\"b\",\"n\":2,\"i\":2,\"d\":\"NaN\",\"b\":false,\"ts\":-14826671999999999,"
                + "\"dt\":\"1970-01-01\",\"amount\":\"0.1000\",\"bytes\":\"\",\"list\":[],"
                + "\"nested\":null}",
            "{\"the.key\":\"c\",\"n\":3,\"i\":null,\"d\":null,\"b\":null,\"ts\":null,\"dt\":null,"
                + "\"amount\":null,\"bytes\":null,\"list\":null,\"nested\":null}"));
  }

  @Test
  void queriesChooseColumnsOrderConditionAndVersion() {
    Query query = Query.of(table).columns("n", "the.key").orderBy("n");

    assertThat(
        texts(reader.rows(query.where("n > 2"))),
        contains("{\"n\":3,\"the.key\":\"c\"}", "{\"n\":9007199254740993,\"the.key\":\"a\"}"));
    assertThat(
        texts(reader.rows(query.version(0).where("n > 2"))),
        contains("{\"n\":9007199254740993,\"the.key\":\"a\"}"));
    assertThat(
        texts(reader.rows(query.where("ts < '1970-01-01'"))),
        contains("{\"n\":2,\"the.key\":\"b\"}", "{\"n\":9007199254740993,\"the.key\":\"a\"}"));
  }

  @Test
  void historyTellsEachCommitNewestFirst() {
    List<JsonNode> history = reader.history(table);

    assertThat(
        history.stream().map(e -> e.get("version") + " " + e.get("operation").asText()).toList(),
        contains("1 WRITE", "0 CREATE TABLE AS SELECT"));
    assertThat(history.get(1).get("timestamp").asLong(), greaterThan(1_000_000_000_000_000L));
  }

  @Test
  void filesCountsTheDataFilesOfASnapshot() {
    int before = reader.files(Query.of(table).version(0));

    assertThat(reader.files(Query.of(table)), is(before + 1));
    assertThat(reader.opened(Query.of(table)), is(before + 1));
  }

  @Test
  void failedQuestionNamesQuestionAndReasonAndLaterOnesAreAnswered() {
    Path absent = directory.resolve("absent");

    var e = assertThrows(IllegalStateException.class, () -> reader.count(absent, "n"));

    assertThat(
        e.getMessage(), allOf(containsString(absent.toString()), containsString("PATH_NOT_FOUND")));
    assertThat(reader.count(table, "the.key").rows(), is(4L));
  }

  private static List<String> texts(List<JsonNode> rows) {
    return rows.stream().map(JsonNode::toString).toList();
  }
}
