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
package dev.idem.pipelines.job;

import dev.idem.io.delta.DataFileWriter;
import dev.idem.io.memory.MemoryTable;
import dev.idem.pipelines.decode.Decoded;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Instant;

/**
 * Writes and forces the files of one bundle, of every output, and emits the bundle's manifest. An
 * attempt that is repeated writes files of other names, which nobody commits.
 */
final class WriteFiles extends DoFn<Event, String> {

  private final Batch batch;
  private final List<StageOutput> outputs;
  private final Crash crash;

  private transient @Nullable Manifest manifest;
  private transient List<Open> open = new ArrayList<>();

  WriteFiles(Batch batch, List<StageOutput> outputs, Crash crash) {
    this.batch = batch;
    this.outputs = List.copyOf(outputs);
    this.crash = crash;
  }

  /** The files of one output that this bundle has open. */
  private static final class Open {
    final StageOutput output;
    final RowEncoding encoding;
    final Manifest.Written written;
    final @Nullable DataFileWriter writer;

    Open(StageOutput output, Manifest.Written written) {
      this.output = output;
      this.encoding = RowEncoding.of(output.schema());
      this.written = written;
      this.writer = output.held() ? null : DataFileWriter.open(output.files());
    }

    void write(Row row) throws IOException {
      written.rows++;
      written.content = written.content.plus(encoding.fingerprint(row));
      if (writer != null) {
        writer.write(row);
      }
    }
  }

  @StartBundle
  public void start() {
    manifest = new Manifest();
    open = new ArrayList<>();
    for (StageOutput output : outputs) {
      open.add(new Open(output, manifest.output(output.name())));
    }
  }

  @ProcessElement
  public void process(@Element Event event, @Timestamp Instant eventTime) throws IOException {
    account(event, eventTime);
    for (Open each : open) {
      Row row =
          switch (each.output.role()) {
            case ROWS -> event.isRow() ? event.row() : null;
            case DEAD_LETTERS ->
                event.fate() == Event.Fate.DEAD_LETTER
                    ? DeadLetters.row(event, eventTime, batch)
                    : null;
            case MEMORY ->
                event.remembered() == null ? null : MemoryTable.row(event.remembered(), batch.id());
          };
      if (row != null) {
        each.write(row);
        crash.reached(CrashPoint.MID_WRITE, batch.id());
      }
    }
  }

  private void account(Event event, Instant eventTime) {
    Event.Origin origin = event.origin();
    if (origin != null) {
      manifest.count(Counts.READ, 1);
    }
    manifest.count(
        switch (event.fate()) {
          case ROW -> Counts.ROWS;
          case DUPLICATE -> Counts.DUPLICATES;
          case FILTERED -> Counts.FILTERED;
          case DEAD_LETTER -> count(event.refusal().reason());
        },
        1);
    if (origin != null && event.hasEventTime()) {
      if (batch.movesWatermark(eventTime)) {
        manifest.saw(
            new Manifest.Partition(origin.topic(), origin.partition()), eventTime.getMillis());
      } else {
        manifest.count(Counts.FUTURE, 1);
      }
    }
  }

  private static String count(Decoded.Reason reason) {
    return switch (reason) {
      case LATE -> Counts.LATE;
      case CONFLICT -> Counts.CONFLICTS;
      case PARSE_ERROR, MISSING_FIELD, NULL_KEY, NULL_VALUE, REJECTED -> Counts.INVALID;
    };
  }

  @FinishBundle
  public void finish(FinishBundleContext context) throws IOException {
    for (Open each : open) {
      if (each.writer != null) {
        each.written.files.addAll(each.writer.finish());
      }
    }
    open = new ArrayList<>();
    context.output(manifest.toJson(), GlobalWindow.INSTANCE.maxTimestamp(), GlobalWindow.INSTANCE);
  }

  @Teardown
  public void abandon() throws IOException {
    if (open != null) {
      for (Open each : open) {
        if (each.writer != null) {
          each.writer.close();
        }
      }
    }
  }
}
