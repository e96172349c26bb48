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

import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;

/** Keys rows by the lane of their window, so that a window is one group. */
final class AssignLaneFn extends DoFn<Row, KV<Integer, Row>> {

  private static final long serialVersionUID = 1L;

  private final LaneWindows windows;

  AssignLaneFn(LaneWindows windows) {
    this.windows = windows;
  }

  @ProcessElement
  public void assign(
      @Element Row row, BoundedWindow window, OutputReceiver<KV<Integer, Row>> output) {
    output.output(KV.of(LaneWindows.lane(windows.index((IntervalWindow) window)), row));
  }
}
