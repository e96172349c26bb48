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

import java.util.HashMap;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PInput;
import org.apache.beam.sdk.values.POutput;
import org.apache.beam.sdk.values.PValue;
import org.apache.beam.sdk.values.TupleTag;
import org.checkerframework.checker.nullness.qual.Nullable;

/** What a write to a Delta table gives: how its commits ended, and which rows have none. */
public final class WriteResult implements POutput {

  private static final TupleTag<DeltaWriteOutcome> OUTCOMES = new TupleTag<>("outcomes") {};
  private static final TupleTag<RejectedRow> REJECTED = new TupleTag<>("rejected") {};

  private final Pipeline pipeline;
  private final PCollection<DeltaWriteOutcome> outcomes;
  private final @Nullable PCollection<RejectedRow> rejected;

  private WriteResult(
      Pipeline pipeline,
      PCollection<DeltaWriteOutcome> outcomes,
      @Nullable PCollection<RejectedRow> rejected) {
    this.pipeline = pipeline;
    this.outcomes = outcomes;
    this.rejected = rejected;
  }

  static WriteResult of(Pipeline pipeline, PCollection<DeltaWriteOutcome> outcomes) {
    return new WriteResult(pipeline, outcomes, null);
  }

  static WriteResult of(
      Pipeline pipeline,
      PCollection<DeltaWriteOutcome> outcomes,
      PCollection<RejectedRow> rejected) {
    return new WriteResult(pipeline, outcomes, rejected);
  }

  /**
   * Returns one element after the commit, of an unbounded input one in each window that the table
   * holds; use it for {@code Wait.on}.
   */
  public PCollection<DeltaWriteOutcome> outcomes() {
    return outcomes;
  }

  /**
   * Returns the rows of an unbounded input that were not committed, in their windows.
   *
   * @throws IllegalStateException for a bounded input, of which no row is left out
   */
  public PCollection<RejectedRow> rejected() {
    if (rejected == null) {
      throw new IllegalStateException(
          "Rejected rows must be those of an unbounded input, but was: bounded. A batch is"
              + " committed whole, or fails; leave out rejected().");
    }
    return rejected;
  }

  @Override
  public Pipeline getPipeline() {
    return pipeline;
  }

  @Override
  public Map<TupleTag<?>, PValue> expand() {
    Map<TupleTag<?>, PValue> outputs = new HashMap<>();
    outputs.put(OUTCOMES, outcomes);
    if (rejected != null) {
      outputs.put(REJECTED, rejected);
    }
    return outputs;
  }

  @Override
  public void finishSpecifyingOutput(
      String transformName, PInput input, PTransform<?, ?> transform) {}
}
