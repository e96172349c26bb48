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
import static org.hamcrest.Matchers.is;

import dev.idem.pipelines.command.IdemInProcess;
import dev.idem.testing.DatabaseServer;
import dev.idem.testing.SparkReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that bring the changes of Delta tables to a database. */
class DeltaToJdbcIT {

  @TempDir Path directory;

  @Test
  void tableHasTheRowsOfTheSourceAlsoWhereTheirKeysChange() {
    DatabaseServer server = DatabaseServer.postgres().fresh("changes");
    server.execute(
        "CREATE TABLE copy (id BIGINT, part VARCHAR(5), name VARCHAR(20), PRIMARY KEY (id, part))");
    String source = "delta.`" + directory.resolve("table") + "`";
    sql(
        "CREATE TABLE %s (id BIGINT, part STRING, name STRING) USING delta TBLPROPERTIES"
                .formatted(source)
            + " (delta.enableChangeDataFeed = true)",
        "INSERT INTO %s VALUES (1, 'a', 'one'), (2, 'a', 'two'), (3, 'b', 'three'), (9, 'c', 'x')"
            .formatted(source));
    run(server);
    assertThat(rows(server), is(List.of("1 a one", "2 a two", "3 b three", "9 c x")));

    sql(
        "UPDATE %s SET name = 'ONE' WHERE id = 1".formatted(source),
        "DELETE FROM %s WHERE id = 2".formatted(source),
        // Each row comes to the key of another one, or leaves one behind.
        "UPDATE %s SET id = id + 1".formatted(source),
        "DELETE FROM %s WHERE id = 10".formatted(source),
        "INSERT INTO %s VALUES (5, 'b', 'five')".formatted(source));
    run(server);
    assertThat(rows(server), is(List.of("2 a ONE", "4 b three", "5 b five")));

    // A version that takes rows out and puts rows of the same keys in.
    sql("INSERT OVERWRITE %s VALUES (4, 'b', 'again'), (6, 'd', 'six')".formatted(source));
    run(server);
    assertThat(rows(server), is(List.of("4 b again", "6 d six")));
  }

  private void run(DatabaseServer server) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "delta-to-jdbc",
                "--sourceTable=" + directory.resolve("table"),
                "--onChanges=cdf",
                "--jdbcUrl=" + server.jdbcUrl(),
                "--user=" + server.user(),
                "--passwordFile=" + JdbcJob.passwordFile(server, directory),
                "--table=copy",
                "--keys=id,part",
                "--deleteWhen=_change_type=delete",
                "--ignoredFields=_commit_version,_commit_timestamp",
                "--checkpoint=" + directory.resolve("checkpoint")));
    IdemInProcess.run(command.toArray(String[]::new)).done();
  }

  private static List<String> rows(DatabaseServer server) {
    return server.query("SELECT id, part, name FROM copy ORDER BY id").stream()
        .map(row -> row.get(0) + " " + row.get(1) + " " + row.get(2))
        .toList();
  }

  private static void sql(String... statements) {
    for (String statement : statements) {
      SparkReader.shared().sql(statement);
    }
  }
}
