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
package dev.idem.io.delta;

import static dev.idem.io.delta.RejectedRow.Reason.LATE;
import static dev.idem.io.delta.RejectedRow.Reason.OLDER_THAN_LANE;
import static dev.idem.io.delta.RejectedRow.Reason.OTHER_CONTENT;
import static dev.idem.io.delta.table.Tables.order;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.io.delta.table.Tables;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.metrics.MetricResult;
import org.apache.beam.sdk.metrics.MetricsFilter;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestPipeline;
import org.apache.beam.sdk.testing.TestPipelineExtension;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Wait;
import org.apache.beam.sdk.transforms.windowing.AfterPane;
import org.apache.beam.sdk.transforms.windowing.AfterWatermark;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.CalendarWindows;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.Sessions;
import org.apache.beam.sdk.transforms.windowing.SlidingWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(TestPipelineExtension.class)
class WriteWindowsTest {

  private static final Schema ORDERS = DeltaSchemas.parse(Tables.ORDERS);
  private static final Duration MINUTE = Duration.standardMinutes(1);
  private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

  @TempDir Path directory;

  private static TestStream.Builder<Row> stream() {
    return TestStream.create(RowCoder.of(ORDERS));
  }

  /** An order a second after the start of a minute. */
  private static TimestampedValue<Row> at(long minute, String name) {
    return TimestampedValue.of(
        order(name.hashCode(), name), minute(minute).plus(Duration.millis(1000)));
  }

  private static Instant minute(long minute) {
    return START.plus(MINUTE.multipliedBy(minute));
  }

  private static IntervalWindow window(long minute) {
    return new IntervalWindow(minute(minute), MINUTE);
  }

  private static RejectedRow rejected(RejectedRow.Reason reason, String name) {
    return new RejectedRow(reason, order(name.hashCode(), name));
  }

  private WriteExactlyOnce orders() {
    return DeltaLakeIO.writeExactlyOnce("orders").to(directory.toString());
  }

  private WriteResult write(Pipeline pipeline, TestStream<Row> stream) {
    return pipeline
        .apply(stream)
        .setRowSchema(ORDERS)
        .apply(Window.into(FixedWindows.of(MINUTE)))
        .apply(orders());
  }

  private WriteResult write(Pipeline pipeline, List<TimestampedValue<Row>> rows) {
    TestStream.Builder<Row> stream = stream();
    for (TimestampedValue<Row> row : rows) {
      stream = stream.addElements(row);
    }
    return write(pipeline, stream.advanceWatermarkToInfinity());
  }

  private static PCollection<String> outcomes(WriteResult result) {
    return result.outcomes().apply("Outcomes", ParDo.of(new DescribeOutcomeFn()));
  }

  /** Returns what every commit of a window added, as the table's history and files say it. */
  private Map<String, List<String>> committed() throws IOException {
    Map<String, List<String>> windows = new TreeMap<>();
    for (int version = 0; version < Tables.entries(directory).size(); version++) {
      JsonNode info = Tables.actions(directory, version, "commitInfo").get(0);
      String window = info.path("operationParameters").path("window").asText();
      if (window.isEmpty()) {
        assertThat(Tables.actions(directory, version, "add"), empty());
        continue;
      }
      List<String> names = new ArrayList<>();
      for (JsonNode add : Tables.actions(directory, version, "add")) {
        DeltaRows.read(directory.toString())
            .fromFiles(file -> file.path().equals(add.path("path").asText()))
            .forEach(row -> names.add(row.getString("name")));
      }
      names.sort(Comparator.naturalOrder());
      assertThat(windows.put(window, names), is((Object) null));
    }
    return windows;
  }

  private static String interval(long minute) {
    return minute(minute) + "/" + minute(minute + 1);
  }

