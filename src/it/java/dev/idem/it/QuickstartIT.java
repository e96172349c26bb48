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
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;

import dev.idem.testing.Covers;
import dev.idem.testing.SparkReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The first command that a user runs: a real broker, real jobs, a real crash. */
class QuickstartIT {

  @TempDir Path root;

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  @Covers.Row(2)
  void everyFigureIsRightAsTheReadmeShowsItAndNothingIsLeft() throws IOException {
    Path place = root.resolve("quickstart");

    QuickstartProcess ended = QuickstartProcess.run(root, List.of("--dir=" + place));

    assertThat(ended.output(), ended.exitCode(), is(0));
    assertThat(
        ended.lines().stream()
            .map(line -> line.replace(place.toString(), "/tmp/idem-quickstart-42"))
            .map(
                line ->
                    line.replaceAll(
                        "127.0.0.1:[0-9]+, process [0-9]+", "127.0.0.1:9092, process 42"))
            .toList(),
        is(readme()));
    SparkReader spark = SparkReader.shared();
    assertThat(
        spark.count(place.resolve("orders"), "event_id"),
        is(new SparkReader.Count(20_000, 20_000)));
    assertThat(
        spark.count(place.resolve("at-least-once/events_copy"), "event_id"),
        is(new SparkReader.Count(18, 9)));
    assertThat(
        spark.count(place.resolve("exactly-once/events_copy"), "event_id"),
        is(new SparkReader.Count(9, 9)));
    ended.assertNothingIsLeft(1);
    assertThat(names(root), is(List.of("elsewhere", "quickstart", "temporary")));
    assertThat(names(root.resolve("elsewhere")), is(empty()));
    assertThat(names(root.resolve("temporary")), is(empty()));
    assertThat(
        names(place),
        is(
            List.of(
                "at-least-once",
                "exactly-once",
                "kafka",
                "logs",
                "orders",
                "orders.schema.json",
                "orders_checkpoint",
                "orders_dead_letter",
                "orders_memory")));
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void brokerAndJobsDieWithAQuickstartThatIsTerminated() throws IOException {
    QuickstartProcess ended =
        QuickstartProcess.run(
            root,
            List.of("--dir=" + root.resolve("quickstart"), "--records=2000"),
            QuickstartProcess.terminatedAt("2. "));

    assertThat(ended.exitCode(), is(143));
    ended.assertNothingIsLeft(1);
  }

  @Test
  void directoryInUseIsBadUsage() throws IOException {
    Files.writeString(Files.createDirectory(root.resolve("used")).resolve("mine"), "mine");

    QuickstartProcess ended = QuickstartProcess.run(root, List.of("--dir=" + root.resolve("used")));

    assertThat(ended.exitCode(), is(2));
    assertThat(
        ended.lines(),
        hasItem(startsWith("idem: --dir must be absent or an empty directory, but was: ")));
    assertThat(names(root.resolve("used")), is(List.of("mine")));
  }

  /** Returns what the README says that the command prints. */
  private static List<String> readme() throws IOException {
    return QuickstartProcess.readme("Idem quickstart in ");
  }
}
