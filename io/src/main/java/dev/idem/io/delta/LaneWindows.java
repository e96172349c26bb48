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

import java.io.Serializable;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.joda.time.Duration;

/**
 * Fixed windows by number, counted from 1970, and the lanes that they take in turn.
 *
 * @param size the length of a window in milliseconds
 * @param offset where the first window after 1970 begins, in milliseconds
 */
record LaneWindows(long size, long offset) implements Serializable {

  /** Windows that follow each other are in different lanes, so their commits do not collide. */
  static final int LANES = 64;

  /** Returns the numbering of a window function's windows; only fixed windows have one. */
  static LaneWindows of(WindowFn<?, ?> function) {
    if (function instanceof FixedWindows fixed) {
      return new LaneWindows(fixed.getSize().getMillis(), fixed.getOffset().getMillis());
    }
    throw new IllegalArgumentException(
        "Unbounded input of a write to Delta must be in fixed windows, but was: "
            + function.getClass().getSimpleName()
            + ". Apply Window.into(FixedWindows.of(size)) first.");
  }

  long index(IntervalWindow window) {
    return Math.floorDiv(window.start().getMillis() - offset, size);
  }

  static int lane(long index) {
    return Math.floorMod(index, LANES);
  }

  /** Returns in words what gives the windows their numbers. */
  @Override
  public String toString() {
    return "fixed windows of "
        + Duration.millis(size)
        + ", offset "
        + Duration.millis(offset)
        + ", in "
        + LANES
        + " lanes";
  }
}
