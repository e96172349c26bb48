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
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.AfterPane;
import org.apache.beam.sdk.transforms.windowing.AfterWatermark;
import org.apache.beam.sdk.transforms.windowing.TimestampCombiner;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTagList;
import org.apache.beam.sdk.values.WindowingStrategy;
import org.joda.time.Duration;

/** Groups the rows of each window, and commits a group once it is complete. */
final class CommitWindows extends PTransform<PCollection<Row>, WriteResult> {

  private static final long serialVersionUID = 1L;

  private final DataFileSpec spec;
  private final String sink;

  CommitWindows(DataFileSpec spec, String sink) {
    this.spec = spec;
    this.sink = sink;
  }

  @Override
  public WriteResult expand(PCollection<Row> rows) {
    LaneWindows windows = LaneWindows.of(rows.getWindowingStrategy().getWindowFn());
    PCollectionTuple outputs =
        rows.apply("OnePaneOnTime", onePaneOnTime(windows))
            .apply("AssignLane", ParDo.of(new AssignLaneFn(windows)))
            .setCoder(KvCoder.of(VarIntCoder.of(), rows.getCoder()))
            .apply("GroupWindow", GroupByKey.create())
            .apply(
                "CommitWindow",
                ParDo.of(new CommitWindowFn(spec, rows.getSchema(), sink, windows))
                    .withOutputTags(
                        CommitWindowFn.OUTCOMES, TupleTagList.of(CommitWindowFn.REJECTED)));
    return WriteResult.of(
        rows.getPipeline(),
        outputs
            .get(CommitWindowFn.OUTCOMES)
            .setCoder(DeltaWriteOutcome.coder())
            .setWindowingStrategyInternal(asGiven(rows.getWindowingStrategy())),
        outputs.get(CommitWindowFn.REJECTED).setCoder(RejectedRow.coder(rows.getSchema())));
  }

  /*
   * With the lateness of the group, what waits for the commit of a window would wait for 64 windows
   * more. Wait asks for a lateness that was set, be it the one that holds without.
   */
  private static WindowingStrategy<?, ?> asGiven(WindowingStrategy<?, ?> input) {
    return input.withAllowedLateness(input.getAllowedLateness());
  }

  /*
   * A row behind the allowed lateness is dropped by the group, where nobody sees it. If the input
   * has a longer one, Beam keeps that.
   */
  private static Window<Row> onePaneOnTime(LaneWindows windows) {
    Duration lateness = Duration.millis(Math.multiplyExact(windows.size(), LaneWindows.LANES));
    return Window.<Row>configure()
        .triggering(
            AfterWatermark.pastEndOfWindow().withLateFirings(AfterPane.elementCountAtLeast(1)))
        .withAllowedLateness(lateness, Window.ClosingBehavior.FIRE_IF_NON_EMPTY)
        .withOnTimeBehavior(Window.OnTimeBehavior.FIRE_IF_NON_EMPTY)
        .withTimestampCombiner(TimestampCombiner.END_OF_WINDOW)
        .discardingFiredPanes();
  }
}
