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
package dev.idem.pipelines.stage;

import dev.idem.io.checkpoint.Staging;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.file.RowFile;
import dev.idem.io.memory.MemoryTable;
import dev.idem.pipelines.batch.Batch;
import dev.idem.pipelines.decode.Decoded;
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.failure.Crash;
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.beam.sdk.schemas.Schema;
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
  private final Staging staging;
  private final Crash crash;

  private transient @Nullable Manifest manifest;
  private transient List<Open> open = new ArrayList<>();
  private transient long read;
  private transient long rows;
  private transient long duplicates;

  /** The greatest event time by topic and partition. */
  private transient Map<String, long[]> greatest = new HashMap<>();

  WriteFiles(Batch batch, List<StageOutput> outputs, Staging staging, Crash crash) {
    this.batch = batch;
    this.outputs = List.copyOf(outputs);
    this.staging = staging;
    this.crash = crash;
  }

  /** The files of one output that this bundle has open. */
  private final class Open {
    final StageOutput output;
    final RowEncoding encoding;
    final Schema carriers;
    final Manifest.Written written;
    @Nullable DataFileWriter writer;
    RowFile.@Nullable Writer changes;

    Open(StageOutput output, Manifest.Written written) {
      this.output = output;
      this.encoding = RowEncoding.of(output.schema());
      this.carriers = RowWithOrigin.schema(output.schema());
      this.written = written;
    }

    /** Writes a row, of an event at a time. */
    void write(Row row, Event event, Instant eventTime) throws IOException {
      written.rows++;
      written.content = written.content.plus(encoding.fingerprint(row));
      if (output.held()) {
        return;
      }
      if (output.role() == StageOutput.Role.CHANGES) {
        changes(output.schema()).write(row);
      } else if (output.role() == StageOutput.Role.WORKERS) {
        changes(carriers).write(RowWithOrigin.of(carriers, event, eventTime));
      } else {
        if (writer == null) {
          writer = DataFileWriter.open(output.files());
        }
        writer.write(row);
      }
    }

    private RowFile.Writer changes(Schema schema) throws IOException {
      if (changes == null) {
        String name = staging.directory() + staging.prefix(batch.id()) + UUID.randomUUID();
        changes = RowFile.create(staging.open(), name, schema);
        written.changes.add(name);
      }
      return changes;
    }

    void finish() throws IOException {
      if (writer != null) {
        written.files.addAll(writer.finish());
      }
      if (changes != null) {
        changes.close();
      }
    }

    void abandon() throws IOException {
      if (writer != null) {
        writer.close();
      }
      if (changes != null) {
        changes.close();
      }
    }
  }

  @StartBundle
  public void start() {
    manifest = new Manifest();
    read = 0;
    rows = 0;
    duplicates = 0;
    greatest = new HashMap<>();
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
            case ROWS, CHANGES, WORKERS -> event.isRow() ? event.row() : null;
            case NOTHING -> null;
            case DEAD_LETTERS ->
                event.fate() == Event.Fate.DEAD_LETTER
                    ? DeadLetters.row(event, eventTime, batch)
                    : null;
            case MEMORY ->
                event.remembered() == null ? null : MemoryTable.row(event.remembered(), batch.id());
          };
      if (row != null) {
        each.write(row, event, eventTime);
        crash.reached(CrashPoint.MID_WRITE, batch.id());
      }
    }
  }

  private void account(Event event, Instant eventTime) {
    Event.Origin origin = event.origin();
    if (origin != null) {
      read++;
      if (origin.position() != null) {
        manifest.saw(origin);
      }
    }
    switch (event.fate()) {
      case ROW -> rows++;
      case DUPLICATE -> duplicates++;
      case FILTERED -> manifest.count(Counts.FILTERED, 1);
      case DEAD_LETTER -> manifest.count(count(event.refusal().reason()), 1);
    }
    if (origin != null && event.hasEventTime()) {
      if (batch.movesWatermark(eventTime)) {
        saw(origin, eventTime.getMillis());
      } else {
        manifest.count(Counts.FUTURE, 1);
      }
    }
  }

  private void saw(Event.Origin origin, long eventTime) {
    long[] ofTopic =
        greatest.compute(
            origin.topic(),
            (topic, known) -> {
              if (known != null && known.length > origin.partition()) {
                return known;
              }
              long[] longer = new long[origin.partition() + 1];
              Arrays.fill(longer, Long.MIN_VALUE);
              if (known != null) {
                System.arraycopy(known, 0, longer, 0, known.length);
              }
              return longer;
            });
    ofTopic[origin.partition()] = Math.max(ofTopic[origin.partition()], eventTime);
  }

  /** Counts that every event touches are kept outside the manifest's maps until the end. */
  private void completeManifest() {
    manifest.count(Counts.READ, read);
    manifest.count(Counts.ROWS, rows);
    manifest.count(Counts.DUPLICATES, duplicates);
    greatest.forEach(
        (topic, times) -> {
          for (int partition = 0; partition < times.length; partition++) {
            if (times[partition] != Long.MIN_VALUE) {
              manifest.saw(new Manifest.Partition(topic, partition), times[partition]);
            }
          }
        });
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
      each.finish();
    }
    open = new ArrayList<>();
    completeManifest();
    context.output(manifest.toJson(), GlobalWindow.INSTANCE.maxTimestamp(), GlobalWindow.INSTANCE);
  }

  @Teardown
  public void abandon() throws IOException {
    if (open != null) {
      for (Open each : open) {
        each.abandon();
      }
    }
  }
}
