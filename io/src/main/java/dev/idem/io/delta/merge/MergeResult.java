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
package dev.idem.io.delta.merge;

import dev.idem.transforms.changes.InvalidChange;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PInput;
import org.apache.beam.sdk.values.POutput;
import org.apache.beam.sdk.values.PValue;
import org.apache.beam.sdk.values.TupleTag;

/** What a merge gives: how its commit ended, and which changes were none. */
public final class MergeResult implements POutput {

  private static final TupleTag<MergeOutcome> OUTCOMES = new TupleTag<>("outcomes") {};

  private final PCollection<MergeOutcome> outcomes;
  private final PCollection<InvalidChange> invalid;

  MergeResult(PCollection<MergeOutcome> outcomes, PCollection<InvalidChange> invalid) {
    this.outcomes = outcomes;
    this.invalid = invalid;
  }

  /** Returns one element after the commit; use it for {@code Wait.on}. */
  public PCollection<MergeOutcome> outcomes() {
    return outcomes;
  }

  /** Returns the changes that have no key, no sequence, or name a column that does not exist. */
  public PCollection<InvalidChange> invalid() {
    return invalid;
  }

  @Override
  public Pipeline getPipeline() {
    return outcomes.getPipeline();
  }

  @Override
  public Map<TupleTag<?>, PValue> expand() {
    return Map.of(OUTCOMES, outcomes, ReadChangeFn.INVALID, invalid);
  }

  @Override
  public void finishSpecifyingOutput(
      String transformName, PInput input, PTransform<?, ?> transform) {}
}
