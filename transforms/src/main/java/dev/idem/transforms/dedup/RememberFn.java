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
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Instant;

/** Decides about the elements of a bucket one by one, and forgets when the bucket is used. */
final class RememberFn<T, OutputT> extends DoFn<KV<Integer, Copy<T>>, OutputT> {
  private static final String MEMORY = "memory";
  private static final String WATERMARK = "watermark";
  private static final String NEXT_SWEEP = "nextSweep";

  @StateId(MEMORY)
  private final StateSpec<MapState<Fingerprint, Remembered>> memorySpec =
      StateSpecs.map(FingerprintCoder.of(), RememberedCoder.of());

  @StateId(WATERMARK)
  private final StateSpec<ValueState<Instant>> watermarkSpec = StateSpecs.value(InstantCoder.of());

  @StateId(NEXT_SWEEP)
  private final StateSpec<ValueState<Instant>> nextSweepSpec = StateSpecs.value(InstantCoder.of());

  private final BucketRules rules;
  private final SerializableFunction<Verdict<T>, OutputT> function;

  RememberFn(BucketRules rules, SerializableFunction<Verdict<T>, OutputT> function) {
    this.rules = rules;
    this.function = function;
  }

  @ProcessElement
  public void process(
      @Element KV<Integer, Copy<T>> element,
      @StateId(MEMORY) MapState<Fingerprint, Remembered> memory,
      @StateId(WATERMARK) ValueState<Instant> watermark,
      @StateId(NEXT_SWEEP) ValueState<Instant> nextSweep,
      OutputReceiver<OutputT> output) {
    Copy<T> copy = element.getValue();
    output.output(
        function.apply(
            copy.role() == Copy.Role.KEYED
                ? new Bucket<T>(rules, memory, watermark, nextSweep).decide(copy)
                : copy.passThrough()));
  }
}
