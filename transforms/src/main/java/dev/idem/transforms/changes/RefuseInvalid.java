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
package dev.idem.transforms.changes;

import java.util.Map;
import org.apache.beam.sdk.annotations.Internal;
import org.apache.beam.sdk.transforms.Count;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TypeDescriptors;

/**
 * Lets changes go on once it is known that none is invalid, and fails with all counts if one is.
 */
@Internal
public final class RefuseInvalid
    extends PTransform<PCollection<KV<Integer, Row>>, PCollection<KV<Integer, Row>>> {
  private final transient PCollection<InvalidChange> invalid;

  /** Refuses changes if one of these is there. */
  public RefuseInvalid(PCollection<InvalidChange> invalid) {
    this.invalid = invalid;
  }

  @Override
  public PCollection<KV<Integer, Row>> expand(PCollection<KV<Integer, Row>> valid) {
    PCollectionView<Map<String, Long>> counts =
        invalid
            .apply(
                "NameReason",
                MapElements.into(TypeDescriptors.strings())
                    .via(change -> change.reason() + " in \"" + change.column() + '"'))
            .apply("Count", Count.perElement())
            .apply("AsMap", View.asMap());
    // Not by the valid changes: there may be none.
    PCollectionView<Boolean> refused =
        valid
            .getPipeline()
            .apply("Once", Create.of(false))
            .apply("Refuse", ParDo.of(new RefuseFn(counts)).withSideInputs(counts))
            .apply("AsSingleton", View.asSingleton());
    return valid.apply("Await", ParDo.of(new AwaitFn(refused)).withSideInputs(refused));
  }

  private static final class RefuseFn extends DoFn<Boolean, Boolean> {
    private final PCollectionView<Map<String, Long>> counts;

    RefuseFn(PCollectionView<Map<String, Long>> counts) {
      this.counts = counts;
    }

    @ProcessElement
    public void process(ProcessContext context) {
      Map<String, Long> found = context.sideInput(counts);
      if (!found.isEmpty()) {
        throw new InvalidChangesException(found);
      }
      context.output(context.element());
    }
  }

  private static final class AwaitFn extends DoFn<KV<Integer, Row>, KV<Integer, Row>> {
    private final PCollectionView<Boolean> refused;

    AwaitFn(PCollectionView<Boolean> refused) {
      this.refused = refused;
    }

    @ProcessElement
    public void process(ProcessContext context) {
      if (!context.sideInput(refused)) {
        context.output(context.element());
      }
    }
  }
}