  @Test
  void windowIsOneCommitInWhateverOrderItsRowsCome(TestPipeline pipeline) throws IOException {
    WriteResult result =
        write(
            pipeline,
            stream()
                .addElements(at(2, "c"))
                .addElements(at(0, "a"), at(5, "f"))
                .addElements(at(2, "d"))
                .advanceWatermarkTo(minute(3))
                .addElements(at(3, "e"))
                .advanceWatermarkToInfinity());

    PAssert.that(outcomes(result))
        .containsInAnyOrder(
            interval(0) + " false 1",
            interval(2) + " false 2",
            interval(3) + " false 1",
            interval(5) + " false 1");
    PAssert.that(result.rejected()).empty();
    pipeline.run();
    assertThat(
        committed(),
        equalTo(
            Map.of(
                interval(0), List.of("a"),
                interval(2), List.of("c", "d"),
                interval(3), List.of("e"),
                interval(5), List.of("f"))));
    assertThat(Tables.names(directory), equalTo(List.of("a", "c", "d", "e", "f")));
    Pipeline read = Pipeline.create();
    PAssert.that(read.apply(DeltaLakeIO.read().from(directory.toString())))
        .containsInAnyOrder(
            List.of("a", "c", "d", "e", "f").stream().map(n -> order(n.hashCode(), n)).toList());
    read.run();
  }

  @Test
  void rowBehindItsCommittedWindowIsHandedOut(TestPipeline pipeline) {
    WriteResult result =
        write(
            pipeline,
            stream()
                .addElements(at(0, "a"))
                .advanceWatermarkTo(minute(3))
                .addElements(at(0, "late"))
                .addElements(at(1, "late alone"))
                .addElements(at(3, "b"))
                .advanceWatermarkTo(minute(60))
                .addElements(at(0, "an hour late"))
                .advanceWatermarkToInfinity());

    PAssert.that(result.rejected())
        .inWindow(window(1))
        .containsInAnyOrder(rejected(LATE, "late alone"));
    PAssert.that(result.rejected())
        .inWindow(window(0))
        .containsInAnyOrder(rejected(LATE, "late"), rejected(LATE, "an hour late"));
    PAssert.that(result.rejected()).inWindow(window(3)).empty();
    pipeline.run();
    assertThat(Tables.names(directory), equalTo(List.of("a", "b")));
  }

  @Test
  void rejectedRowsGoOnWithTheirReason(TestPipeline pipeline) {
    PCollection<Row> orders =
        pipeline
            .apply(
                stream()
                    .addElements(at(0, "a"))
                    .advanceWatermarkTo(minute(1))
                    .addElements(at(0, "late"))
                    .advanceWatermarkToInfinity())
            .setRowSchema(ORDERS);

    WriteResult result =
        orders
            .apply(Window.into(FixedWindows.of(Duration.standardMinutes(1))))
            .apply(DeltaLakeIO.writeExactlyOnce("orders").to(directory.toString()));
    PCollection<String> kept = result.rejected().apply(ParDo.of(new KeepForReview()));

    PAssert.that(kept).containsInAnyOrder("LATE late");
    pipeline.run();
  }

  @Test
  void allowedLatenessOfTheInputHoldsIfItIsLonger(TestPipeline pipeline) {
    WriteResult result =
        pipeline
            .apply(
                stream()
                    .addElements(at(0, "a"))
                    .advanceWatermarkTo(minute(200))
                    .addElements(at(0, "late"))
                    .advanceWatermarkToInfinity())
            .setRowSchema(ORDERS)
            .apply(
                Window.<Row>into(FixedWindows.of(MINUTE))
                    .withAllowedLateness(Duration.standardDays(1))
                    .discardingFiredPanes())
            .apply(orders());

    PAssert.that(result.rejected()).containsInAnyOrder(rejected(LATE, "late"));
    pipeline.run();
    assertThat(Tables.names(directory), equalTo(List.of("a")));
  }

  @Test
  void rowThatNobodyHandsOutIsCounted(TestPipeline pipeline) {
    WriteResult result =
        write(
            pipeline,
            stream()
                .addElements(at(0, "a"))
                .advanceWatermarkTo(minute(1 + LaneWindows.LANES).plus(Duration.millis(1)))
                .addElements(at(0, "too late"))
                .advanceWatermarkToInfinity());

    PAssert.that(result.rejected()).empty();
    PipelineResult run = pipeline.run();
    long dropped = 0;
    for (MetricResult<Long> counter :
        run.metrics().queryMetrics(MetricsFilter.builder().build()).getCounters()) {
      if (counter.getName().getName().equalsIgnoreCase("droppedDueToLateness")) {
        dropped += counter.getAttempted();
      }
    }
    assertThat(dropped, is(1L));
    assertThat(Tables.names(directory), equalTo(List.of("a")));
  }

