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
import java.io.IOException;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;

/** Adds up the manifests of a batch and publishes the sum, once a run, for the driver to read. */
final class PublishManifest extends DoFn<KV<Integer, Iterable<String>>, Void> {

  private final Staging staging;
  private final long batch;
  private final String run;

  PublishManifest(Staging staging, long batch, String run) {
    this.staging = staging;
    this.batch = batch;
    this.run = run;
  }

  @ProcessElement
  public void process(@Element KV<Integer, Iterable<String>> manifests) throws IOException {
    Manifest sum = new Manifest();
    manifests.getValue().forEach(json -> sum.add(Manifest.fromJson(json)));
    staging.publish(batch, run, sum.toJson());
  }
}
