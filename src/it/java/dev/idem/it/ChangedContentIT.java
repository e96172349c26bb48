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
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.matchesPattern;
import static org.hamcrest.Matchers.not;

import dev.idem.io.checkpoint.BatchCommit;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.pipelines.job.JobInProcess;
import dev.idem.testing.Covers.Row;
import dev.idem.testing.KafkaBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A batch of which some target holds one content is not completed with another. */
class ChangedContentIT {

  private static final String HASH = "[0-9a-f]{32}";

  @TempDir Path directory;

  private String checkpoint() {
    return "--checkpoint=" + directory.resolve("checkpoint");
  }

  private Outcome run(EventJob events, String... more) {
    return JobInProcess.run(
        FlaggedJob.job(events.broker.bootstrapServers(), events.topic, directory),
        Stream.concat(Stream.of(checkpoint(), "--applicationId=flagged"), Stream.of(more))
            .toArray(String[]::new));
  }

  private void crash(EventJob events, String point) {
    Forked.main(
            FlaggedJob.class.getName(),
            List.of(
                events.broker.bootstrapServers(),
                events.topic,
                directory.toString(),
                checkpoint(),
                "--crashAt=" + point))
        .exits(86);
  }

  private Map<String, Long> versions() {
    Map<String, Long> versions = new TreeMap<>();
    for (String table : List.of("table", "copy", "table_dead_letter", "table_memory/flagged")) {
      DeltaTable.at(directory.resolve(table).toString(), Map.of())
          .state()
          .ifPresent(state -> versions.put(table, state.version()));
    }
    return versions;
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"DirectRunner", "SparkRunner"})
  @Row(27)
  void changedContentOfABatchThatATargetHoldsIsRefusedOrCompletedByWish(String runner)
      throws IOException {
    EventJob events = EventJob.in(directory);
    events.send(0, 10);
    // The memory holds the batch, with hashes of the rows; no other target does.
    crash(events, "between-targets");
    Files.createFile(directory.resolve("flag"));
    Map<String, Long> versions = versions();
    assertThat(versions.keySet(), contains("table_memory/flagged"));

    Outcome refused = run(events, Runners.options(runner)).exits(3);

    assertThat(
        refused.err(),
        matchesPattern(
            "(?s).*Batch 0 must have the same content.*\"memory\".*10 rows with hash "
                + HASH
                + ".*10 rows with hash "
                + HASH
                + ".*--onChangedContent=complete.*"));
    assertThat(versions(), is(versions));
    run(events, Runners.options(runner, "--onChangedContent=complete")).done();
    assertThat(versions().get("table_memory/flagged"), is(versions.get("table_memory/flagged")));
    List<String> changed =
        EventJob.events(0, 10).stream().map(row -> row.equals("e7=70") ? "e7=71" : row).toList();
    assertThat(EventJob.rows(directory.resolve("copy")), is(changed));
    assertThat(EventJob.rows(directory.resolve("table")), is(changed));
    BatchCommit commit = events.view().batches().get(0).commit().orElseThrow();
    String note = commit.notes().get("changed content of memory");
    assertThat(note, matchesPattern(HASH + " then " + HASH));
    assertThat(note.substring(0, 32), is(not(note.substring(note.length() - 32))));
    assertThat(
        note,
        containsString(commit.summary().outputs().get("memory").content().toString() + " then"));
  }

  @Test
  void contentThatNoTargetHoldsMayChange() throws IOException {
    EventJob events = EventJob.in(directory);
    events.send(0, 10);
    crash(events, "after-write");
    Files.createFile(directory.resolve("flag"));

    run(events).done();

    List<String> changed =
        EventJob.events(0, 10).stream().map(row -> row.equals("e7=70") ? "e7=71" : row).toList();
    assertThat(EventJob.rows(directory.resolve("table")), is(changed));
    assertThat(EventJob.rows(directory.resolve("copy")), is(changed));
  }

  @Test
  void batchThatEveryTargetHoldsIsEnteredWithoutTheSource() {
    try (KafkaBroker own = KafkaBroker.start()) {
      EventJob events = EventJob.on(own, directory);
      events.send(0, 10);
      crash(events, "before-commits");
      assertThat(events.batches(), contains("0:PENDING"));
      own.kill();

      run(events).failed(own.bootstrapServers());

      assertThat(events.batches(), contains("0:COMMITTED"));
      own.restart();
      events.send(10, 20);
      run(events).done();
      assertThat(EventJob.rows(directory.resolve("table")), is(EventJob.events(0, 20)));
    }
  }
}
