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

import static dev.idem.io.delta.table.Tables.actions;
import static dev.idem.io.delta.table.Tables.commit;
import static dev.idem.io.delta.table.Tables.entries;
import static dev.idem.io.delta.table.Tables.names;
import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import dev.idem.io.delta.error.BatchRefusedException;
import dev.idem.io.delta.error.ContentChangedException;
import dev.idem.io.delta.error.DeltaTableException;
import dev.idem.io.delta.error.StagedFileException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.table.CommitOutcome.AlreadyCommitted;
import dev.idem.io.delta.table.CommitOutcome.Committed;
import dev.idem.testing.Covers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeltaTableTest {

  private static final String SINK = "orders/main";

  @TempDir Path directory;

  @Test
  void absentTableIsCreatedByItsFirstCommit() throws IOException {
    CommitOutcome outcome = table(directory).commit(commit(directory, SINK, 0, "a", "b"));

    assertThat(outcome, equalTo(new Committed(1)));
    assertThat(names(directory), contains("a", "b"));
    assertThat(
        table(directory).state().map(TableState::schemaJson), equalTo(Optional.of(Tables.ORDERS)));
  }

  @Test
  void replayedBatchAddsNoRows() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a", "b"));

    CommitOutcome outcome = table(directory).commit(commit(directory, SINK, 0, "a", "b"));

    assertThat(outcome, instanceOf(AlreadyCommitted.class));
    assertThat(((AlreadyCommitted) outcome).record().batch(), is(0L));
    assertThat(names(directory), contains("a", "b"));
    assertThat(entries(directory), hasSize(2));
  }

  /** DEV-19. */
  @Covers.Row(30)
  @Test
  void lowerBatchIdWithItsOwnPlanIsSkippedToo() throws IOException {
    List<CommitOutcome> outcomes = new ArrayList<>();
    outcomes.add(table(directory).commit(commit(directory, SINK, 1, "a", "b")));
    outcomes.add(table(directory).commit(commit(directory, SINK, 2, "c", "d")));
    outcomes.add(table(directory).commit(commit(directory, SINK, 2, "c", "d")));
    outcomes.add(table(directory).commit(commit(directory, SINK, 1, "a", "b")));
    outcomes.add(table(directory).commit(commit(directory, SINK, 3, "e", "f")));
    table(directory).commit(commit(directory, "refunds/main", 1, "r"));

    assertThat(names(directory), contains("a", "b", "c", "d", "e", "f", "r"));
    assertThat(
        outcomes.stream().map(o -> o.getClass().getSimpleName()).toList(),
        contains("Committed", "Committed", "AlreadyCommitted", "AlreadyCommitted", "Committed"));
    assertThat(table(directory).record(SINK).map(DeltaRecord::batch), equalTo(Optional.of(3L)));
    int adding = 0;
    for (long version = 0; version < entries(directory).size(); version++) {
      adding += actions(directory, version, "add").isEmpty() ? 0 : 1;
    }
    assertThat(adding, is(4));
  }

  @Covers.Row(41)
  @Test
  void batchIdAtOrBelowTheRecordedOneWithAnotherPlanIsRefused() throws IOException {
    table(directory).commit(commit(directory, SINK, 5, "a"));
    DeltaCommit other = DeltaCommit.of(SINK, 5, "other-plan", "0", Tables.ORDERS);
    DeltaCommit older = DeltaCommit.of(SINK, 4, "plan-4", "0", Tables.ORDERS);

    var samePlace = assertThrows(BatchRefusedException.class, () -> table(directory).commit(other));
    var below = assertThrows(BatchRefusedException.class, () -> table(directory).commit(older));

    assertThat(
        samePlace.getMessage(), containsString("another plan, plan-5 instead of other-plan"));
    assertThat(below.getMessage(), containsString("no record of it"));
    assertThat(below.recorded().getAsLong(), is(5L));
    assertThat(entries(directory), hasSize(2));
  }

  @Test
  void replayWithOtherContentIsRefusedWithBothHashes() throws IOException {
    table(directory).commit(DeltaCommit.of(SINK, 0, "plan", "aaaa", Tables.ORDERS));
    DeltaCommit changed = DeltaCommit.of(SINK, 0, "plan", "bbbb", Tables.ORDERS);

    var refused =
        assertThrows(ContentChangedException.class, () -> table(directory).commit(changed));

    assertThat(refused.recordedContent(), is("aaaa"));
    assertThat(refused.content(), is("bbbb"));
    assertThat(refused.getMessage(), containsString("must be aaaa"));
    assertThat(refused.getMessage(), containsString("but was: bbbb"));
    assertThat(entries(directory), hasSize(2));
  }

  @Test
  void twoBatchesWithEqualRowsAreBothKept() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
    table(directory).commit(commit(directory, SINK, 1, "a"));

    assertThat(names(directory), contains("a", "a"));
  }

  /** DEV-18. */
  @Test
  void batchWithoutRowsIsRecordedWithoutFiles() throws IOException {
    table(directory).commit(commit(directory, "p2/main", 4, "a", "b"));
    CommitOutcome five = table(directory).commit(commit(directory, "p2/main", 5));

    assertThat(names(directory), contains("a", "b"));
    assertThat(actions(directory, five.version(), "add"), empty());
    assertThat(
        table(directory).record("p2/main").map(DeltaRecord::batch), equalTo(Optional.of(5L)));

    table(directory).commit(commit(directory, "p2/main", 6, "c", "d", "e"));
    table(directory).commit(commit(directory, "p2/main", 5));
    table(directory).commit(commit(directory, "p2/main", 6, "c", "d", "e"));

    assertThat(names(directory), contains("a", "b", "c", "d", "e"));
    assertThat(
        table(directory).record("p2/main").map(DeltaRecord::batch), equalTo(Optional.of(6L)));
    for (long version = 0; version < entries(directory).size(); version++) {
      for (JsonNode add : actions(directory, version, "add")) {
        assertThat(add.path("stats").asText().contains("\"numRecords\":0,"), is(false));
      }
    }
  }

  @Test
  void withoutGapsOnlyTheNextBatchIsTaken() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a").withoutGaps());
    DeltaCommit ahead = commit(directory, SINK, 2, "c").withoutGaps();

    var refused = assertThrows(BatchRefusedException.class, () -> table(directory).commit(ahead));

    assertThat(refused.getMessage(), containsString("must be 1"));
    assertThat(refused.getMessage(), containsString("but was: 2"));
    assertThat(names(directory), contains("a"));
    table(directory).commit(commit(directory, SINK, 2, "c"));
    assertThat(names(directory), contains("a", "c"));
  }

  @Test
  void strictFirstBatchIsZero() throws IOException {
    DeltaCommit three = commit(directory, SINK, 3, "c").withoutGaps();

    var refused = assertThrows(BatchRefusedException.class, () -> table(directory).commit(three));

    assertThat(refused.recorded().isPresent(), is(false));
  }

  @Test
  void commitInfoNamesBatchRowsAndFiles() throws IOException {
    CommitOutcome outcome =
        table(directory)
            .commit(
                commit(directory, SINK, 7, "a", "b")
                    .withEpoch("e1")
                    .withParameters(Map.of("startingOffsets", "0"))
                    .withMetrics(Map.of("numDuplicates", "3")));

    JsonNode info = actions(directory, outcome.version(), "commitInfo").get(0);
    assertThat(info.path("operation").asText(), is("STREAMING UPDATE"));
    assertThat(info.path("isBlindAppend").asBoolean(), is(true));
    assertThat(info.path("operationParameters").path("batchId").asText(), is("7"));
    assertThat(info.path("operationParameters").path("sink").asText(), is(SINK));
    assertThat(info.path("operationParameters").path("epoch").asText(), is("e1"));
    assertThat(info.path("operationParameters").path("startingOffsets").asText(), is("0"));
    assertThat(info.path("operationMetrics").path("numOutputRows").asText(), is("2"));
    assertThat(info.path("operationMetrics").path("numFiles").asText(), is("1"));
    assertThat(
        info.path("operationMetrics").path("numOutputBytes").asLong(),
        is(Files.size(Tables.dataFiles(directory).get(0))));
    assertThat(info.path("operationMetrics").path("numDuplicates").asText(), is("3"));
    assertThat(info.path("operationMetrics").has("numRemovedFiles"), is(false));
    assertThat(info.path("userMetadata").asText(), containsString("\"plan\":\"plan-7\""));
  }

  @Test
  void sinksAreThoseWithARecord() throws IOException {
    table(directory).commit(commit(directory, "a/ü x", 0, "a"));
    table(directory).commit(commit(directory, "b/main", 0, "b"));

    assertThat(table(directory).sinks(), equalTo(Set.of("a/ü x", "b/main")));
    assertThat(table(directory.resolve("absent")).sinks(), empty());
    assertThat(table(directory.resolve("absent")).record("b/main"), is(Optional.empty()));
  }

  @Test
  void removedAndRewrittenFilesLeaveTheTable() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
    table(directory).commit(commit(directory, SINK, 1, "b"));
    List<DataFile> old = table(directory).files();
    List<DataFile> merged = Tables.orders(directory, "a", "b");

    CommitOutcome outcome =
        table(directory).commit(commit(directory, SINK, 2, "c").withRewrittenFiles(old, merged));

    assertThat(names(directory), contains("a", "b", "c"));
    assertThat(actions(directory, outcome.version(), "remove"), hasSize(2));
    for (JsonNode remove : actions(directory, outcome.version(), "remove")) {
      assertThat(remove.path("dataChange").asBoolean(true), is(false));
    }
    JsonNode info = actions(directory, outcome.version(), "commitInfo").get(0);
    assertThat(info.path("isBlindAppend").asBoolean(true), is(false));
    assertThat(info.path("operationMetrics").path("numFiles").asText(), is("1"));
    assertThat(info.path("operationMetrics").path("numOutputRows").asText(), is("1"));
    assertThat(info.path("operationMetrics").path("numRemovedFiles").asText(), is("2"));
    assertThat(
        info.path("operationMetrics").path("numRemovedBytes").asLong(),
        is(old.stream().mapToLong(DataFile::size).sum()));

    table(directory).commit(commit(directory, SINK, 3).withRemovedFiles(merged));
    assertThat(names(directory), contains("c"));
  }

  @Test
  void removalOfAFileThatAnotherWriterRewroteIsRefused() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
    List<DataFile> old = table(directory).files();
    table(directory)
        .commit(
            DeltaCommit.of("optimize/main", 0, "p", "c", Tables.ORDERS)
                .withRewrittenFiles(old, Tables.orders(directory, "a")));
    DeltaCommit stale =
        commit(directory, SINK, 1).withRewrittenFiles(old, Tables.orders(directory, "a"));

    var refused = assertThrows(StagedFileException.class, () -> table(directory).commit(stale));

    assertThat(refused.file(), is(old.get(0).path()));
    assertThat(names(directory), contains("a"));
  }

  @Test
  void missingOrTruncatedStagedFileIsRefused() throws IOException {
    DeltaCommit commit = commit(directory, SINK, 0, "a");
    Path file = Tables.dataFiles(directory).get(0);
    Files.write(file, new byte[] {1});

    var truncated = assertThrows(StagedFileException.class, () -> table(directory).commit(commit));
    Files.delete(file);
    var missing = assertThrows(StagedFileException.class, () -> table(directory).commit(commit));

    assertThat(truncated.getMessage(), containsString("but was: 1 bytes"));
    assertThat(missing.getMessage(), containsString("but was: missing"));
    assertThat(table(directory).record(SINK), is(Optional.empty()));
  }

  @Test
  void discardDeletesOnlyWhatTheTableDoesNotHold() throws IOException {
    List<DataFile> orphan = Tables.orders(directory, "lost");
    DeltaCommit kept = commit(directory, SINK, 0, "a");
    table(directory).commit(kept);
    List<DataFile> both = new ArrayList<>(orphan);
    both.addAll(table(directory).files());

    int deleted = table(directory).discard(both);

    assertThat(deleted, is(1));
    assertThat(names(directory), contains("a"));
    assertThat(Tables.dataFiles(directory), hasSize(1));
  }

  @Test
  void whatABatchRemovedIsDiscardedAndNothingElse() throws IOException {
    DeltaTable table = table(directory);
    table.commit(commit(directory, SINK, 0, "a"));
    List<DataFile> first = table.files();
    table.commit(commit(directory, SINK, 1, "b").withRemovedFiles(first));
    List<DataFile> second = table.files();
    table.commit(commit(directory, SINK, 2, "c").withRemovedFiles(second));
    table.commit(commit(directory, "refunds/main", 7, "r"));

    assertThat(table.discardRemoved("orders/other", 0), is(0));
    assertThat(table.discardRemoved(SINK, 3), is(0));
    assertThat(table.discardRemoved(SINK, 0), is(0));
    assertThat(Tables.dataFiles(directory), hasSize(4));
    assertThat(table.discardRemoved(SINK, 2), is(1));
    assertThat(table.discardRemoved(SINK, 2), is(0));
    assertThat(Files.exists(directory.resolve(second.get(0).path())), is(false));
    assertThat(Files.exists(directory.resolve(first.get(0).path())), is(true));
    assertThat(names(directory), contains("c", "r"));
  }

  @Test
  void fileThatATableHoldsAgainIsNotDiscarded() throws IOException {
    DeltaTable table = table(directory);
    table.commit(commit(directory, SINK, 0, "a"));
    List<DataFile> first = table.files();
    table.commit(commit(directory, SINK, 1, "b").withRemovedFiles(first));
    table.append(Tables.ORDERS, List.of(), first);

    assertThat(table.discardRemoved(SINK, 1), is(0));
    assertThat(names(directory), contains("a", "b"));
  }

  @Test
  void fileThatCannotBeDiscardedIsNamedWithTheRemedy() throws IOException {
    DeltaTable table = table(directory);
    table.commit(commit(directory, SINK, 0, "a"));
    List<DataFile> first = table.files();
    table.commit(commit(directory, SINK, 1, "b").withRemovedFiles(first));
    Path file = directory.resolve(first.get(0).path());
    Files.delete(file);
    Files.createDirectories(file.resolve("in-the-way"));

    var failure = assertThrows(DeltaTableException.class, () -> table.discardRemoved(SINK, 1));

    assertThat(
        failure.getMessage(),
        startsWith(
            "Data file \"%s\" must be deleted from table \"%s\""
                .formatted(first.get(0).path(), directory)));
    assertThat(failure.getMessage(), containsString("start it again"));
  }

  @Test
  void checkpointsAreWrittenEveryTenVersionsAndRead() throws IOException {
    for (int batch = 0; batch < 12; batch++) {
      table(directory).commit(commit(directory, SINK, batch, "n" + (10 + batch)));
    }
    Path log = directory.resolve("_delta_log");

    assertThat(Files.exists(log.resolve("00000000000000000010.checkpoint.parquet")), is(true));
    for (int version = 0; version < 10; version++) {
      Files.delete(Tables.entry(directory, version));
    }
    assertThat(names(directory), hasSize(12));
    assertThat(table(directory).record(SINK, 3).map(DeltaRecord::plan), is(Optional.of("plan-3")));
    assertThat(
        table(directory).commit(commit(directory, SINK, 3, "n13")),
        instanceOf(AlreadyCommitted.class));
  }

  @Test
  void otherThanLocalPathsAreRefused() {
    var refused =
        assertThrows(
            IllegalArgumentException.class, () -> DeltaTable.at("s3://bucket/t", Map.of()));

    assertThat(refused.getMessage(), containsString("\"s3://bucket/t\""));
  }
}
