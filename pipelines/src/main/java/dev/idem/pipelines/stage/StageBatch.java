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
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PDone;

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
    return manifests.apply("Publish", new PublishSum(outputs, staging, batch.id(), run));
  }
}
