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

import dev.idem.io.delta.table.DeltaTable;
import dev.idem.pipelines.command.IdemInProcess;
import dev.idem.testing.Covers.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A job begins anew: its tables are emptied in the first commit and filled from the beginning. */
class RefreshIT {

  @TempDir Path directory;
  private EventJob job;

  /** Thirty events in four batches, one record that is no JSON among them. */
  @BeforeEach
  void fourBatchesAreDone() {
    job = EventJob.in(directory);
    job.send(0, 15);
    job.sendValue("no JSON");
    job.send(15, 30);
    job.run().done();
    assertFilledOnce(30);
    assertThat(job.batches(), contains("0:COMMITTED", "1:COMMITTED", "2:COMMITTED", "3:COMMITTED"));
  }

  private void assertFilledOnce(int events) {
    assertThat(job.rows(), is(EventJob.events(0, events)));
    assertThat(
        job.deadLetterRows().stream().map(row -> row.getInt64("offset")).toList(), contains(15L));
    assertThat(job.rememberedKeys(), is((long) events));
  }

  @ParameterizedTest
  @EnumSource
  void tablesAreFilledAnewAndBatchesGoOn(JobRunner runner) {
    String epoch = job.view().metadata().orElseThrow().epoch();

    Outcome outcome =
        IdemInProcess.run(
                Stream.concat(
                        Stream.of("refresh"),
                        job.command(runner.options().toArray(String[]::new)).stream())
                    .toArray(String[]::new))
            .done();

    assertThat(outcome.out(), containsString("begun anew: batch 4 empties every table first"));
    assertFilledOnce(30);
    assertThat(job.batches(), contains("4:COMMITTED", "5:COMMITTED", "6:COMMITTED", "7:COMMITTED"));
    assertThat(
        Files.exists(job.checkpoint().resolve("aside-" + epoch).resolve("offsets/3")), is(true));
    job.send(10, 35);
    job.run().done();
    assertFilledOnce(35);
    assertThat(job.count(8, "duplicates") + job.count(9, "duplicates"), is(20L));
  }

  @Test
  void everyCrashOfTheFirstBatchIsGoneOnFromUntilTheTablesAreFilledOnce() {
    List<String> before = EventJob.events(0, 30);

    job.crash("before-offsets:3", "--refresh");
    job.run().refused("checkpoint was lost", "target at batch 3");
    job.crash("before-offsets:4", "--refresh");
    for (String point : List.of("after-offsets:4", "before-target-commit:4")) {
      job.crash(point);
      assertThat(point, job.rows(), is(before));
      assertThat(point, job.rememberedKeys(), is(30L));
    }
    job.crash("between-targets:4");
    assertThat(job.rememberedKeys(), is(10L));
    assertThat(job.deadLetterRows().size(), is(1));
    assertThat(job.rows(), is(before));
    job.crash("between-targets:4", "--refresh");
    assertThat(job.deadLetterRows(), is(List.of()));
    assertThat(job.rows(), is(before));
    job.crash("after-target-commit:4");
    assertThat(job.rows(), is(EventJob.events(0, 10)));
    job.crash("after-commits:5", "--refresh");
    assertThat(job.rows(), is(EventJob.events(0, 19)));
    job.run().done();

    assertFilledOnce(30);
    assertThat(job.batches(), contains("4:COMMITTED", "5:COMMITTED", "6:COMMITTED", "7:COMMITTED"));
  }

  @Test
  @Row({12})
  void beginningThatTheSourceHasLostIsRefusedByBothOffsets() {
    job.broker.deleteRecords(job.topic, 0, 12);
    Map<String, Long> versions = job.versions();
    String[] said = {"from offset 0, the first that was ever read", "can begin at: 12"};

    job.run("--refresh", "--dryRun").refused(said);
    job.run("--refresh").refused(said);
    job.run("--refresh", "--onDataLoss=continue").refused(said);
    job.run("--refresh", "--startingOffsets=latest").refused("can begin at: 31");

    assertThat(job.versions(), is(versions));
    assertFilledOnce(30);
    job.send(30, 35);
    job.run().done();
    assertFilledOnce(35);
  }

  @Test
  void beginningThatWasNeverReadMayBeGone() throws IOException {
    EventJob late = EventJob.in(Files.createDirectory(directory.resolve("late")));
    late.send(0, 20);
    late.broker.deleteRecords(late.topic, 0, 12);
    late.run().done();
    Listing.delete(late.checkpoint());
    late.send(20, 25);

    late.run("--onLostCheckpoint=restart").done();
    assertThat(late.rows(), is(EventJob.events(12, 25)));
    late.broker.deleteRecords(late.topic, 0, 13);
    Listing.delete(late.checkpoint());
    late.run("--onLostCheckpoint=restart")
        .refused("from offset 12, the first that was ever read", "can begin at: 13");

    assertThat(late.rows(), is(EventJob.events(12, 25)));
  }

  @Test
  void lostCheckpointIsNoLossOfBatchesThatOtherNumbersWouldHide() throws IOException {
    Listing.delete(job.checkpoint());
    job.send(30, 35);
    Map<String, Long> versions = job.versions();

    Outcome dry = job.run("--onLostCheckpoint=restart", "--dryRun").done();
    assertThat(job.versions(), is(versions));
    job.run("--onLostCheckpoint=restart").done();

    assertThat(dry.out(), containsString("begun anew: batch 4 would empty every table of the job"));
    assertThat(dry.out(), containsString(job.topic + "-0: from offset 0"));
    assertFilledOnce(35);
    assertThat(job.batches().get(0), is("4:COMMITTED"));
  }

  @Test
  void deletedTableIsFilledAnewUnderOtherKeysAndOptions() throws IOException {
    Listing.delete(job.table());

    job.run("--refresh", "--keys=amount", "--watermarkDelay=10m").done();

    assertFilledOnce(30);
    job.run("--keys=id", "--watermarkDelay=10m").exits(3);
    job.run("--keys=amount", "--watermarkDelay=10m").done();
  }

  @Test
  void tableThatIsWrittenAtLeastOnceIsNotEmptied() {
    job.run("--refresh", "--writeAtLeastOnce").refused("must keep records of batches");

    assertFilledOnce(30);
  }

  @Test
  void tableOfSeveralApplicationsIsNotEmptied() {
    EventJob other = EventJob.in(directory.resolve("other"));
    other.send(100, 105);
    other.run("--table=" + job.table(), "--applicationId=another").done();
    Map<String, Long> versions = job.versions();

    job.run("--refresh").refused("written by this job alone", "[another]");

    assertThat(job.versions(), is(versions));
    assertThat(job.rows().size(), is(35));
  }

  @Test
  void refreshOfNothingIsAFirstStart() throws IOException {
    EventJob fresh = EventJob.in(Files.createDirectory(directory.resolve("fresh")));
    fresh.send(0, 5);

    fresh.run("--refresh").done();

    assertThat(fresh.rows(), is(EventJob.events(0, 5)));
    assertThat(fresh.batches(), contains("0:COMMITTED"));
    assertThat(
        DeltaTable.at(fresh.table().toString(), Map.of()).state().orElseThrow().version(), is(1L));
  }
}