  @Test
  void whatWaitsForAWindowGoesOnOnceItIsCommitted(TestPipeline pipeline) {
    PCollection<Row> rows =
        pipeline
            .apply(
                stream()
                    .addElements(at(0, "a"), at(0, "b"))
                    .advanceWatermarkTo(minute(1))
                    .addElements(at(1, "c"))
                    .advanceWatermarkToInfinity())
            .setRowSchema(ORDERS)
            .apply(Window.into(FixedWindows.of(MINUTE)));
    WriteResult result = rows.apply(orders());
    String table = directory.toString();

    PCollection<String> seen =
        rows.apply(
                "Names",
                MapElements.into(TypeDescriptors.strings()).via(row -> row.getString("name")))
            .apply(Wait.on(result.outcomes()))
            .apply(
                "Look",
                MapElements.into(TypeDescriptors.strings())
                    .via(name -> name + Tables.names(Path.of(table))));

    PAssert.that(seen).containsInAnyOrder("a[a, b]", "b[a, b]", "c[a, b, c]");
    pipeline.run();
  }

  @Test
  void earlyFiringsOfTheInputCommitNothingEarly(TestPipeline pipeline) throws IOException {
    WriteResult result =
        pipeline
            .apply(
                stream()
                    .addElements(at(0, "a"))
                    .advanceWatermarkTo(minute(0).plus(Duration.millis(2000)))
                    .addElements(at(0, "b"))
                    .advanceWatermarkToInfinity())
            .setRowSchema(ORDERS)
            .apply(
                Window.<Row>into(FixedWindows.of(MINUTE))
                    .triggering(
                        AfterWatermark.pastEndOfWindow()
                            .withEarlyFirings(AfterPane.elementCountAtLeast(1)))
                    .withAllowedLateness(Duration.ZERO)
                    .accumulatingFiredPanes())
            .apply(orders());

    PAssert.that(result.rejected()).empty();
    pipeline.run();
    assertThat(committed(), equalTo(Map.of(interval(0), List.of("a", "b"))));
  }

  @Test
  void jumpOfTheWatermarkOverManyWindowsLeavesNoneOut(TestPipeline pipeline) throws IOException {
    List<TimestampedValue<Row>> rows = new ArrayList<>();
    Map<String, List<String>> expected = new TreeMap<>();
    for (int lap = 0; lap < 12; lap++) {
      for (int minute : List.of(0, 1, 31)) {
        int m = lap * LaneWindows.LANES + minute;
        rows.add(at(m, "n" + m));
        expected.put(interval(m), List.of("n" + m));
      }
    }

    WriteResult result = write(pipeline, rows);

    PAssert.that(result.rejected()).empty();
    pipeline.run();
    assertThat(committed(), equalTo(expected));
  }

  @Test
  void restartThatReplaysTheSameRowsAddsNothing() throws IOException {
    List<TimestampedValue<Row>> rows =
        List.of(at(0, "a"), at(1, "b"), at(1, "c"), at(64, "d"), at(65, "e"));
    Pipeline first = Pipeline.create();
    PAssert.that(write(first, rows).rejected()).empty();
    first.run();
    Map<String, List<String>> before = committed();
    List<Path> files = Tables.dataFiles(directory);

    Pipeline again = Pipeline.create();
    List<TimestampedValue<Row>> shuffled = new ArrayList<>(rows);
    Collections.reverse(shuffled);
    shuffled.add(at(66, "f"));
    WriteResult result = write(again, shuffled);
    PAssert.that(result.rejected()).empty();
    PAssert.that(outcomes(result))
        .containsInAnyOrder(
            interval(0) + " true 1",
            interval(1) + " true 2",
            interval(64) + " true 1",
            interval(65) + " true 1",
            interval(66) + " false 1");
    again.run();

    before.put(interval(66), List.of("f"));
    assertThat(committed(), equalTo(before));
    // Not even files that no commit names are left.
    assertThat(Tables.dataFiles(directory), hasSize(files.size() + 1));
  }

  @Test
  void failureBehindTheCommitIsRepairedByTheNextStart() throws IOException {
    List<TimestampedValue<Row>> rows = List.of(at(0, "a"), at(1, "b"));
    Pipeline failing = Pipeline.create();
    write(failing, rows).outcomes().apply(ParDo.of(new FailFn()));
    var failure = assertThrows(Pipeline.PipelineExecutionException.class, failing::run);
    assertThat(failure.getMessage(), containsString("after the commit"));
    assertThat(Tables.entries(directory).size(), is(not(1)));

    Pipeline again = Pipeline.create();
    PAssert.that(write(again, rows).rejected()).empty();
    again.run();

    assertThat(committed(), equalTo(Map.of(interval(0), List.of("a"), interval(1), List.of("b"))));
  }

