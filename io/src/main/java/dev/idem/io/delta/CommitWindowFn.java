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

import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.IOException;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.PaneInfo;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;

/** Commits the on-time pane of a window, and hands out the rows of all others. */
final class CommitWindowFn extends DoFn<KV<Integer, Iterable<Row>>, DeltaWriteOutcome> {

  private static final long serialVersionUID = 1L;

  static final TupleTag<DeltaWriteOutcome> OUTCOMES = new TupleTag<>("outcomes") {};
  static final TupleTag<RejectedRow> REJECTED = new TupleTag<>("rejected") {};

  private final DataFileSpec spec;
  private final String sink;
  private final LaneWindows windows;
  private final RowEncoding encoding;
  private final Counter committed = Metrics.counter(CommitWindowFn.class, "windowsCommitted");
  private final Counter skipped = Metrics.counter(CommitWindowFn.class, "windowsAlreadyCommitted");
  private final Counter refused = Metrics.counter(CommitWindowFn.class, "windowsRefused");
  private final Counter late = Metrics.counter(CommitWindowFn.class, "lateRows");
  private transient WindowCommit commit;

  CommitWindowFn(DataFileSpec spec, Schema schema, String sink, LaneWindows windows) {
    this.spec = spec;
    this.sink = sink;
    this.windows = windows;
    this.encoding = RowEncoding.of(schema);
  }

  @Setup
  public void open() {
    commit = new WindowCommit(spec, encoding, sink, windows);
  }

  @ProcessElement
  public void commit(
      @Element KV<Integer, Iterable<Row>> rows,
      BoundedWindow window,
      PaneInfo pane,
      MultiOutputReceiver output)
      throws IOException {
    if (pane.getTiming() != PaneInfo.Timing.ON_TIME) {
      late.inc(reject(rows.getValue(), RejectedRow.Reason.LATE, output));
      return;
    }
    WindowCommit.Result result = commit.commit((IntervalWindow) window, rows.getValue());
    if (result instanceof WindowCommit.Held held) {
      (held.outcome().alreadyCommitted() ? skipped : committed).inc();
      output.get(OUTCOMES).output(held.outcome());
    } else {
      refused.inc();
      reject(rows.getValue(), ((WindowCommit.Refused) result).reason(), output);
    }
  }

  private static long reject(
      Iterable<Row> rows, RejectedRow.Reason reason, MultiOutputReceiver output) {
    long count = 0;
    for (Row row : rows) {
      output.get(REJECTED).output(new RejectedRow(reason, row));
      count++;
    }
    return count;
  }
}
