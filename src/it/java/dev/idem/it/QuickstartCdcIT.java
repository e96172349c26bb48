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

import static dev.idem.it.QuickstartProcess.names;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;

import dev.idem.testing.Covers;
import dev.idem.testing.SparkReader;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The quickstart of changes: a real PostgreSQL, Debezium, broker and jobs, and real kills. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class QuickstartCdcIT {

  private static final Pattern FIGURE = Pattern.compile("  (.{34}) (.{10}) +([\\d,]+)   \\S.*");
  private static final Pattern DATABASE = Pattern.compile("   .*:(\\d+), process \\d+; 500 rows");

  @TempDir Path root;

  @Test
  @Covers.Row({2, 37, 71})
  void bothTablesAreWhatPostgresHasThroughKillsAndNothingIsLeft() throws IOException {
    Path place = root.resolve("quickstart");

    QuickstartProcess ended =
        QuickstartProcess.run(
            root, List.of("--cdc", "--dir=" + place, "--transactions=1500", "--kills=1"));

    assertThat(ended.output(), ended.exitCode(), is(0));
    assertThat(ended.lines(), hasItem("Every figure is as it must be."));
    Map<String, Long> figures = figures(ended.lines());
    assertThat(figures.keySet(), equalTo(figures(readme()).keySet()));
    assertThat(
        figures.get("transactions committed") + figures.get("transactions rolled back"),
        is(1_500L));
    assertThat(figures.get("kills with a batch open"), is(2L));
    assertThat(figures.get("changes without the large value"), is(greaterThan(0L)));
    long rows = figures.get("rows in PostgreSQL");
    assertThat(rows, is(greaterThan(500L)));
    assertThat(figures.get("history: versions"), is(greaterThan(2 * rows)));
    for (String table : List.of("accounts", "history, open")) {
      assertThat(figures.get(table + ": rows"), is(rows));
      assertThat(figures.get(table + ": as in PostgreSQL"), is(rows));
      assertThat(figures.get(table + ": missing"), is(0L));
      assertThat(figures.get(table + ": extra"), is(0L));
      assertThat(figures.get(table + ": duplicates"), is(0L));
    }
    SparkReader spark = SparkReader.shared();
    assertThat(spark.count(place.resolve("accounts"), "id"), is(new SparkReader.Count(rows, rows)));
    assertThat(
        spark.count(place.resolve("accounts_history"), "id").rows(),
        is(figures.get("history: versions")));
    ended.assertNothingIsLeft(3);
    assertThat(runningIn(place), is(empty()));
    assertThat(names(root), is(List.of("elsewhere", "quickstart", "temporary")));
    assertThat(names(root.resolve("elsewhere")), is(empty()));
    assertThat(names(root.resolve("temporary")), is(empty()));
  }

  @Test
  void rowThatIsMissingIsTold() throws IOException {
    AtomicInteger port = new AtomicInteger();

    QuickstartProcess ended =
        QuickstartProcess.run(
            root,
            List.of(
                "--cdc", "--dir=" + root.resolve("quickstart"), "--transactions=100", "--kills=0"),
            (line, process) -> {
              Matcher database = DATABASE.matcher(line);
              if (database.matches()) {
                port.set(Integer.parseInt(database.group(1)));
              } else if (line.startsWith("3. ")) {
                insertUncaptured(port.get());
              }
            });

    assertThat(ended.output(), ended.exitCode(), is(1));
    assertThat(
        ended.lines(),
        hasItem(
            "WRONG: accounts: rows, accounts: as in PostgreSQL, accounts: missing,"
                + " history, open: rows, history, open: as in PostgreSQL, history, open: missing."));
    Map<String, Long> figures = figures(ended.lines());
    assertThat(figures.get("accounts: missing"), is(1L));
    assertThat(figures.get("history, open: missing"), is(1L));
  }

  @Test
  void allDiesWithAQuickstartThatIsTerminated() throws IOException {
    QuickstartProcess ended =
        QuickstartProcess.run(
            root,
            List.of("--cdc", "--dir=" + root.resolve("quickstart"), "--transactions=1500"),
            QuickstartProcess.terminatedAt("3. "));

    assertThat(ended.output(), ended.exitCode(), is(143));
    ended.assertNothingIsLeft(3);
    assertThat(runningIn(root.resolve("quickstart")), is(empty()));
  }

  /** Inserts a row that is not sent: within a transaction the table is not published. */
  private static void insertUncaptured(int port) {
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres");
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("alter publication bank drop table accounts");
      statement.execute(
          "insert into accounts values (-1, 'nobody', 0, true, null, now(), now(), null)");
      statement.execute("alter publication bank add table accounts");
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the command lines of all processes that name a directory. */
  private static List<String> runningIn(Path directory) {
    return ProcessHandle.allProcesses()
        .flatMap(process -> process.info().commandLine().stream())
        .filter(command -> command.contains(directory.toString()))
        .toList();
  }

  /** Returns what was found, by the name of the figure. */
  private static Map<String, Long> figures(List<String> lines) {
    Map<String, Long> figures = new LinkedHashMap<>();
    for (String line : lines) {
      Matcher figure = FIGURE.matcher(line);
      if (figure.matches()) {
        figures.put(figure.group(1).strip(), Long.parseLong(figure.group(3).replace(",", "")));
      }
    }
    return figures;
  }

  /** Returns what the README says that the command prints. */
  private static List<String> readme() throws IOException {
    return QuickstartProcess.readme("Idem quickstart --cdc in ");
  }
}
