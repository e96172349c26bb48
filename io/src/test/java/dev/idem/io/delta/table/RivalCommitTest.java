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
package dev.idem.io.delta.table;

import static dev.idem.io.delta.table.Tables.commit;
import static dev.idem.io.delta.table.Tables.names;
import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** DEV-20: several live writers on one table. */
class RivalCommitTest {

  private static final int REPEATS = 50;

  @TempDir Path directory;

  @Test
  void twoWritersOfOneBatchCommitItOnce() throws Exception {
    List<String> all = new ArrayList<>();
    for (int repeat = 0; repeat < REPEATS; repeat++) {
      String name = "n" + repeat;
      DeltaCommit one = commit(directory, "p0/main", repeat, name);
      DeltaCommit two = commit(directory, "p0/main", repeat, name);
      all.add(name);

      List<CommitOutcome> outcomes =
          Tables.atOnce(
              List.of(() -> table(directory).commit(one), () -> table(directory).commit(two)));

      assertThat(
          outcomes.stream().map(o -> o.getClass().getSimpleName()).toList(),
          containsInAnyOrder("Committed", "AlreadyCommitted"));
    }

    assertThat(names(directory), containsInAnyOrder(all.toArray()));
    assertThat(Tables.entries(directory), hasSize(REPEATS + 1));
  }

  @Test
  void racingCreatorsBothEndWell() throws Exception {
    for (int repeat = 0; repeat < REPEATS / 10; repeat++) {
      Path path = directory.resolve("t" + repeat);
      DeltaCommit one = commit(path, "a/main", 0, "a");
      DeltaCommit two = commit(path, "b/main", 0, "b");

      Tables.atOnce(List.of(() -> table(path).commit(one), () -> table(path).commit(two)));

      assertThat(names(path), equalTo(List.of("a", "b")));
      assertThat(Tables.entries(path), hasSize(3));
    }
  }

  @Test
  void tenApplicationsAtOnceLoseNothing() throws Exception {
    int rounds = 5;
    List<String> all = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      List<Callable<CommitOutcome>> tasks = new ArrayList<>();
      for (int writer = 0; writer < 10; writer++) {
        String[] rows = new String[10];
        for (int row = 0; row < rows.length; row++) {
          rows[row] = round + "-" + writer + "-" + row;
        }
        all.addAll(List.of(rows));
        DeltaCommit commit = commit(directory, "w" + writer + "/main", round, rows);
        tasks.add(() -> table(directory).commit(commit));
      }

      List<CommitOutcome> outcomes = Tables.atOnce(tasks);

      TreeSet<Long> versions = new TreeSet<>();
      outcomes.forEach(outcome -> versions.add(outcome.version()));
      assertThat(versions, hasSize(10));
      assertThat(versions.last() - versions.first(), is(9L));
      for (int writer = 0; writer < 10; writer++) {
        List<String> ids = new ArrayList<>();
        for (JsonNode txn : Tables.actions(directory, outcomes.get(writer).version(), "txn")) {
          ids.add(txn.path("appId").asText());
        }
        assertThat(ids, containsInAnyOrder("w" + writer + "/main", "w" + writer + "/main#record"));
      }
    }

    assertThat(names(directory), containsInAnyOrder(all.toArray()));
  }

  @Test
  void twoProcessesCommitTwoHundredBatchesEach() throws Exception {
    Files.createDirectories(directory);
    List<Process> processes = new ArrayList<>();
    for (String application : List.of("left", "right")) {
      processes.add(
          new ProcessBuilder(
                  System.getProperty("java.home") + "/bin/java",
                  "-Xmx512m",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  CommittingProcess.class.getName(),
                  directory.toString(),
                  application)
              .redirectErrorStream(true)
              .redirectOutput(new File(directory.toString(), application + ".log"))
              .start());
    }
    Map<Path, String> seen = new HashMap<>();
    for (Process process : processes) {
      while (!process.waitFor(200, TimeUnit.MILLISECONDS)) {
        rememberEntries(seen);
      }
      assertThat(process.exitValue(), is(0));
    }
    rememberEntries(seen);

    List<Path> entries = Tables.entries(directory);
    assertThat(entries, hasSize(401));
    List<String> order = new ArrayList<>();
    for (long version = 1; version <= 400; version++) {
      order.add(Tables.actions(directory, version, "txn").get(0).path("appId").asText());
    }
    List<String> all = new ArrayList<>();
    for (String application : List.of("left", "right")) {
      for (int batch = 0; batch < 200; batch++) {
        all.add(application + "-" + batch);
      }
      String other = application.equals("left") ? "right/main" : "left/main";
      long between =
          order.subList(order.indexOf(other), order.lastIndexOf(other)).stream()
              .filter(id -> id.equals(application + "/main"))
              .count();
      assertThat(between, greaterThanOrEqualTo(100L));
    }
    assertThat(names(directory), containsInAnyOrder(all.toArray()));
    for (Map.Entry<Path, String> entry : seen.entrySet()) {
      assertThat(entry.getKey().toString(), Files.readString(entry.getKey()), is(entry.getValue()));
    }
  }

  private void rememberEntries(Map<Path, String> seen) throws IOException {
    if (Files.isDirectory(directory.resolve("_delta_log"))) {
      for (Path entry : Tables.entries(directory)) {
        if (!seen.containsKey(entry)) {
          seen.put(entry, Files.readString(entry));
        }
      }
    }
  }
}