  @Test
  void windowThatComesAgainWithOtherRowsIsHandedOut() throws IOException {
    Pipeline first = Pipeline.create();
    write(first, List.of(at(0, "a"), at(0, "b"), at(1, "c")));
    first.run();
    Map<String, List<String>> before = committed();

    Pipeline again = Pipeline.create();
    WriteResult result = write(again, List.of(at(0, "a"), at(0, "x"), at(1, "c"), at(1, "c")));
    PAssert.that(result.rejected())
        .containsInAnyOrder(
            rejected(OTHER_CONTENT, "a"),
            rejected(OTHER_CONTENT, "x"),
            rejected(OTHER_CONTENT, "c"),
            rejected(OTHER_CONTENT, "c"));
    PAssert.that(result.outcomes()).empty();
    again.run();

    assertThat(committed(), equalTo(before));
  }

  @Test
  void windowThatWasNeverCommittedMayBeOlderThanOthersOfItsLane() throws IOException {
    Pipeline first = Pipeline.create();
    write(first, List.of(at(64, "b"), at(128, "c")));
    first.run();

    Pipeline later = Pipeline.create();
    WriteResult result = write(later, List.of(at(0, "a"), at(64, "b")));
    PAssert.that(result.rejected()).empty();
    later.run();

    assertThat(
        committed(),
        equalTo(
            Map.of(
                interval(0), List.of("a"),
                interval(64), List.of("b"),
                interval(128), List.of("c"))));
  }

  @Test
  void windowOlderThanAllThatItsLaneRemembersIsHandedOut(TestPipeline pipeline) throws IOException {
    LaneWindows windows = LaneWindows.of(FixedWindows.of(MINUTE));
    long first = windows.index(window(LaneWindows.LANES));
    CommittedWindows full = CommittedWindows.NONE;
    for (int lap = 0; lap <= CommittedWindows.REMEMBERED; lap++) {
      full = full.plus(first + (long) lap * LaneWindows.LANES, "1-" + lap);
    }
    Tables.table(directory)
        .commit(
            Tables.commit(directory, "orders/main", 0, "before")
                .inLane(Integer.toString(LaneWindows.lane(first)))
                .withBody(full.body(window(0))));

    // The lane forgot minute 64; minute 0 is before it, minute 128 is remembered.
    WriteResult result = write(pipeline, List.of(at(0, "a"), at(64, "b"), at(128, "c")));

    PAssert.that(result.rejected())
        .containsInAnyOrder(
            rejected(OLDER_THAN_LANE, "a"),
            rejected(OLDER_THAN_LANE, "b"),
            rejected(OTHER_CONTENT, "c"));
    pipeline.run();
    assertThat(Tables.names(directory), equalTo(List.of("before")));
  }

  @Test
  void rowsOf1969AreWindowsToo(TestPipeline pipeline) throws IOException {
    Instant last = Instant.ofEpochMilli(-1);
    WriteResult result =
        write(
            pipeline,
            List.of(
                TimestampedValue.of(order(1, "a"), last),
                TimestampedValue.of(order(2, "b"), last.minus(Duration.standardDays(1)))));

    PAssert.that(result.rejected()).empty();
    pipeline.run();
    assertThat(Tables.names(directory), equalTo(List.of("a", "b")));
  }

  @Test
  void windowsOfAnotherSizeOrOffsetAreRefused() throws IOException {
    Pipeline first = Pipeline.create();
    write(first, List.of(at(0, "a")));
    first.run();
    int entries = Tables.entries(directory).size();

    for (FixedWindows other :
        List.of(
            FixedWindows.of(MINUTE.multipliedBy(5)),
            FixedWindows.of(MINUTE).withOffset(Duration.millis(1)))) {
      Pipeline again = Pipeline.create();
      again
          .apply(stream().addElements(at(9, "b")).advanceWatermarkToInfinity())
          .setRowSchema(ORDERS)
          .apply(Window.into(other))
          .apply(orders());
      var failure = assertThrows(Pipeline.PipelineExecutionException.class, again::run);
      assertThat(failure.getCause().getMessage(), containsString("fixed windows of PT60S"));
      assertThat(
          failure.getCause().getMessage(),
          containsString("of PT" + other.getSize().getStandardSeconds() + "S, offset PT"));
    }

    assertThat(Tables.names(directory), equalTo(List.of("a")));
    assertThat(Tables.entries(directory), hasSize(entries));
  }

