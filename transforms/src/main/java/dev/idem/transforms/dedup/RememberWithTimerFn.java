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
package dev.idem.transforms.dedup;

import dev.idem.transforms.dedup.KeyMemory.Remembered;
import dev.idem.transforms.fingerprint.Fingerprint;
import dev.idem.transforms.fingerprint.FingerprintCoder;
import org.apache.beam.sdk.coders.InstantCoder;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.TimeDomain;
import org.apache.beam.sdk.state.Timer;
import org.apache.beam.sdk.state.TimerSpec;
import org.apache.beam.sdk.state.TimerSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Instant;

/**
 * {@link RememberFn} for runners with event-time timers: a bucket forgets, and its watermark moves
 * on, even if no element comes to it any more.
 */
final class RememberWithTimerFn<T, OutputT> extends DoFn<KV<Integer, Copy<T>>, OutputT> {
  private static final String MEMORY = "memory";
  private static final String WATERMARK = "watermark";
  private static final String NEXT_SWEEP = "nextSweep";
  private static final String SWEEP = "sweep";

  @StateId(MEMORY)
  private final StateSpec<MapState<Fingerprint, Remembered>> memorySpec =
      StateSpecs.map(FingerprintCoder.of(), RememberedCoder.of());

  @StateId(WATERMARK)
  private final StateSpec<ValueState<Instant>> watermarkSpec = StateSpecs.value(InstantCoder.of());

  @StateId(NEXT_SWEEP)
  private final StateSpec<ValueState<Instant>> nextSweepSpec = StateSpecs.value(InstantCoder.of());

  @TimerId(SWEEP)
  private final TimerSpec sweepSpec = TimerSpecs.timer(TimeDomain.EVENT_TIME);

  private final BucketRules rules;
  private final SerializableFunction<Verdict<T>, OutputT> function;

  RememberWithTimerFn(BucketRules rules, SerializableFunction<Verdict<T>, OutputT> function) {
    this.rules = rules;
    this.function = function;
  }

  @ProcessElement
  public void process(
      @Element KV<Integer, Copy<T>> element,
      @StateId(MEMORY) MapState<Fingerprint, Remembered> memory,
      @StateId(WATERMARK) ValueState<Instant> watermark,
      @StateId(NEXT_SWEEP) ValueState<Instant> nextSweep,
      @TimerId(SWEEP) Timer sweep,
      OutputReceiver<OutputT> output) {
    Copy<T> copy = element.getValue();
    if (copy.role() != Copy.Role.KEYED) {
      output.output(function.apply(copy.passThrough()));
      return;
    }
    Bucket<T> bucket = new Bucket<>(rules, memory, watermark, nextSweep);
    Instant armedFor = bucket.nextSweep();
    output.output(function.apply(bucket.decide(copy)));
    Instant due = bucket.nextSweep();
    if (due != null && !due.equals(armedFor)) {
      arm(sweep, due);
    }
  }

  @OnTimer(SWEEP)
  public void sweep(
      OnTimerContext context,
      @StateId(MEMORY) MapState<Fingerprint, Remembered> memory,
      @StateId(WATERMARK) ValueState<Instant> watermark,
      @StateId(NEXT_SWEEP) ValueState<Instant> nextSweep,
      @TimerId(SWEEP) Timer sweep) {
    Bucket<T> bucket = new Bucket<>(rules, memory, watermark, nextSweep);
    bucket.moveWatermark(context.fireTimestamp());
    Instant due = bucket.nextSweep();
    if (due != null) {
      arm(sweep, due);
    }
  }

  /**
   * Without an output timestamp the timer does not hold back the watermark of the output. What
   * expires after the end of the window needs no timer: all state ends with the window.
   */
  private static void arm(Timer sweep, Instant due) {
    if (!due.isAfter(GlobalWindow.INSTANCE.maxTimestamp())) {
      sweep.withNoOutputTimestamp().set(due);
    }
  }
}
