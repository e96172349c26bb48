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
package dev.idem.io.jdbc;

import dev.idem.transforms.external.DeadLetter;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PInput;
import org.apache.beam.sdk.values.POutput;
import org.apache.beam.sdk.values.PValue;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;

/** What came of a write to a database. */
public final class JdbcWriteResult implements POutput {
  private final Pipeline pipeline;
  private final PCollection<JdbcWriteOutcome> outcomes;
  private final PCollection<DeadLetter<Row>> deadLetters;

  JdbcWriteResult(
      Pipeline pipeline,
      PCollection<JdbcWriteOutcome> outcomes,
      PCollection<DeadLetter<Row>> deadLetters) {
    this.pipeline = pipeline;
    this.outcomes = outcomes;
    this.deadLetters = deadLetters;
  }

  /** Returns one element, once the batch is complete; for {@code Wait.on}. */
  public PCollection<JdbcWriteOutcome> outcomes() {
    return outcomes;
  }

  /** Returns the rows that the table will never take; a replay gives them again. */
  public PCollection<DeadLetter<Row>> deadLetters() {
    return deadLetters;
  }

  @Override
  public Pipeline getPipeline() {
    return pipeline;
  }

  @Override
  public Map<TupleTag<?>, PValue> expand() {
    return Map.of(
        new TupleTag<JdbcWriteOutcome>("outcomes"), outcomes,
        new TupleTag<DeadLetter<Row>>("deadLetters"), deadLetters);
  }

  @Override
  public void finishSpecifyingOutput(
      String transformName, PInput input, PTransform<?, ?> transform) {
    // Coders are set and nothing is left to be named.
  }
}
