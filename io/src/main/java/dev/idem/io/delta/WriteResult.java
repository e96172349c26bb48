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

import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PInput;
import org.apache.beam.sdk.values.POutput;
import org.apache.beam.sdk.values.PValue;
import org.apache.beam.sdk.values.TupleTag;

/** What a write to a Delta table gives: how its commit ended. */
public final class WriteResult implements POutput {

  private static final TupleTag<DeltaWriteOutcome> OUTCOMES = new TupleTag<>("outcomes") {};

  private final Pipeline pipeline;
  private final PCollection<DeltaWriteOutcome> outcomes;

  private WriteResult(Pipeline pipeline, PCollection<DeltaWriteOutcome> outcomes) {
    this.pipeline = pipeline;
    this.outcomes = outcomes;
  }

  static WriteResult of(Pipeline pipeline, PCollection<DeltaWriteOutcome> outcomes) {
    return new WriteResult(pipeline, outcomes);
  }

  /** Returns one element, after the commit; use it for {@code Wait.on}. */
  public PCollection<DeltaWriteOutcome> outcomes() {
    return outcomes;
  }

  @Override
  public Pipeline getPipeline() {
    return pipeline;
  }

  @Override
  public Map<TupleTag<?>, PValue> expand() {
    return Map.of(OUTCOMES, outcomes);
  }

  @Override
  public void finishSpecifyingOutput(
      String transformName, PInput input, PTransform<?, ?> transform) {}
}
