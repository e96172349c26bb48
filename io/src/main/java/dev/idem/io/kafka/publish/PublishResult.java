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
package dev.idem.io.kafka.publish;

import dev.idem.transforms.external.DeadLetter;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PInput;
import org.apache.beam.sdk.values.POutput;
import org.apache.beam.sdk.values.PValue;
import org.apache.beam.sdk.values.TupleTag;

/** What a publication at least once gives. */
public final class PublishResult implements POutput {

  static final TupleTag<PublishOutcome> OUTCOMES = new TupleTag<>("outcomes") {};
  static final TupleTag<DeadLetter<KafkaEvent>> DEAD_LETTERS = new TupleTag<>("deadLetters") {};

  private final PCollection<PublishOutcome> outcomes;
  private final PCollection<DeadLetter<KafkaEvent>> deadLetters;

  PublishResult(
      PCollection<PublishOutcome> outcomes, PCollection<DeadLetter<KafkaEvent>> deadLetters) {
    this.outcomes = outcomes;
    this.deadLetters = deadLetters;
  }

  /**
   * Returns how many events the topic has acknowledged, a few figures for each window; use it for
   * {@code Wait.on}.
   */
  public PCollection<PublishOutcome> outcomes() {
    return outcomes;
  }

  /** Returns the events that are too large for the producer or the topic, in their windows. */
  public PCollection<DeadLetter<KafkaEvent>> deadLetters() {
    return deadLetters;
  }

  @Override
  public Pipeline getPipeline() {
    return outcomes.getPipeline();
  }

  @Override
  public Map<TupleTag<?>, PValue> expand() {
    return Map.of(OUTCOMES, outcomes, DEAD_LETTERS, deadLetters);
  }

  @Override
  public void finishSpecifyingOutput(
      String transformName, PInput input, PTransform<?, ?> transform) {}
}
