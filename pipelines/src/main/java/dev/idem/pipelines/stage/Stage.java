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
import dev.idem.pipelines.runner.BatchRunner;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.values.PCollection;

/** Runs the one pipeline of a batch, in which workers write its files. */
public record Stage(BatchRunner runner, Staging staging, Crash crash) {

  /**
   * Runs the pipeline to its end and returns what it wrote.
   *
   * @param events makes the batch's events in a pipeline
   */
  public Manifest run(
      Batch batch, Function<Pipeline, PCollection<Event>> events, List<StageOutput> outputs)
      throws IOException {
    String run = UUID.randomUUID().toString(); // names files, decides nothing
    Pipeline pipeline = runner.pipeline("idem-" + batch.id());
    events.apply(pipeline).apply("StageBatch", new StageBatch(batch, outputs, staging, run, crash));
    runner.run(pipeline);
    return manifest(staging, batch.id(), run);
  }

  static Manifest manifest(Staging staging, long batch, String run) throws IOException {
    return staging
        .read(batch, run)
        .map(Manifest::fromJson)
        .orElseThrow(() -> noManifest(batch, run));
  }

  private static IllegalStateException noManifest(long batch, String run) {
    return new IllegalStateException(
        "Stage of batch "
            + batch
            + " must publish its list of files, but there is none of run "
            + run
            + ". Read the runner's log.");
  }
}
