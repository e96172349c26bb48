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

import static dev.idem.io.delta.file.PartitionPredicate.between;
import static dev.idem.io.delta.file.PartitionPredicate.everything;
import static dev.idem.io.delta.file.PartitionPredicate.in;
import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.anyOf;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import dev.idem.io.delta.error.BatchRefusedException;
import dev.idem.io.delta.error.OutsideOverwriteException;
import dev.idem.io.delta.error.UnusableTableException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.PartitionFilter;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.schema.SchemaJson;
import dev.idem.io.file.DurableFiles;
import dev.idem.io.file.FileObserver;
import dev.idem.io.file.FileOperation;
import dev.idem.testing.Covers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that replace partitions. */
class OverwriteTest {

  private static final String SINK = "corrections/main";
  private static final String SCHEMA = Tables.schema("day integer", "name string");

  @TempDir Path directory;

  /** Returns files with rows, each given as {@code DAY:NAME}. */
  private List<DataFile> files(String... rows) {
    Schema schema = DeltaSchemas.parse(SCHEMA);
    Row[] all =
        Stream.of(rows)
            .map(row -> row.split(":"))
            .map(row -> Row.withSchema(schema).addValues(day(row[0]), row[1]).build())
            .toArray(Row[]::new);
    try {
      return Tables.write(
          DataFileSpec.of(directory.toString(), SCHEMA).withPartitionColumns(List.of("day")), all);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Integer day(String text) {
    return text.equals("-") ? null : Integer.valueOf(text);
  }

  private DeltaCommit batch(String sink, long batch, String... rows) {
    return DeltaCommit.of(sink, batch, "plan-" + batch, String.join(" ", rows) + "-", SCHEMA)
        .withPartitionColumns(List.of("day"))
        .withFiles(files(rows));
  }

  private CommitOutcome append(long batch, String... rows) {
    return table(directory).commit(batch("orders/main", batch, rows));
  }

  private List<String> rows() {
    return DeltaRows.read(directory.toString()).toList().stream()
        .map(row -> row.getValue("day") + ":" + row.getValue("name"))
        .sorted()
        .toList();
  }

  private List<Path> sideFiles() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("_idem"))) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static boolean linksLogEntry(FileOperation operation) {
    return operation.kind() == FileOperation.Kind.LINK
        && operation.path().getParent().endsWith("_delta_log");
  }

