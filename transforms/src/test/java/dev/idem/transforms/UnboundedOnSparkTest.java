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
package dev.idem.transforms;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;

import dev.idem.transforms.changes.ApplyChanges;
import dev.idem.transforms.dedup.DeduplicateWithinWatermark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.beam.runners.spark.io.CreateStream;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Transforms with state on Spark in streaming mode, which has no event-time timers. In one test:
 * the runner keeps the watermark of one streaming pipeline for the next one of a JVM.
 */
class UnboundedOnSparkTest {
  private static final Schema EVENT =
      Schema.builder()
          .addStringField("id")
          .addStringField("op")
          .addInt64Field("seq")
          .addNullableField("value", Schema.FieldType.STRING)
          .build();

  /** The runner may stop before every output of the last micro-batches was written. */
  private static final TimestampedValue<Row> LAST = event(99, "last", "upsert", 1, null);

  @TempDir Path directory;

  private static TimestampedValue<Row> event(
      long minute, String id, String op, long seq, String value) {
    return TimestampedValue.of(
        Row.withSchema(EVENT).addValues(id, op, seq, value).build(),
        Instant.EPOCH.plus(Duration.standardMinutes(minute)));
  }

  private void mark(PCollection<Row> rows, String name) throws IOException {
    Path marks = Files.createDirectory(directory.resolve(name));
    rows.apply("Mark" + name, ParDo.of(new MarkFn(marks.toString())));
  }

  private List<String> marks(String name) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve(name))) {
      return files
          .map(file -> file.getFileName().toString().replaceFirst(" #.*", ""))
          .filter(row -> !row.startsWith("[last"))
          .toList();
    }
  }

  @Test
  void whatIsRememberedOutlivesMicroBatches() throws IOException {
    PCollection<Row> events =
        Runner.newStreamingPipeline(directory.resolve("checkpoint"))
            .apply(
                CreateStream.of(RowCoder.of(EVENT), Duration.millis(500))
                    .nextBatch(event(0, "a", "upsert", 5, "five"))
                    .nextBatch(event(1, "a", "upsert", 3, "stale"), event(1, "b", "upsert", 1, "b"))
                    .nextBatch(event(2, "a", "delete", 6, null))
                    .nextBatch(event(2, "a", "upsert", 5, "five"))
                    .nextBatch(event(99, "b", "upsert", 1, "b"))
                    .nextBatch(event(2, "c", "upsert", 9, "late"))
                    .nextBatch(LAST)
                    .nextBatch(LAST)
                    .nextBatch(LAST)
                    .advanceNextBatchWatermarkToInfinity())
            .setRowSchema(EVENT);
    ApplyChanges.Result applied =
        events.apply(
            ApplyChanges.keys("id")
                .sequenceBy("seq")
                .applyAsDeleteWhen(row -> "delete".equals(row.getString("op")))
                .columnsExcept("op")
                .withRetention(Duration.standardHours(1))
                .withBuckets(1));
    DeduplicateWithinWatermark.Result<Row> deduplicated =
        events.apply(
            DeduplicateWithinWatermark.rows("id")
                .withDelay(Duration.standardMinutes(5))
                .withHorizon(Duration.standardMinutes(200))
                .withBuckets(1));
    mark(applied.rows(), "rows");
    mark(applied.deletes(), "deletes");
    mark(applied.late(), "late changes");
    mark(deduplicated.unique(), "unique");
    mark(deduplicated.duplicates(), "duplicates");
    mark(deduplicated.conflicts(), "conflicts");
    mark(deduplicated.late(), "late");

    events.getPipeline().run();

    assertThat(marks("rows"), containsInAnyOrder("[a, 5, five]", "[b, 1, b]"));
    assertThat(marks("deletes"), containsInAnyOrder("[a, 6]"));
    assertThat(marks("late changes"), containsInAnyOrder("[c, upsert, 9, late]"));
    assertThat(marks("unique"), containsInAnyOrder("[a, upsert, 5, five]", "[b, upsert, 1, b]"));
    assertThat(
        marks("duplicates"), containsInAnyOrder("[a, upsert, 5, five]", "[b, upsert, 1, b]"));
    assertThat(
        marks("conflicts"), containsInAnyOrder("[a, upsert, 3, stale]", "[a, delete, 6, null]"));
    assertThat(marks("late"), containsInAnyOrder("[c, upsert, 9, late]"));
  }

  private static final class MarkFn extends DoFn<Row, Void> {
    private final String directory;

    MarkFn(String directory) {
      this.directory = directory;
    }

    @ProcessElement
    public void mark(@Element Row row) throws IOException {
      // One file an element: a row that came out twice would be there twice.
      Files.createTempFile(Path.of(directory), row.getValues() + " #", "");
    }
  }
}
