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
import dev.idem.pipelines.batch.Batch;
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.failure.Crash;
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

/**
 * The end of a batch's pipeline: workers write and force files, and the list of the files is
 * published once. It is the pipeline's single leaf: a runner that evaluates every leaf on its own
 * would read and write twice with two. The list comes with the data, never from metrics, which
 * count attempts that were repeated; an attempt whose manifest did not get through the group has
 * files in no list.
 */
final class StageBatch extends PTransform<PCollection<Event>, PDone> {

  private final Batch batch;
  private final List<StageOutput> outputs;
  private final Staging staging;
  private final String run;
  private final Crash crash;

  StageBatch(Batch batch, List<StageOutput> outputs, Staging staging, String run, Crash crash) {
    this.batch = batch;
    this.outputs = outputs;
    this.staging = staging;
    this.run = run;
    this.crash = crash;
  }

  @Override
  public PDone expand(PCollection<Event> events) {
    PCollection<String> manifests =
        events
            .apply("WriteFiles", ParDo.of(new WriteFiles(batch, outputs, staging, crash)))
            .setCoder(StringUtf8Coder.of());
    // Without it a batch without events would have no group, and so no list.
    PCollection<String> empty =
        events
            .getPipeline()
            .apply("EmptyManifest", Create.of(emptyManifest()).withCoder(StringUtf8Coder.of()));
    PCollectionList.of(manifests)
        .and(empty)
        .apply("AllManifests", Flatten.pCollections())
        .apply(
            "KeyByBatch", WithKeys.<Integer, String>of(0).withKeyType(TypeDescriptors.integers()))
        .apply("GroupManifests", GroupByKey.create())
        .apply("PublishManifest", ParDo.of(new PublishManifest(staging, batch.id(), run)));
    return PDone.in(events.getPipeline());
  }

  private String emptyManifest() {
    Manifest empty = new Manifest();
    outputs.forEach(output -> empty.output(output.name()));
    return empty.toJson();
  }
}
