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

import dev.idem.io.delta.error.BatchRefusedException;
import dev.idem.io.delta.error.ContentChangedException;
import dev.idem.io.delta.error.DeltaTableException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.table.CommitErrors;
import dev.idem.io.delta.table.CommitOutcome;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRecord;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.transforms.fingerprint.ContentSum;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.values.Row;

/*
 * A lane counts its commits; the count is the transaction id that Kernel checks. So of two commits
 * of a lane that are built on the same version one is refused, looks at the lane again, and finds
 * what the other did. Which windows the lane holds is in the record of its last commit. That does
 * not depend on the order of the windows: after a jump of the watermark runners hand them out in
 * any.
 */
/** The commits of windows of one sink to one table. */
final class WindowCommit {

  private static final int ROUNDS = 10;

  private final DeltaTable table;
  private final DataFileSpec spec;
  private final RowEncoding encoding;
  private final String sink;
  private final LaneWindows windows;
  private boolean claimed;

  WindowCommit(DataFileSpec spec, RowEncoding encoding, String sink, LaneWindows windows) {
    this.table = DeltaTable.at(spec.tablePath(), spec.hadoopConfiguration());
    this.spec = spec;
    this.encoding = encoding;
    this.sink = sink;
    this.windows = windows;
  }

  /** What became of a window. */
  sealed interface Result {}

  /** The table holds the window with these rows. */
  record Held(DeltaWriteOutcome outcome) implements Result {}

  /** The window was not committed. */
  record Refused(RejectedRow.Reason reason) implements Result {}

  /** Commits the rows of a window, unless the table holds it or may hold it. */
  Result commit(IntervalWindow window, Iterable<Row> rows) throws IOException {
    claim();
    long index = windows.index(window);
    String lane = Integer.toString(LaneWindows.lane(index));
    Content staged = null;
    DeltaTableException last = null;
    for (int round = 0; round < ROUNDS; round++) {
      table.refuseRestored(laneSink(lane));
      Optional<DeltaRecord> record = table.record(laneSink(lane));
      CommittedWindows committed = record.map(CommittedWindows::of).orElse(CommittedWindows.NONE);
      Optional<String> held = committed.content(index);
      if (held.isPresent()) {
        Content again = staged == null ? content(rows, row -> {}) : staged;
        return held.get().equals(again.hash())
            ? new Held(outcome(table.state().orElseThrow().version(), true, again))
            : new Refused(RejectedRow.Reason.OTHER_CONTENT);
      }
      if (committed.forgets(index)) {
        return new Refused(RejectedRow.Reason.OLDER_THAN_LANE);
      }
      if (staged == null) {
        staged = stage(rows);
      }
      try {
        CommitOutcome outcome =
            table.commit(
                DeltaCommit.of(
                        sink,
                        record.map(r -> r.batch() + 1).orElse(0L),
                        "window " + index,
                        staged.hash(),
                        spec.schemaJson())
                    .inLane(lane)
                    .withoutGaps()
                    .withPartitionColumns(spec.partitionColumns())
                    .withBody(committed.plus(index, staged.hash()).body(window))
                    .withFiles(staged.files())
                    .withParameters(
                        Map.of("mode", "Append", "window", window.start() + "/" + window.end())));
        return new Held(
            outcome(outcome.version(), outcome instanceof CommitOutcome.AlreadyCommitted, staged));
      } catch (BatchRefusedException | ContentChangedException e) {
        // The lane's count was taken by another window, or by another attempt at this one.
        last = e;
      }
    }
    throw CommitErrors.conflict(
        table.path(), "window " + window + " of \"" + sink + "\"", ROUNDS, last);
  }

  private String laneSink(String lane) {
    return DeltaCommit.laneSink(sink, lane);
  }

  /* Other windows under the same numbers would be taken for replays, or hold the same rows again. */
  private void claim() {
    if (!claimed) {
      table.commit(
          DeltaCommit.of(sink, 0, windows.toString(), windows.toString(), spec.schemaJson())
              .inLane("windows")
              .withPartitionColumns(spec.partitionColumns()));
      claimed = true;
    }
  }

  private Content stage(Iterable<Row> rows) throws IOException {
    try (DataFileWriter writer = DataFileWriter.open(spec)) {
      Content content = content(rows, writer::write);
      return new Content(content.rows(), content.sum(), writer.finish());
    }
  }

  private Content content(Iterable<Row> rows, RowConsumer consumer) throws IOException {
    ContentSum sum = ContentSum.EMPTY;
    long count = 0;
    for (Row row : rows) {
      consumer.accept(row);
      sum = sum.plus(encoding.fingerprint(row));
      count++;
    }
    return new Content(count, sum, List.of());
  }

  private DeltaWriteOutcome outcome(long version, boolean already, Content content) {
    return new DeltaWriteOutcome(
        spec.tablePath(),
        version,
        already,
        content.rows(),
        content.files().size(),
        content.sum().toString());
  }

  @FunctionalInterface
  private interface RowConsumer {
    void accept(Row row) throws IOException;
  }

  /** The rows of a window, and the files that they were written to. */
  private record Content(long rows, ContentSum sum, List<DataFile> files) {

    String hash() {
      return rows + "-" + sum;
    }
  }
}