  @Test
  void tableThatWasRestoredBehindTheSinkIsRefused() throws IOException {
    Pipeline first = Pipeline.create();
    write(first, List.of(at(0, "a"), at(1, "b")));
    first.run();
    int version = Tables.entries(directory).size();
    Files.writeString(
        Tables.entry(directory, version),
        "{\"commitInfo\":{\"timestamp\":1,\"operation\":\"RESTORE\",\"operationParameters\":"
            + "{\"version\":"
            + (version - 2)
            + ",\"timestamp\":null}}}\n");

    // Whichever lane is next: the one that lost its window, the one that did not, or a new one.
    for (int minute : List.of(64, 65, 66)) {
      Pipeline again = Pipeline.create();
      write(again, List.of(at(minute, "c")));
      var failure = assertThrows(Pipeline.PipelineExecutionException.class, again::run);
      assertThat(failure.getCause().getMessage(), containsString("restored to an older version"));
    }
    assertThat(Tables.entries(directory), hasSize(version + 1));
  }

  @Test
  void lanesAndRecordsStayFewHoweverManyWindowsCome() throws IOException {
    WindowCommit commit = windowCommit();
    for (int lap = 0; lap < 20; lap++) {
      commit.commit(window(lap * 64L), List.of(order(lap, "n" + lap)));
    }

    assertThat(
        Tables.table(directory).sinks(),
        containsInAnyOrder("orders/main#windows", "orders/main#" + laneOf(0)));
    TreeSet<String> transactions = new TreeSet<>();
    for (int version = 0; version < Tables.entries(directory).size(); version++) {
      Tables.actions(directory, version, "txn")
          .forEach(txn -> transactions.add(txn.path("appId").asText()));
    }
    assertThat(transactions, hasSize(4));
    try (var records = Files.walk(directory.resolve("_idem"))) {
      assertThat(records.filter(f -> f.toString().endsWith(".json")).toList(), hasSize(17));
    }
  }

  private static int laneOf(long minute) {
    return LaneWindows.lane(LaneWindows.of(FixedWindows.of(MINUTE)).index(window(minute)));
  }

  private WindowCommit windowCommit() {
    return new WindowCommit(
        DataFileSpec.of(directory.toString(), Tables.ORDERS),
        RowEncoding.of(ORDERS),
        "orders/main",
        LaneWindows.of(FixedWindows.of(MINUTE)));
  }

  @Test
  void twoCommittersAtOnceCommitEachWindowOnce() throws Exception {
    Map<String, List<String>> expected = new TreeMap<>();
    for (int minute = 0; minute < 20; minute++) {
      IntervalWindow window = window(minute);
      List<Row> rows = List.of(order(minute, "n" + minute), order(-minute, "m" + minute));
      expected.put(interval(minute), List.of("m" + minute, "n" + minute));

      List<WindowCommit.Result> results =
          Tables.atOnce(
              List.of(
                  () -> windowCommit().commit(window, rows),
                  () -> windowCommit().commit(window, List.of(rows.get(1), rows.get(0)))));

      assertThat(
          results.stream().map(r -> ((WindowCommit.Held) r).outcome().alreadyCommitted()).toList(),
          containsInAnyOrder(false, true));
    }
    assertThat(committed(), equalTo(expected));
  }

  @Test
  void committersOfOneWindowWithDifferentRowsCommitOneOfThem() throws Exception {
    for (int minute = 0; minute < 10; minute++) {
      IntervalWindow window = window(minute);
      List<Row> one = List.of(order(minute, "one"));
      List<Row> two = List.of(order(minute, "two"));

      List<WindowCommit.Result> results =
          Tables.atOnce(
              List.of(
                  () -> windowCommit().commit(window, one),
                  () -> windowCommit().commit(window, two)));

      boolean first = results.get(0) instanceof WindowCommit.Held;
      assertThat(results.get(first ? 1 : 0), equalTo(new WindowCommit.Refused(OTHER_CONTENT)));
      assertThat(committed().get(interval(minute)), equalTo(List.of(first ? "one" : "two")));
    }
  }