  /** Commits and does something just before the first log entry of it is there. */
  private CommitOutcome commitAfter(DeltaCommit commit, Runnable rival) {
    FileObserver observer =
        new FileObserver() {
          private boolean done;

          @Override
          public void before(FileOperation operation) {
            if (linksLogEntry(operation) && !done) {
              done = true;
              rival.run();
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

  @Test
  void partitionsAreReplacedAndOthersStay() throws IOException {
    append(0, "1:a", "2:b", "2:c", "3:d", "4:e", "-:f");
    append(1, "2:g", "3:h");

    CommitOutcome outcome =
        table(directory).commit(batch(SINK, 0, "2:x", "3:y").overwriting(between("day", 2, 3)));

    assertThat(outcome, equalTo(new CommitOutcome.Committed(3)));
    assertThat(rows(), contains("1:a", "2:x", "3:y", "4:e", "null:f"));
    JsonNode info = Tables.actions(directory, 3, "commitInfo").get(0);
    assertThat(info.at("/operationParameters/mode").asText(), is("Overwrite"));
    assertThat(info.at("/operationParameters/predicate").asText(), is("day >= 2 and day <= 3"));
    assertThat(info.at("/operationMetrics/numRemovedFiles").asText(), is("4"));
    assertThat(info.path("isBlindAppend").asBoolean(), is(false));
    List<JsonNode> removed = Tables.actions(directory, 3, "remove");
    assertThat(removed, hasSize(4));
    removed.forEach(remove -> assertThat(remove.path("dataChange").asBoolean(), is(true)));
  }

  @Test
  void partitionsWithoutRowsAreEmptied() throws IOException {
    append(0, "1:a", "2:b", "-:c");

    table(directory).commit(batch(SINK, 0).overwriting(in("day", 2, null)));

    assertThat(rows(), contains("1:a"));
  }

  @Test
  void wholeTableIsReplacedWithoutConditions() throws IOException {
    table(directory).commit(Tables.commit(directory, "orders/main", 0, "a", "b"));

    table(directory).commit(Tables.commit(directory, SINK, 0, "c").overwriting(everything()));

    assertThat(Tables.names(directory), contains("c"));
  }

  @Test
  void rowOutsideIsRefusedBeforeAnythingIsWritten() throws IOException {
    append(0, "1:a", "2:b");
    List<Path> records = sideFiles();
    DeltaCommit commit = batch(SINK, 0, "2:x", "4:y").overwriting(between("day", 2, 3));

    var refused =
        assertThrows(OutsideOverwriteException.class, () -> table(directory).commit(commit));

    assertThat(refused.partitionValues(), is(Map.of("day", "4")));
    assertThat(refused.getMessage(), containsString("a row with {day=4}"));
    assertThat(refused.getMessage(), containsString("day >= 2 and day <= 3"));
    assertThat(rows(), contains("1:a", "2:b"));
    assertThat(Tables.entries(directory), hasSize(2));
    assertThat(sideFiles(), is(records));
  }

  @Test
  void sameBatchAgainTouchesNothingThoughOthersHaveAppendedSince() throws IOException {
    append(0, "1:a", "2:b");
    table(directory).commit(batch(SINK, 0, "2:x").overwriting(in("day", 2)));
    append(1, "2:late");

    CommitOutcome outcome =
        table(directory).commit(batch(SINK, 0, "2:x").overwriting(in("day", 2)));

    assertThat(outcome, instanceOf(CommitOutcome.AlreadyCommitted.class));
    assertThat(outcome.version(), is(3L));
    assertThat(rows(), contains("1:a", "2:late", "2:x"));
    assertThat(Tables.entries(directory), hasSize(4));
  }

  @Test
  void whatARivalAppendsBeforeTheCommitIsReplacedTooAndNothingElse() throws IOException {
    append(0, "1:a", "2:b");

    CommitOutcome outcome =
        commitAfter(
            batch(SINK, 0, "2:x").overwriting(in("day", 2)), () -> append(1, "1:c", "2:rival"));

    assertThat(outcome, equalTo(new CommitOutcome.Committed(3)));
    assertThat(rows(), contains("1:a", "1:c", "2:x"));
  }

  @Test
  void filesThatARivalRewroteAreReplacedUnderTheirNewNames() throws IOException {
    append(0, "1:a", "2:b");
    List<DataFile> before =
        table(directory).files().stream()
            .filter(file -> file.partitionValues().get("day").equals("2"))
            .toList();

    CommitOutcome outcome =
        commitAfter(
            batch(SINK, 0, "2:x").overwriting(in("day", 2)),
            () ->
                table(directory)
                    .commit(
                        DeltaCommit.of("merge/main", 0, "p", "c", SCHEMA)
                            .withPartitionColumns(List.of("day"))
                            .withRewrittenFiles(before, files("2:b"))));

    assertThat(outcome, equalTo(new CommitOutcome.Committed(3)));
    assertThat(rows(), contains("1:a", "2:x"));
  }

  @Test
  void moreRivalsThanAnAppendStandsAreWaitedOut() throws IOException {
    append(0, "1:a", "2:b");
    int rivals = 30;
    FileObserver observer =
        new FileObserver() {
          private long next = 1;
          private boolean within;

          @Override
          public void before(FileOperation operation) {
            if (linksLogEntry(operation) && !within && next <= rivals) {
              within = true;
              append(next, "2:r" + next);
              next++;
              within = false;
            }
          }

          @Override
          public void after(FileOperation operation) {}
        };
    DurableFiles.Observation observation = DurableFiles.observe(directory, observer);
    try {
      table(directory).commit(batch(SINK, 0, "2:x").overwriting(in("day", 2)));
    } finally {
      observation.close();
    }

    assertThat(rows(), contains("1:a", "2:x"));
    assertThat(Tables.entries(directory), hasSize(rivals + 3));
  }

  @Test
  void twoOverwritesAtOnceLeaveTheRowsOfOneOfThem() throws Exception {
    append(0, "0:a");
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int day = 1; day <= 20; day++) {
        List<Callable<CommitOutcome>> both = new ArrayList<>();
        for (String name : List.of("left", "right")) {
          DeltaCommit commit =
              batch(name + "/main", day, day + ":" + name, day + ":" + name + "2")
                  .overwriting(in("day", day));
          both.add(() -> table(directory).commit(commit));
        }
        threads.invokeAll(both).forEach(outcome -> assertThat(outcome.isDone(), is(true)));
      }
    } finally {
      threads.shutdownNow();
    }

    for (int day = 1; day <= 20; day++) {
      String prefix = day + ":";
      assertThat(
          rows().stream().filter(row -> row.startsWith(prefix)).toList(),
          anyOf(
              is(List.of(prefix + "left", prefix + "left2")),
              is(List.of(prefix + "right", prefix + "right2"))));
    }
    assertThat(Tables.entries(directory), hasSize(42));
  }

  /** Stands for a machine that dies. */
  private static final class Died extends Error {
    private static final long serialVersionUID = 1L;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void crashAtTheCommitLeavesAllOfItOrNothing(boolean after) {
    append(0, "1:a", "2:b");
    FileObserver observer =
        new FileObserver() {
          @Override
          public void before(FileOperation operation) {
            if (!after && linksLogEntry(operation)) {
              throw new Died();
            }
          }

          @Override
          public void after(FileOperation operation) {
            if (after && linksLogEntry(operation)) {
              throw new Died();
            }
          }
        };
    DurableFiles.Observation observation = DurableFiles.observe(directory, observer);
    try {
      assertThrows(
          Died.class,
          () -> table(directory).commit(batch(SINK, 0, "2:x").overwriting(in("day", 2))));
    } finally {
      observation.close();
    }
    assertThat(rows(), after ? contains("1:a", "2:x") : contains("1:a", "2:b"));

    CommitOutcome again = table(directory).commit(batch(SINK, 0, "2:x").overwriting(in("day", 2)));

    assertThat(
        again,
        instanceOf(after ? CommitOutcome.AlreadyCommitted.class : CommitOutcome.Committed.class));
    assertThat(rows(), contains("1:a", "2:x"));
  }

  /** Batches that are kept under their number, by whoever counts them. */
  private DeltaCommit numbered(String epoch, long number, String plan, String name) {
    return DeltaCommit.of(SINK, number, plan, name, SCHEMA)
        .withPartitionColumns(List.of("day"))
        .withEpoch(epoch)
        .withFiles(files(number + ":" + name))
        .overwriting(in("day", (int) number));
  }

  @Test
  @Covers.Row(59)
  void countThatBeganAgainReplacesNoOtherBatch() throws IOException {
    for (int number = 0; number < 3; number++) {
      table(directory).commit(numbered("first", number, "plan-" + number, "first" + number));
    }
    DeltaCommit otherPlan = numbered("second", 0, "plan-0-of-second", "second0");
    DeltaCommit samePlan = numbered("second", 0, "plan-0", "first0");

    var other = assertThrows(BatchRefusedException.class, () -> table(directory).commit(otherPlan));
    var same = assertThrows(BatchRefusedException.class, () -> table(directory).commit(samePlan));

    assertThat(other.getMessage(), containsString("another plan"));
    assertThat(same.getMessage(), containsString("another life of the checkpoint, first"));
    assertThat(rows(), contains("0:first0", "1:first1", "2:first2"));
    assertThat(Tables.entries(directory), hasSize(4));
    table(directory).commit(numbered("first", 2, "plan-2", "first2"));
    table(directory).commit(numbered("first", 3, "plan-3", "first3"));
    assertThat(rows(), contains("0:first0", "1:first1", "2:first2", "3:first3"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"delta.appendOnly", "delta.enableChangeDataFeed"})
  void tableThatLetsNoRowsLeaveIsRefusedByNameAtTheStart(String property) throws IOException {
    table(directory)
        .commit(batch("orders/main", 0, "2:b").withTableProperties(Map.of(property, "true")));
    DeltaCommit commit = batch(SINK, 0, "2:x").overwriting(in("day", 2));

    var atStart =
        assertThrows(
            UnusableTableException.class, () -> table(directory).requireOverwrite(in("day", 2)));
    assertThrows(UnusableTableException.class, () -> table(directory).commit(commit));

    assertThat(atStart.feature(), is(property));
    assertThat(rows(), contains("2:b"));
    append(1, "2:c");
    assertThat(rows(), contains("2:b", "2:c"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "name | 1 | 2 | one of the partition columns [day]",
        "day | 3 | 2 | from 3 to 2",
      })
  void predicateThatTheTableCannotAnswerIsRefused(String column, int first, int last, String said) {
    append(0, "1:a");

    var refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> table(directory).requireOverwrite(between(column, first, last)));

    assertThat(refused.getMessage(), containsString(said));
  }

  @Test
  void valueOfAnotherTypeIsRefused() {
    append(0, "1:a");

    var refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> table(directory).requireOverwrite(between("day", "1", "2")));

    assertThat(refused.getMessage(), containsString("was of type String"));
  }

  private static Stream<List<Object>> ranges() {
    return Stream.of(
        List.of("date", LocalDate.parse("2025-12-31"), LocalDate.parse("2026-01-02")),
        List.of("long", -3L, 20L),
        List.of("double", -1.5, 2.5),
        List.of("string", "Z", "\uFFFF"),
        List.of("decimal(10,2)", new BigDecimal("-1"), new BigDecimal("3.50")),
        List.of(
            "timestamp",
            Instant.parse("2026-01-01T00:00:00.000001Z"),
            Instant.parse("2026-01-01T00:00:01Z")));
  }

  /** The least and the greatest value of the range, one on each side of them, and null. */
  private static List<String> around(String type) {
    return switch (type) {
      case "date" -> List.of("2025-12-31", "2026-01-02", "2025-12-30", "2026-01-03");
      case "long" -> List.of("-3", "20", "-4", "21");
      case "double" -> List.of("-1.5", "2.5", "-2.0", "3.0");
      // Behind U+FFFF in UTF-8, before it in UTF-16.
      case "string" -> List.of("Z", "\uFFFF", "Y", "\uD83D\uDE00");
      case "decimal(10,2)" -> List.of("-1.00", "3.50", "-1.01", "3.51");
      default ->
          List.of(
              "2026-01-01T00:00:00.000001Z",
              "2026-01-01T00:00:01.000000Z",
              "2026-01-01T00:00:00.000000Z",
              "2026-01-01T00:00:01.000001Z");
    };
  }

  @ParameterizedTest
  @MethodSource("ranges")
  void rangesHoldBothEndsInTheOrderOfTheirType(List<Object> range) {
    String type = (String) range.get(0);
    List<DeltaColumn> columns = SchemaJson.read(Tables.schema("p " + type, "name string"));
    PartitionFilter filter =
        PartitionFilter.of(
            directory.toString(), columns, List.of("p"), between("p", range.get(1), range.get(2)));

    List<Boolean> accepted =
        around(type).stream().map(value -> filter.accepts(Map.of("p", value))).toList();

    assertThat(accepted, contains(true, true, false, false));
    Map<String, String> none = new java.util.HashMap<>();
    none.put("p", null);
    assertThat(filter.accepts(none), is(false));
  }

  @Test
  void everyPartitionOfManyIsDecidedByItself() {
    append(0, IntStream.range(0, 50).mapToObj(day -> day + ":a").toArray(String[]::new));

    table(directory)
        .commit(
            batch(SINK, 0, "20:x").overwriting(between("day", 10, 39).and(in("day", 20, 30, 40))));

    assertThat(
        rows(),
        is(
            IntStream.range(0, 50)
                .filter(day -> day != 30)
                .mapToObj(day -> day + (day == 20 ? ":x" : ":a"))
                .sorted()
                .toList()));
  }
}
