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
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.delta.error.BatchRefusedException;
import dev.idem.io.delta.error.CommitUnknownException;
import dev.idem.io.delta.error.DamagedRecordException;
import dev.idem.io.delta.error.RestoredTableException;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.file.DurableFiles;
import dev.idem.io.file.FileObserver;
import dev.idem.io.file.FileOperation;
import dev.idem.io.file.FileOperation.Kind;
import dev.idem.testing.Covers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The record, and what crashes, errors and damage leave of it. */
class RecordTest {

  private static final String SINK = "orders/main";

  @TempDir Path directory;

  private List<Path> sideFiles() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("_idem"))) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  /** Stands for a machine that dies. */
  private static final class Died extends Error {
    private static final long serialVersionUID = 1L;
  }

  private static FileObserver before(Predicate<FileOperation> when, Runnable action) {
    return new FileObserver() {
      @Override
      public void before(FileOperation operation) {
        if (when.test(operation)) {
          action.run();
        }
      }

      @Override
      public void after(FileOperation operation) {}
    };
  }

  private static boolean linksLogEntry(FileOperation operation) {
    return operation.kind() == Kind.LINK
        && operation.path().getFileName().toString().matches("\\d{20}\\.json")
        && operation.path().getParent().endsWith("_delta_log");
  }

  @Test
  void recordKeepsWhatTheCommitterGave() throws IOException {
    String body = "{\"plan\":{\"ranges\":[1,2]},\"text\":\"ü\\n\"}";
    table(directory).commit(commit(directory, SINK, 0, "a").withBody(body).withEpoch("e"));

    DeltaRecord record = table(directory).record(SINK).orElseThrow();

    assertThat(record.body(), is(body));
    assertThat(record.epoch(), is("e"));
    assertThat(record.plan(), is("plan-0"));
    assertThat(record.tableId(), is(table(directory).state().orElseThrow().tableId()));
  }

  @Covers.Row(29)
  @Test
  void sideFileWithoutItsCommitIsNoRecord() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
    DeltaCommit next = commit(directory, SINK, 1, "b");
    DurableFiles.Observation observation =
        DurableFiles.observe(
            directory,
            before(
                RecordTest::linksLogEntry,
                () -> {
                  throw new Died();
                }));
    try {
      assertThrows(Died.class, () -> table(directory).commit(next));
    } finally {
      observation.close();
    }

    assertThat(sideFiles(), hasSize(2));
    assertThat(table(directory).record(SINK).map(DeltaRecord::batch), is(Optional.of(0L)));
    assertThat(table(directory).record(SINK, 1), is(Optional.empty()));
    assertThat(names(directory), contains("a"));

    table(directory).commit(commit(directory, SINK, 1, "b"));
    assertThat(names(directory), contains("a", "b"));
    assertThat(table(directory).record(SINK).map(DeltaRecord::batch), is(Optional.of(1L)));
  }

  @Test
  void recordAndDataAreForcedBeforeTheLogEntry() throws IOException {
    DeltaCommit first = commit(directory, SINK, 0, "a");
    table(directory).commit(first);
    DeltaCommit next = commit(directory, SINK, 1, "b");
    List<String> steps = new ArrayList<>();
    FileObserver observer =
        new FileObserver() {
          @Override
          public void before(FileOperation operation) {}

          @Override
          public void after(FileOperation operation) {
            if (operation.kind() != Kind.READ && operation.kind() != Kind.LIST) {
              String name = directory.relativize(operation.path()).toString();
              steps.add(
                  operation.kind()
                      + " "
                      + name.replaceAll("\\.?\\d{20}(-[0-9a-f]{16})?\\.json", "N")
                          .replaceAll("N-?[0-9a-f-]{36}\\.tmp", "tmp"));
            }
          }
        };
    DurableFiles.Observation observation = DurableFiles.observe(directory, observer);
    try {
      table(directory).commit(next);
    } finally {
      observation.close();
    }

    String sink = "_idem/orders%2Fmain";
    assertThat(
        steps,
        contains(
            "OPEN " + sink + "/tmp",
            "WRITE " + sink + "/tmp",
            "FORCE_FILE " + sink + "/tmp",
            "LINK " + sink + "/N",
            "FORCE_DIRECTORY " + sink,
            "DELETE " + sink + "/tmp",
            "OPEN _delta_log/tmp",
            "WRITE _delta_log/tmp",
            "FORCE_FILE _delta_log/tmp",
            "LINK _delta_log/N",
            "FORCE_DIRECTORY _delta_log",
            "DELETE _delta_log/tmp"));
  }

  /** Commits, and throws once after the log entry has appeared. */
  private CommitOutcome commitWithoutAnswer(DeltaCommit commit) {
    AtomicInteger failures = new AtomicInteger();
    FileObserver observer =
        new FileObserver() {
          @Override
          public void before(FileOperation operation) {}

          @Override
          public void after(FileOperation operation) throws IOException {
            if (linksLogEntry(operation) && failures.getAndIncrement() == 0) {
              throw new IOException("answer lost");
            }
          }
        };
    DurableFiles.Observation observation = DurableFiles.observe(directory, observer);
    try {
      return table(directory).commit(commit);
    } finally {
      observation.close();
      assertThat(failures.get(), is(1));
    }
  }

  @Covers.Row(37)
  @Test
  void commitWhoseAnswerIsLostIsRecognisedAsOurs() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));

    CommitOutcome outcome = commitWithoutAnswer(commit(directory, SINK, 1, "b"));

    assertThat(outcome, equalTo(new CommitOutcome.Committed(2)));
    assertThat(names(directory), contains("a", "b"));
    assertThat(Tables.entries(directory), hasSize(3));
  }

  /** Kernel tries an overwrite once, so the next round has to tell. */
  @Test
  void overwriteWhoseAnswerIsLostIsRecognisedAsOurs() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));

    CommitOutcome outcome =
        commitWithoutAnswer(
            commit(directory, SINK, 1, "b").overwriting(PartitionPredicate.everything()));

    assertThat(outcome, equalTo(new CommitOutcome.Committed(2)));
    assertThat(names(directory), contains("b"));
    assertThat(Tables.entries(directory), hasSize(3));
  }

  /** Commits, but the first attempt fails before its entry, and the rival's commit comes then. */
  private CommitOutcome commitBehind(DeltaCommit rival, DeltaCommit commit) throws IOException {
    AtomicInteger failures = new AtomicInteger();
    FileObserver observer =
        new FileObserver() {
          @Override
          public void before(FileOperation operation) throws IOException {
            if (linksLogEntry(operation) && failures.getAndIncrement() == 0) {
              table(directory).commit(rival);
              throw new IOException("disk busy");
            }
          }

          @Override
          public void after(FileOperation operation) {}
        };
    DurableFiles.Observation observation = DurableFiles.observe(directory, observer);
    try {
      return table(directory).commit(commit);
    } finally {
      observation.close();
    }
  }

  /** An error before the entry, and another attempt at the same batch that comes then. */
  @Test
  void rivalsCommitOfTheSameBatchIsNotTakenForOurs() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
    DeltaCommit ours = commit(directory, SINK, 1, "b");
    DeltaCommit theirs = commit(directory, SINK, 1, "b");

    CommitOutcome outcome = commitBehind(theirs, ours);

    // Whoever wrote our files may delete them.
    assertThat(
        outcome,
        equalTo(
            new CommitOutcome.AlreadyCommitted(2, table(directory).record(SINK).orElseThrow())));
    assertThat(table(directory).discard(ours.added()), is(1));
    assertThat(names(directory), contains("a", "b"));
  }

  @Test
  void errorBeforeTheEntryFollowedByARivalsEntryIsResolved() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
    DeltaCommit next = commit(directory, SINK, 1, "b");
    DeltaCommit rival = commit(directory, "rival/main", 0, "r");

    CommitOutcome outcome = commitBehind(rival, next);

    assertThat(outcome, equalTo(new CommitOutcome.Committed(3)));
    assertThat(names(directory), contains("a", "b", "r"));
  }

  @Test
  void commitThatCanNeverBeWrittenEndsUnknownAndKeepsItsFiles() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
    DeltaCommit next = commit(directory, SINK, 1, "b");
    FileObserver observer =
        new FileObserver() {
          @Override
          public void before(FileOperation operation) throws IOException {
            if (linksLogEntry(operation)) {
              throw new IOException("disk full");
            }
          }

          @Override
          public void after(FileOperation operation) {}
        };
    DurableFiles.Observation observation = DurableFiles.observe(directory, observer);
    try {
      List<Long> pauses = new ArrayList<>();
      DeltaTable table = table(directory).withSleeper(pauses::add);

      var unknown = assertThrows(CommitUnknownException.class, () -> table.commit(next));

      assertThat(pauses, hasSize(5));
      assertThat(unknown.getMessage(), containsString("batch 1 of \"orders/main\""));
    } finally {
      observation.close();
    }

    assertThat(Tables.dataFiles(directory), hasSize(2));
    assertThat(table(directory).commit(next), instanceOf(CommitOutcome.Committed.class));
    assertThat(names(directory), contains("a", "b"));
  }

  @Test
  void schemaChangeBetweenPlanAndCommitIsLookedAtAgain() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
    DeltaCommit next = commit(directory, SINK, 1, "b");
    AtomicInteger times = new AtomicInteger();
    String metadata =
        Files.readAllLines(Tables.entry(directory, 0)).stream()
            .filter(line -> line.startsWith("{\"metaData\""))
            .findFirst()
            .orElseThrow();
    DurableFiles.Observation observation =
        DurableFiles.observe(
            directory,
            before(
                RecordTest::linksLogEntry,
                () -> {
                  if (times.getAndIncrement() == 0) {
                    write(Tables.entry(directory, 2), metadata + "\n");
                  }
                }));
    CommitOutcome outcome;
    try {
      outcome = table(directory).commit(next);
    } finally {
      observation.close();
    }

    assertThat(outcome, equalTo(new CommitOutcome.Committed(3)));
    assertThat(names(directory), contains("a", "b"));
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void changedOrMissingRecordIsDamage() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
    Path side = sideFiles().get(0);
    Files.writeString(side, Files.readString(side).replace("plan-0", "plan-9"));

    var changed = assertThrows(DamagedRecordException.class, () -> table(directory).record(SINK));
    Files.delete(side);
    var missing = assertThrows(DamagedRecordException.class, () -> table(directory).record(SINK));

    assertThat(changed.getMessage(), containsString("but was: changed"));
    assertThat(missing.getMessage(), containsString("but was: missing"));
  }

  @Test
  void lastHundredRecordsAreKept() throws IOException {
    for (long batch = 0; batch < 103; batch++) {
      table(directory).commit(DeltaCommit.of(SINK, batch, "p" + batch, "c", Tables.ORDERS));
    }

    assertThat(sideFiles(), hasSize(100));
    assertThat(table(directory).record(SINK, 2), is(Optional.empty()));
    assertThat(table(directory).record(SINK, 3).map(DeltaRecord::plan), is(Optional.of("p3")));
    assertThat(table(directory).record(SINK, 102).map(DeltaRecord::plan), is(Optional.of("p102")));
    var refused =
        assertThrows(
            BatchRefusedException.class,
            () -> table(directory).commit(DeltaCommit.of(SINK, 2, "p2", "c", Tables.ORDERS)));
    assertThat(refused.getMessage(), containsString("no record of it"));
  }

  @Test
  void restoreBehindTheLastCommitIsFound() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
    table(directory).commit(commit(directory, SINK, 1, "b"));
    assertThat(table(directory).behind(SINK), is(false));
    String commitInfo =
        "{\"commitInfo\":{\"timestamp\":1,\"operation\":\"RESTORE\",\"operationParameters\":"
            + "{\"version\":%s,\"timestamp\":null}}}\n";

    Files.writeString(Tables.entry(directory, 3), String.format(commitInfo, 2));
    assertThat("restored to our commit", table(directory).behind(SINK), is(false));
    Files.writeString(Tables.entry(directory, 3), String.format(commitInfo, 1));
    assertThat("restored to before it", table(directory).behind(SINK), is(true));
    Files.writeString(Tables.entry(directory, 3), String.format(commitInfo, "null"));
    assertThat("restored by time", table(directory).behind(SINK), is(true));
    Files.writeString(Tables.entry(directory, 4), String.format(commitInfo, 2));
    assertThat("brought back", table(directory).behind(SINK), is(false));
    Files.writeString(Tables.entry(directory, 4), String.format(commitInfo, 3));
    assertThat("restored to what was restored", table(directory).behind(SINK), is(true));
    Files.delete(Tables.entry(directory, 4));

    var refused =
        assertThrows(RestoredTableException.class, () -> table(directory).refuseRestored(SINK));
    assertThat(refused.restore(), is(3L));
    assertThat(refused.getMessage(), containsString("Restore it to version 2"));
    assertThat(table(directory).behind("other/sink"), is(false));
    DeltaCommit next = commit(directory, SINK, 2, "c").withoutGaps();
    assertThat(
        assertThrows(RestoredTableException.class, () -> table(directory).commit(next)).restore(),
        is(3L));
    assertThat(Files.exists(Tables.entry(directory, 4)), is(false));
    table(directory).commit(commit(directory, SINK, 2, "c"));
    assertThat("committed since", table(directory).behind(SINK), is(false));
  }
}