  @Test
  void committersOfWindowsOfOneLaneWaitForNobodyAndLoseNothing() throws Exception {
    List<Callable<WindowCommit.Result>> commits = new ArrayList<>();
    Map<String, List<String>> expected = new TreeMap<>();
    for (int lap = 0; lap < 4; lap++) {
      IntervalWindow window = window(lap * 64L);
      List<Row> rows = List.of(order(lap, "n" + lap));
      commits.add(() -> windowCommit().commit(window, rows));
      expected.put(interval(lap * 64L), List.of("n" + lap));
    }

    List<WindowCommit.Result> results = Tables.atOnce(commits);

    assertThat(
        results.stream().map(r -> ((WindowCommit.Held) r).outcome().alreadyCommitted()).toList(),
        equalTo(List.of(false, false, false, false)));
    assertThat(committed(), equalTo(expected));
  }

  @Test
  void otherWindowsAreRefusedByName() {
    PCollection<Row> rows =
        Pipeline.create().apply(stream().advanceWatermarkToInfinity()).setRowSchema(ORDERS);
    List<String> messages = new ArrayList<>();
    for (WindowFn<Object, ?> windows :
        Arrays.<WindowFn<Object, ?>>asList(
            new GlobalWindows(),
            SlidingWindows.of(MINUTE),
            Sessions.withGapDuration(MINUTE),
            CalendarWindows.days(1))) {
      String name = windows.getClass().getSimpleName();
      var refused =
          assertThrows(
              IllegalArgumentException.class,
              () -> rows.apply(name, Window.into(windows)).apply(name + "Write", orders()));
      messages.add(refused.getMessage());
    }

    for (int i = 0; i < messages.size(); i++) {
      assertThat(
          messages.get(i),
          containsString(
              "must be in fixed windows, but was: "
                  + List.of("GlobalWindows", "SlidingWindows", "Sessions", "DaysWindows").get(i)));
    }
  }

  @Test
  void batchIdAndRejectedRowsBelongToOneKindOfInputEach() {
    Pipeline pipeline = Pipeline.create();
    PCollection<Row> unbounded =
        pipeline
            .apply(stream().advanceWatermarkToInfinity())
            .setRowSchema(ORDERS)
            .apply(Window.into(FixedWindows.of(MINUTE)));
    PCollection<Row> bounded = pipeline.apply(Create.of(order(1, "a")).withRowSchema(ORDERS));

    assertThat(
        assertThrows(
                IllegalArgumentException.class, () -> unbounded.apply("1", orders().withBatch(3)))
            .getMessage(),
        containsString("must have no batch id, but was: 3"));
    assertThat(
        assertThrows(
                IllegalArgumentException.class,
                () ->
                    unbounded.apply("4", orders().overwriting(PartitionPredicate.in("name", "a"))))
            .getMessage(),
        containsString("must replace no partitions, but was: name"));
    assertThat(
        assertThrows(
                IllegalArgumentException.class,
                () -> unbounded.apply("5", orders().evolving(SchemaEvolution.ADD)))
            .getMessage(),
        containsString("must leave the table's schema as it is, but was: evolving ADD"));
    assertThat(
        assertThrows(
                IllegalArgumentException.class,
                () -> unbounded.apply("2", DeltaLakeIO.writeAtLeastOnce().to("/t")))
            .getMessage(),
        containsString("must be bounded"));
    assertThat(
        assertThrows(
                IllegalStateException.class,
                () -> bounded.apply("3", orders().withBatch(0)).rejected())
            .getMessage(),
        containsString("must be those of an unbounded input"));
  }

  private static final class DescribeOutcomeFn extends DoFn<DeltaWriteOutcome, String> {

    private static final long serialVersionUID = 1L;

    @ProcessElement
    public void describe(
        @Element DeltaWriteOutcome outcome, BoundedWindow window, OutputReceiver<String> output) {
      IntervalWindow interval = (IntervalWindow) window;
      output.output(
          interval.start()
              + "/"
              + interval.end()
              + " "
              + outcome.alreadyCommitted()
              + " "
              + outcome.rows());
    }
  }

  private static final class FailFn extends DoFn<DeltaWriteOutcome, String> {

    private static final long serialVersionUID = 1L;

    @ProcessElement
    public void fail() {
      throw new IllegalStateException("after the commit");
    }
  }

  private static final class KeepForReview extends DoFn<RejectedRow, String> {

    private static final long serialVersionUID = 1L;

    @ProcessElement
    public void keep(@Element RejectedRow rejected, OutputReceiver<String> output) {
      output.output(rejected.reason() + " " + rejected.row().getString("name"));
    }
  }
}
