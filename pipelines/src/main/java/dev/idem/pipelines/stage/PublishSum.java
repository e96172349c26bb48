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
package dev.idem.pipelines.stage;

import dev.idem.io.checkpoint.Staging;
import java.util.List;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.apache.beam.sdk.values.PDone;
import org.apache.beam.sdk.values.TypeDescriptors;

/** Brings the manifests of a pipeline's parts together and publishes their sum. */
final class PublishSum extends PTransform<PCollection<String>, PDone> {

  private final List<StageOutput> outputs;
  private final Staging staging;
  private final long batch;
  private final String run;

  PublishSum(List<StageOutput> outputs, Staging staging, long batch, String run) {
    this.outputs = outputs;
    this.staging = staging;
    this.batch = batch;
    this.run = run;
  }

  @Override
  public PDone expand(PCollection<String> manifests) {
    // Without it a batch without events would have no group, and so no list.
    PCollection<String> empty =
        manifests
            .getPipeline()
            .apply("EmptyManifest", Create.of(emptyManifest()).withCoder(StringUtf8Coder.of()));
    PCollectionList.of(manifests)
        .and(empty)
        .apply("AllManifests", Flatten.pCollections())
        .apply(
            "KeyByBatch", WithKeys.<Integer, String>of(0).withKeyType(TypeDescriptors.integers()))
        .apply("GroupManifests", GroupByKey.create())
        .apply("PublishManifest", ParDo.of(new PublishManifest(staging, batch, run)));
    return PDone.in(manifests.getPipeline());
  }

  private String emptyManifest() {
    Manifest empty = new Manifest();
    outputs.forEach(output -> empty.output(output.name()));
    return empty.toJson();
  }
}
