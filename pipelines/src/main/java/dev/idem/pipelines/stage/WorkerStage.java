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

import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.Staging;
import dev.idem.pipelines.runner.BatchRunner;
import dev.idem.transforms.external.DeadLetter;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Reshuffle;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;

/** Runs the pipeline in which workers write staged rows to a target. */
public record WorkerStage(BatchRunner runner, Staging staging) {

  /**
   * What writes rows that come with their origin.
   *
   * @param transform gives the rows that the target will never take
   */
  public record Writing(PTransform<PCollection<Row>, PCollection<DeadLetter<Row>>> transform) {}

  /**
   * Runs the pipeline to its end and returns what it wrote for the dead-letter table.
   *
   * @param target the name of the target
   * @param rows the schema of the rows
   * @param files the files that hold them
   * @param deadLetters the output of the dead letters
   */
  public Manifest run(
      Plan plan,
      String target,
      Writing writing,
      Schema rows,
      List<String> files,
      StageOutput deadLetters)
      throws IOException {
    String run = UUID.randomUUID().toString(); // names a file, decides nothing
    Schema carriers = RowWithOrigin.schema(rows);
    Pipeline pipeline = runner.pipeline("idem-" + plan.batch() + "-" + target);
    PCollection<String> manifests =
        pipeline
            .apply("Files", Create.of(files).withCoder(StringUtf8Coder.of()))
            .apply("Distribute", Reshuffle.viaRandomKey())
            .apply("ReadRows", ParDo.of(new ReadStagedRows(staging, carriers)))
            .setRowSchema(carriers)
            .apply("WriteTarget", writing.transform())
            .apply("WriteDeadLetters", ParDo.of(new WriteDeadLetters(plan, target, deadLetters)))
            .setCoder(StringUtf8Coder.of());
    manifests.apply("Publish", new PublishSum(List.of(deadLetters), staging, plan.batch(), run));
    runner.run(pipeline);
    return Stage.manifest(staging, plan.batch(), run);
  }
}
