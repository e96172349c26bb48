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
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.not;

import dev.idem.io.file.FileOperation;
import dev.idem.io.file.FileOperation.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What makes others visible or done is on the disk after what it speaks of, never before. */
class ForcedFilesIT {

  @TempDir Path temporary;
  private Path directory;
  private EventJob job;

  @BeforeEach
  void oneBatchIsDone() throws IOException {
    directory = Files.createDirectory(temporary.toRealPath().resolve("job"));
    job = EventJob.in(directory).with("--maxRecordsPerBatch", "100");
    job.send(0, 20);
    job.run().done();
    job.send(10, 30);
    job.sendValue("no JSON");
  }

  @Test
  void everythingIsForcedBeforeWhatRefersToIt() throws IOException {
    try (RecordedDisk disk = RecordedDisk.under(directory)) {
      job.run().done();
      Path offsets = job.checkpoint().resolve("offsets/1");
      Path commits = job.checkpoint().resolve("commits/1");
      int planned = requirePublished(disk, offsets);
      int done = requirePublished(disk, commits);
      for (Path table : List.of(job.memory(), job.deadLetters(), job.table())) {
        Path entry = TableLog.entry(table, TableLog.last(table));
        int visible = requirePublished(disk, entry);
        assertThat(
            table + " log before commits/1",
            disk.happened(Kind.FORCE_DIRECTORY, entry.getParent(), visible, done),
            is(true));
        List<Path> files = TableLog.added(table, TableLog.last(table));
        assertThat(files, is(not(empty())));
        for (Path file : files) {
          int created = disk.indexOf(Kind.OPEN, file);
          assertThat(file + " after its plan", created, greaterThan(planned));
          int written = disk.indexOf(Kind.WRITE, file);
          assertThat(
              file + " forced before its entry",
              disk.happened(Kind.FORCE_FILE, file, written, visible),
              is(true));
          assertThat(
              file + " has its name before its entry",
              disk.happened(Kind.FORCE_DIRECTORY, file.getParent(), created, visible),
              is(true));
        }
        int record = requirePublished(disk, record(disk, table));
        assertThat(table + " record before its entry", record, is(lessThan(visible)));
        Path records = record(disk, table).getParent();
        assertThat(disk.happened(Kind.FORCE_DIRECTORY, records, record, visible), is(true));
      }
    }
  }

  /** Returns when a file got its name: its bytes were forced before, its directory after. */
  private static int requirePublished(RecordedDisk disk, Path file) {
    int linked = disk.indexOf(Kind.LINK, file);
    FileOperation link = disk.operations().get(linked);
    Path unnamed = link.other().orElseThrow();
    int written = disk.indexOf(Kind.WRITE, unnamed);
    assertThat(
        file + " forced before its name",
        disk.happened(Kind.FORCE_FILE, unnamed, written, linked),
        is(true));
    assertThat(
        file + " keeps its name",
        disk.happened(Kind.FORCE_DIRECTORY, file.getParent(), linked, disk.operations().size()),
        is(true));
    return linked;
  }

  private static Path record(RecordedDisk disk, Path table) {
    return disk.operations().stream()
        .filter(each -> each.kind() == Kind.LINK)
        .map(FileOperation::path)
        .filter(path -> path.startsWith(table.resolve("_idem")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void powerLossAtAnyStepEndsInTheExactTable() throws IOException {
    try (RecordedDisk disk = RecordedDisk.under(directory)) {
      job.run().done();
      assertThat(job.rows(), is(EventJob.events(0, 30)));
      List<DeadLetter> deadLetters = DeadLetter.of(job);
      assertThat(disk.states(), greaterThan(20));
      for (int state = 0; state < disk.states(); state++) {
        Path left = temporary.resolve("left-" + state);
        disk.restore(state, left);
        EventJob again = job.at(left);

        Outcome outcome = again.run();

        assertThat("state " + state + ": " + outcome.err(), outcome.exit(), is(0));
        assertThat("state " + state, again.rows(), is(EventJob.events(0, 30)));
        assertThat("state " + state, DeadLetter.of(again), is(deadLetters));
        assertThat("state " + state, again.rememberedKeys(), is(30L));
        Listing.delete(left);
      }
    }
  }
}
