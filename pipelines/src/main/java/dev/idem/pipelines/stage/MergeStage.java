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
import dev.idem.io.delta.merge.BatchMerge;
import dev.idem.io.delta.merge.MergedBatch;
import dev.idem.pipelines.runner.BatchRunner;
import java.io.IOException;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Reshuffle;
import org.apache.beam.sdk.values.KV;

/** Runs the pipeline in which workers merge staged changes into a table. */
public record MergeStage(BatchRunner runner, Staging staging, Clock clock) {

  /**
   * Runs the pipeline to its end and returns what is to be committed.
   *
   * @param schema the schema of the changes
   * @param files the files that hold them
   */
  public MergedBatch run(long batch, BatchMerge merge, Schema schema, List<String> files)
      throws IOException {
    String run = UUID.randomUUID().toString(); // names a file, decides nothing
    Pipeline pipeline = runner.pipeline("idem-" + batch + "-merge");
    pipeline
        .apply("Files", Create.of(files).withCoder(StringUtf8Coder.of()))
        .apply("Distribute", Reshuffle.viaRandomKey())
        .apply("ReadChanges", ParDo.of(new ReadStagedRows(staging, schema)))
        .setRowSchema(schema)
        .apply("Merge", merge.steps())
        .apply("PublishSteps", ParDo.of(new PublishSteps(staging, batch, run)));
    runner.run(pipeline);
    String steps =
        staging
            .read(batch, run)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "Merge of batch "
                            + batch
                            + " must publish its steps, but there are none of run "
                            + run
                            + ". Read the runner's log."));
    return merge.merged(Arrays.asList(steps.split("\n")), clock);
  }

  private static final class PublishSteps extends DoFn<KV<Integer, Iterable<String>>, Void> {
    private final Staging staging;
    private final long batch;
    private final String run;

    PublishSteps(Staging staging, long batch, String run) {
      this.staging = staging;
      this.batch = batch;
      this.run = run;
    }

    @ProcessElement
    public void publish(@Element KV<Integer, Iterable<String>> steps) throws IOException {
      staging.publish(batch, run, String.join("\n", steps.getValue()));
    }
  }
}
