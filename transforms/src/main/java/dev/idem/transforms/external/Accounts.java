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
package dev.idem.transforms.external;

import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.values.TupleTag;

/** Hands records to the outputs of a step, and counts them. */
final class Accounts<T> implements EffectWriter.Outcomes<T>, Fold.Left<T> {
  private static final Counter WRITTEN = counter("written");
  private static final Counter ALREADY_WRITTEN = counter("alreadyWritten");
  private static final Counter SUPERSEDED = counter("superseded");
  private static final Counter DEAD_LETTERS = counter("deadLetters");
  private static final Counter APPLIED_AGAIN = counter("appliedAgain");

  /** Puts an element into an output, with time and window of the record it is of. */
  interface Output<T> {
    <O> void put(TupleTag<O> tag, O element, Effect<T> of);
  }

  private final Output<T> output;

  Accounts(Output<T> output) {
    this.output = output;
  }

  private static Counter counter(String name) {
    return Metrics.counter(WriteIdempotently.class, name);
  }

  @Override
  public void written(Effect<T> effect) {
    WRITTEN.inc();
    output.put(Tags.written(), effect.record(), effect);
  }

  @Override
  public void alreadyWritten(Effect<T> effect) {
    ALREADY_WRITTEN.inc();
    output.put(Tags.alreadyWritten(), effect.record(), effect);
  }

  @Override
  public void copy(Effect<T> effect) {
    alreadyWritten(effect);
  }

  @Override
  public void superseded(Effect<T> effect) {
    SUPERSEDED.inc();
    output.put(Tags.superseded(), effect.record(), effect);
  }

  @Override
  public void conflict(Effect<T> effect) {
    dead(
        effect,
        new DeadLetter<>(
            effect.record(),
            effect.idempotencyKey(),
            DeadLetter.CONFLICT,
            "Another record has the same key and sequence, but other content.",
            0));
  }

  @Override
  public void dead(Effect<T> effect, DeadLetter<T> letter) {
    DEAD_LETTERS.inc();
    output.put(Tags.deadLetters(), letter, effect);
  }

  @Override
  public void attempted(int again) {
    APPLIED_AGAIN.inc(again);
  }
}
