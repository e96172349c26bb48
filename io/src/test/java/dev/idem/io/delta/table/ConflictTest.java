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
import static dev.idem.io.delta.table.Tables.orders;
import static dev.idem.io.delta.table.Tables.schema;
import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.idem.io.delta.error.BatchRefusedException;
import dev.idem.io.delta.error.CommitConflictException;
import dev.idem.io.delta.error.RestoredTableException;
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.error.StagedFileException;
import dev.idem.io.delta.error.UnusableTableException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.file.DurableFiles;
import dev.idem.io.file.FileObserver;
import dev.idem.io.file.FileOperation;
import dev.idem.io.file.FileOperation.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commits of others that come between the look at the table and the commit of a batch. */
class ConflictTest {

  private static final String SINK = "orders/main";
  private static final JsonMapper JSON = new JsonMapper();

  @TempDir Path directory;

  @BeforeEach
  void firstBatch() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
  }

  private interface Rival {
    void commit() throws IOException;
  }

  /** Commits a batch after a rival, who comes when the log entry is about to appear. */
  private CommitOutcome commitAfter(int rivals, Rival rival, DeltaCommit batch) {
    int[] left = {rivals};
    FileObserver observer =
        new FileObserver() {
          @Override
          public void before(FileOperation operation) throws IOException {
            if (operation.kind() == Kind.LINK
                && operation.path().getParent().endsWith("_delta_log")
                && left[0] > 0) {
              left[0]--;
              rival.commit();
            }
          }

          @Override
          public void after(FileOperation operation) {}
        };
    DurableFiles.Observation observation = DurableFiles.observe(directory, observer);
    try {
      return table(directory).commit(batch);
    } finally {
      observation.close();
      assertThat("rivals that did not come", left[0], is(0));
    }
  }

  private CommitOutcome commitAfter(Rival rival, DeltaCommit batch) {
    return commitAfter(1, rival, batch);
  }

  /** Appends a log entry, as a writer that is not this library would. */
  private void enter(String... actions) throws IOException {
    Files.writeString(
        Tables.entry(directory, Tables.entries(directory).size()),
        "{\"commitInfo\":{\"timestamp\":1,\"operation\":\"SET\",\"operationParameters\":{}}}\n"
            + String.join("\n", actions)
            + "\n");
  }

  /** Returns the metadata of the table with changes. */
  private String metadata(Consumer<ObjectNode> change) throws IOException {
    ObjectNode metadata = (ObjectNode) Tables.actions(directory, 0, "metaData").get(0);
    change.accept(metadata);
    return JSON.createObjectNode().set("metaData", metadata).toString();
  }

  private String property(String name, String value) throws IOException {
    return metadata(node -> node.withObject("/configuration").put(name, value));
  }

  private String columns(String... columns) throws IOException {
    return metadata(node -> node.put("schemaString", schema(columns)));
  }

  private static String protocol(String reader, String... writer) {
    return "{\"protocol\":{\"minReaderVersion\":%d,\"minWriterVersion\":7,%s\"writerFeatures\":[\"%s\"]}}"
        .formatted(
            reader.isEmpty() ? 1 : 3,
            reader.isEmpty() ? "" : "\"readerFeatures\":[\"" + reader + "\"],",
            String.join("\",\"", writer));
  }

  @Test
  void batchFollowsAnAppend() throws IOException {
    DeltaCommit rival = commit(directory, "rival/main", 0, "r");

    CommitOutcome outcome =
        commitAfter(() -> table(directory).commit(rival), commit(directory, SINK, 1, "b"));

    assertThat(outcome, equalTo(new CommitOutcome.Committed(3)));
    assertThat(names(directory), contains("a", "b", "r"));
  }

  @Test
  void batchFollowsAChangeOfProperties() throws IOException {
    String change = property("delta.logRetentionDuration", "interval 9 days");

    CommitOutcome outcome =
        commitAfter(() -> enter(change), commit(directory, SINK, 1, "b").withoutGaps());

    assertThat(outcome, equalTo(new CommitOutcome.Committed(3)));
    assertThat(names(directory), contains("a", "b"));
    assertThat(
        table(directory).state().orElseThrow().properties(),
        is(Map.of("delta.logRetentionDuration", "interval 9 days")));
  }

  @Test
  void batchFollowsANewNullableColumn() throws IOException {
    String change = columns("id long not", "name string", "city string");

    CommitOutcome outcome = commitAfter(() -> enter(change), commit(directory, SINK, 1, "b"));

    assertThat(outcome, equalTo(new CommitOutcome.Committed(3)));
    assertThat(
        DeltaRows.read(directory.toString()).toList().stream()
            .map(row -> row.getString("name") + " " + row.getString("city"))
            .sorted()
            .toList(),
        contains("a null", "b null"));
  }

  @ParameterizedTest
  @CsvSource({
    "id long not;name string;city string not, city",
    "id long not, name",
    "id string not;name string, id",
  })
  void batchThatNoLongerFitsIsRefusedByColumn(String columns, String column) throws IOException {
    String change = columns(columns.split(";"));
    DeltaCommit batch = commit(directory, SINK, 1, "b");

    var refused =
        assertThrows(SchemaMismatchException.class, () -> commitAfter(() -> enter(change), batch));

    assertThat(refused.column(), is(column));
    assertThat(Tables.entries(directory), hasSize(3));
    assertThat(Tables.dataFiles(directory), hasSize(2));
  }

  @Test
  void batchFollowsAnUpgradeToAFeatureThatIsHonoured() throws IOException {
    String protocol = protocol("deletionVectors", "deletionVectors", "appendOnly", "invariants");

    CommitOutcome outcome =
        commitAfter(() -> enter(protocol), commit(directory, SINK, 1, "b").withoutGaps());

    assertThat(outcome, equalTo(new CommitOutcome.Committed(3)));
    assertThat(names(directory), contains("a", "b"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "futureThing"})
  void upgradeToAFeatureThatIsNotHonouredIsRefusedByName(String reader) throws IOException {
    String protocol = protocol(reader, "futureThing");
    DeltaCommit batch = commit(directory, SINK, 1, "b");

    var refused =
        assertThrows(UnusableTableException.class, () -> commitAfter(() -> enter(protocol), batch));

    assertThat(refused.feature(), is("futureThing"));
    assertThat(Tables.entries(directory), hasSize(3));
  }

  @Test
  void constraintThatAppearsIsRefusedByName() throws IOException {
    String change = property("delta.constraints.positive", "id > 0");
    DeltaCommit batch = commit(directory, SINK, 1, "b");

    var refused =
        assertThrows(UnusableTableException.class, () -> commitAfter(() -> enter(change), batch));

    assertThat(refused.feature(), is("checkConstraints"));
    assertThat(Tables.entries(directory), hasSize(3));
  }

  @Test
  void sameBatchByAnotherWriterIsFoundCommitted() throws IOException {
    DeltaCommit rival = commit(directory, SINK, 1, "b");
    DeltaCommit batch = commit(directory, SINK, 1, "b");

    CommitOutcome outcome = commitAfter(() -> table(directory).commit(rival), batch);

    assertThat(outcome, instanceOf(CommitOutcome.AlreadyCommitted.class));
    assertThat(names(directory), contains("a", "b"));
    assertThat(Tables.entries(directory), hasSize(3));
  }

  @Test
  void otherPlanUnderTheSameBatchIdIsRefused() throws IOException {
    DeltaCommit rival =
        DeltaCommit.of(SINK, 1, "rival-plan", "c", Tables.ORDERS).withFiles(orders(directory, "r"));
    DeltaCommit batch = commit(directory, SINK, 1, "b");

    var refused =
        assertThrows(
            BatchRefusedException.class,
            () -> commitAfter(() -> table(directory).commit(rival), batch));

    assertThat(refused.getMessage(), containsString("rival-plan instead of plan-1"));
    assertThat(names(directory), contains("a", "r"));
  }

  @Test
  void laterBatchOfTheSinkLeavesNoPlaceForAnEarlierOne() throws IOException {
    DeltaCommit rival = commit(directory, SINK, 2, "c");
    DeltaCommit batch = commit(directory, SINK, 1, "b");

    var refused =
        assertThrows(
            BatchRefusedException.class,
            () -> commitAfter(() -> table(directory).commit(rival), batch));

    assertThat(refused.recorded().getAsLong(), is(2L));
    assertThat(names(directory), contains("a", "c"));
  }

  @Test
  void fileThatARivalRewroteIsNotTakenOutAgain() throws IOException {
    List<DataFile> old = table(directory).files();
    DeltaCommit rival =
        commit(directory, "optimize/main", 0).withRewrittenFiles(old, orders(directory, "a"));
    DeltaCommit batch = commit(directory, SINK, 1).withRewrittenFiles(old, orders(directory, "a"));

    var refused =
        assertThrows(
            StagedFileException.class,
            () -> commitAfter(() -> table(directory).commit(rival), batch));

    assertThat(refused.file(), is(old.get(0).path()));
    assertThat(names(directory), contains("a"));
  }

  @Test
  void restoreThatComesFirstIsRefusedByItsVersion() throws IOException {
    String restore =
        "{\"commitInfo\":{\"timestamp\":1,\"operation\":\"RESTORE\",\"operationParameters\":"
            + "{\"version\":0}}}";
    String gone =
        JSON.createObjectNode()
            .set(
                "remove",
                JSON.createObjectNode()
                    .put("path", table(directory).files().get(0).path())
                    .put("deletionTimestamp", 1)
                    .put("dataChange", true))
            .toString();
    String metadata = metadata(node -> {});
    DeltaCommit batch = commit(directory, SINK, 1, "b").withoutGaps();

    var refused =
        assertThrows(
            RestoredTableException.class,
            () ->
                commitAfter(
                    () ->
                        Files.writeString(
                            Tables.entry(directory, 2), restore + "\n" + gone + "\n" + metadata),
                    batch));

    assertThat(refused.restore(), is(2L));
    assertThat(names(directory), empty());
  }

  @Test
  void batchThatAlwaysComesSecondEndsAsAConflict() throws IOException {
    String change = metadata(node -> {});
    DeltaCommit batch = commit(directory, SINK, 1, "b");

    var conflict =
        assertThrows(
            CommitConflictException.class, () -> commitAfter(10, () -> enter(change), batch));

    assertThat(conflict.attempts(), is(10));
    assertThat(table(directory).record(SINK).map(DeltaRecord::batch), is(Optional.of(0L)));
    assertThat(table(directory).commit(batch).version(), is(12L));
    assertThat(names(directory), contains("a", "b"));
  }
}
