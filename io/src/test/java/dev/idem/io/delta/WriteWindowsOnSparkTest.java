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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;

import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.Tables;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.beam.runners.spark.TestSparkPipelineOptions;
import org.apache.beam.runners.spark.TestSparkRunner;
import org.apache.beam.runners.spark.io.CreateStream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Windows on Spark in streaming mode, which has neither event-time timers nor stable input. */
class WriteWindowsOnSparkTest {

  private static final Schema ORDERS = DeltaSchemas.parse(Tables.ORDERS);
  private static final Duration MINUTE = Duration.standardMinutes(1);
  private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

  @TempDir Path directory;

  private static TimestampedValue<Row> at(long minute, String name) {
    return TimestampedValue.of(order(name), minute(minute));
  }

  private static Row order(String name) {
    return Tables.order(name.hashCode(), name);
  }

  private static Instant minute(long minute) {
    return START.plus(MINUTE.multipliedBy(minute));
  }

  private static CreateStream<Row> stream() {
    return CreateStream.of(RowCoder.of(ORDERS), Duration.millis(500))
        .nextBatch(at(0, "a"), at(2, "c"), at(1, "b"))
        .advanceWatermarkForNextBatch(minute(1))
        .nextBatch(at(2, "d"))
        .advanceWatermarkForNextBatch(minute(3))
        .nextBatch(at(0, "late"), at(3, "e"))
        .advanceNextBatchWatermarkToInfinity();
  }

  private Path table() {
    return directory.resolve("table");
  }

  private List<String> marks() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("marks"))) {
      return files.map(f -> f.getFileName().toString()).toList();
    }
  }

  /** Commits a window as an earlier run of the same application did. */
  private void committedBefore(long minute, String... names) throws IOException {
    new WindowCommit(
            DataFileSpec.of(table().toString(), Tables.ORDERS),
            RowEncoding.of(ORDERS),
            "orders/main",
            LaneWindows.of(FixedWindows.of(MINUTE)))
        .commit(
            new IntervalWindow(minute(minute), MINUTE),
            Stream.of(names).map(WriteWindowsOnSparkTest::order).toList());
  }

  @Test
  void windowsAreCommittedOnceAlthoughATaskFailsBehindItsCommit() throws IOException {
    committedBefore(1, "other");
    committedBefore(2, "d", "c");
    String marks = Files.createDirectory(directory.resolve("marks")).toString();
    TestSparkPipelineOptions options = PipelineOptionsFactory.as(TestSparkPipelineOptions.class);
    options.setRunner(TestSparkRunner.class);
    options.setForceStreaming(true);
    options.setStreaming(true);
    options.setSparkMaster("local[2,4]");
    options.setFilesToStage(List.of());
    options.setCheckpointDir(directory.resolve("checkpoint").toString());
    Pipeline pipeline = Pipeline.create(options);
    WriteResult result =
        pipeline
            .apply(stream())
            .setRowSchema(ORDERS)
            .apply(Window.into(FixedWindows.of(MINUTE)))
            .apply(DeltaLakeIO.writeExactlyOnce("orders").to(table().toString()));
    result.outcomes().apply("FailOnce", ParDo.of(new FailOnceFn(marks)));
    result.rejected().apply("Mark", ParDo.of(new MarkFn(marks)));

    pipeline.run();

    assertThat(Tables.names(table()), equalTo(List.of("a", "c", "d", "e", "other")));
    // The table, the sink's windows, two from before, and two new ones.
    assertThat(Tables.entries(table()), hasSize(6));
    assertThat(marks(), containsInAnyOrder("failed", "LATE late", "OTHER_CONTENT b"));
  }

  private static final class FailOnceFn extends DoFn<DeltaWriteOutcome, String> {

    private static final long serialVersionUID = 1L;

    private final String directory;

    FailOnceFn(String directory) {
      this.directory = directory;
    }

    @ProcessElement
    public void fail() throws IOException {
      try {
        Files.createFile(Path.of(directory, "failed"));
      } catch (FileAlreadyExistsException e) {
        return;
      }
      throw new IllegalStateException("after the commit");
    }
  }

  private static final class MarkFn extends DoFn<RejectedRow, String> {

    private static final long serialVersionUID = 1L;

    private final String directory;

    MarkFn(String directory) {
      this.directory = directory;
    }

    @ProcessElement
    public void mark(@Element RejectedRow rejected) throws IOException {
      Files.writeString(
          Path.of(directory, rejected.reason() + " " + rejected.row().getString("name")), "");
    }
  }
}
