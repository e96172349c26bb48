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
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.testing.Covers.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lost checkpoint is rebuilt from what the targets remember: nothing lost, nothing twice. */
class ResumedCheckpointIT {

  private static final int OTHER_COMMITS = 300;

  @TempDir Path directory;
  private EventJob job;

  @BeforeEach
  void threeBatchesAreDone() {
    job = EventJob.in(directory).with("--maxRecordsPerBatch", "50");
    job.send(0, 150);
    job.run().done();
    assertThat(job.batches(), contains("0:COMMITTED", "1:COMMITTED", "2:COMMITTED"));
  }

  @Test
  @Row({43, 53, 58})
  void resumedJobAddsNoRowsAndDropsWhatIsDeliveredAgain() throws IOException {
    byte[] lost = EventJob.bytes(job.checkpoint().resolve("offsets/2"));
    Map<String, Long> versions = job.versions();
    Listing.delete(job.checkpoint());

    Outcome resumed = job.run("--onLostCheckpoint=resume").done();

    assertThat(resumed.out(), containsString("restored at batch 2"));
    assertThat(job.versions(), is(versions));
    assertThat(job.rows(), is(EventJob.events(0, 150)));
    assertThat(EventJob.bytes(job.checkpoint().resolve("offsets/2")), is(lost));
    assertThat(job.batches(), contains("2:COMMITTED"));
    job.send(50, 170);
    job.run().done();
    assertThat(job.rows(), is(EventJob.events(0, 170)));
    assertThat(
        job.count(3, "duplicates") + job.count(4, "duplicates") + job.count(5, "duplicates"),
        is(100L));
    assertThat(job.deadLetterRows(), is(java.util.List.of()));
  }

  @Test
  void otherKeysOrEventTimeAreRefusedBeforeTheCheckpointIsRestored() throws IOException {
    Listing.delete(job.checkpoint());
    String[] keys = {"Option --keys must be \"id\"", "but was: \"amount\""};
    String[] time = {"Option --eventTime must be \"at\"", "but was: \"amount\""};

    job.run("--onLostCheckpoint=resume", "--keys=amount", "--dryRun").refused(keys);
    job.run("--onLostCheckpoint=resume", "--keys=amount").refused(keys);
    job.run("--onLostCheckpoint=resume", "--eventTime=amount").refused(time);

    assertThat(job.batches(), is(java.util.List.of()));
    job.send(50, 170);
    job.run("--onLostCheckpoint=resume").done();
    assertThat(job.rows(), is(EventJob.events(0, 170)));
  }

  @Test
  void resumedJobEndsABatchThatSomeTargetsHave() throws IOException {
    job.send(150, 170);
    job.crash("between-targets");
    byte[] lost = EventJob.bytes(job.checkpoint().resolve("offsets/3"));
    Listing.delete(job.checkpoint());
    assertThat(job.rows(), is(EventJob.events(0, 150)));

    job.run().refused("checkpoint was lost", "target at batch 3", "--onLostCheckpoint=resume");
    job.send(160, 180);
    job.run("--onLostCheckpoint=resume").done();

    assertThat(job.rows(), is(EventJob.events(0, 180)));
    assertThat(EventJob.bytes(job.checkpoint().resolve("offsets/3")), is(lost));
    assertThat(job.count(4, "duplicates"), is(10L));
  }

  @Test
  void resumedJobNeedsNoLogEntryOfItsOwn() throws IOException {
    Path entry = TableLog.entry(job.table(), TableLog.last(job.table()));
    String schema = TableLog.schema(job.table());
    DeltaTable table = DeltaTable.at(job.table().toString(), Map.of());
    for (int batch = 0; batch < OTHER_COMMITS; batch++) {
      table.commit(DeltaCommit.of("another/table", batch, "plan", "content", schema));
    }
    FileTime old = FileTime.from(Instant.now().minus(Duration.ofDays(60)));
    for (Path file : Listing.of(entry.getParent())) {
      if (Files.isRegularFile(file)) {
        Files.setLastModifiedTime(file, old);
      }
    }
    assertThat(Files.exists(entry), is(true));
    for (int batch = OTHER_COMMITS; batch < OTHER_COMMITS + 20; batch++) {
      table.commit(DeltaCommit.of("another/table", batch, "plan", "content", schema));
    }
    assertThat(Files.exists(entry), is(false));
    byte[] lost = EventJob.bytes(job.checkpoint().resolve("offsets/2"));
    Listing.delete(job.checkpoint());

    job.run().refused("checkpoint was lost", "target at batch 2", "--onLostCheckpoint=resume");
    job.send(100, 160);
    job.run("--onLostCheckpoint=resume").done();

    assertThat(job.rows(), is(EventJob.events(0, 160)));
    assertThat(EventJob.bytes(job.checkpoint().resolve("offsets/2")), is(lost));
    assertThat(TableLog.last(job.table()), greaterThan(OTHER_COMMITS + 20L));
  }

  @Test
  void staleCheckpointIsMovedAsideAndKept() throws IOException {
    Path copy = directory.resolve("copy");
    Listing.copy(job.checkpoint(), copy);
    job.send(150, 300);
    job.run().done();
    byte[] lost = EventJob.bytes(job.checkpoint().resolve("offsets/5"));
    byte[] stale = EventJob.bytes(copy.resolve("offsets/2"));
    Listing.delete(job.checkpoint());
    Files.move(copy, job.checkpoint());

    job.run("--onLostCheckpoint=resume").done();

    assertThat(job.rows(), is(EventJob.events(0, 300)));
    assertThat(EventJob.bytes(job.checkpoint().resolve("offsets/5")), is(lost));
    Path aside =
        Listing.of(job.checkpoint()).stream()
            .filter(path -> path.getFileName().toString().startsWith("aside-"))
            .findFirst()
            .orElseThrow();
    assertThat(EventJob.bytes(aside.resolve("offsets/2")), is(stale));
  }
}
