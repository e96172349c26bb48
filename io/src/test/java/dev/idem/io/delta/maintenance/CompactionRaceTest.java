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
package dev.idem.io.delta.maintenance;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.JsonNode;
import dev.idem.io.delta.table.Tables;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Four processes append to a table while a fifth one rewrites its files. */
class CompactionRaceTest {

  private static final List<String> APPLICATIONS = List.of("w0", "w1", "w2", "w3");

  @TempDir Path directory;

  /** One process, and what it says. */
  private record Running(Process process, BufferedReader said, File log) {

    void tell() throws IOException {
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
    }

    void assertEndedWell() throws Exception {
      assertThat(Files.readString(log.toPath()), process.waitFor(), is(0));
    }
  }

  private Running start(String name, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                System.getProperty("java.home") + "/bin/java",
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                CompactionRaceProcess.class.getName(),
                directory.resolve("table").toString()));
    command.addAll(List.of(arguments));
    File log = directory.resolve(name + ".log").toFile();
    Process process = new ProcessBuilder(command).redirectError(log).start();
    return new Running(process, process.inputReader(StandardCharsets.UTF_8), log);
  }

  @Test
  void noRowIsLostOrDoubledAndNobodyFails() throws Exception {
    List<Running> appending = new ArrayList<>();
    Running compacting = start("compacting");
    String yielded;
    try {
      for (String application : APPLICATIONS) {
        appending.add(start(application, application));
      }
      for (Running running : appending) {
        assertThat(running.said().readLine(), is("last"));
      }
      // The last appends come after so many rewrites, which the files of the others are enough for.
      assertThat(compacting.said().readLine(), is("enough"));
      for (Running running : appending) {
        running.tell();
      }
      for (Running running : appending) {
        running.assertEndedWell();
      }
      compacting.tell();
      yielded = compacting.said().readLine();
      compacting.assertEndedWell();
    } finally {
      compacting.process().destroyForcibly();
      appending.forEach(running -> running.process().destroyForcibly());
    }

    Path table = directory.resolve("table");
    List<String> all = new ArrayList<>();
    for (String application : APPLICATIONS) {
      for (int batch = 0; batch < CompactionRaceProcess.BATCHES; batch++) {
        all.add(application + "-" + batch);
      }
    }
    assertThat(Tables.names(table), containsInAnyOrder(all.toArray()));
    List<Integer> removals = rewrites(table);
    int enough =
        (int) removals.stream().filter(n -> n >= CompactionRaceProcess.LEAST_FILES).count();
    System.out.println(
        enough + " rewrites of 5 files or more between appends; given up: " + yielded);
    assertThat(enough, greaterThanOrEqualTo(CompactionRaceProcess.COMPACTIONS));
  }

  /** Returns how many files each rewrite between the first append and the last one removed. */
  private static List<Integer> rewrites(Path table) throws IOException {
    List<Integer> removed = new ArrayList<>();
    int known = 0;
    for (long version = 1; version < Tables.entries(table).size(); version++) {
      JsonNode info = Tables.actions(table, version, "commitInfo").get(0);
      if (info.path("operation").asText().equals("OPTIMIZE")) {
        removed.add(Tables.actions(table, version, "remove").size());
      } else {
        known = removed.size();
      }
    }
    return removed.subList(0, known);
  }
}
