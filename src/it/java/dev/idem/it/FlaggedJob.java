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
package dev.idem.it;

import dev.idem.io.kafka.KafkaConfig;
import dev.idem.pipelines.event.MapRows;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.source.KafkaSource;
import dev.idem.pipelines.targets.DeltaTarget;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.beam.sdk.values.Row;

/** A job that breaks the rule: its function gives another amount as soon as a file exists. */
final class FlaggedJob {

  private FlaggedJob() {}

  static Job job(String bootstrapServers, String topic, Path directory) {
    String flag = directory.resolve("flag").toString();
    KafkaConfig config =
        KafkaConfig.of(bootstrapServers)
            .with("default.api.timeout.ms", "4000")
            .with("request.timeout.ms", "2000");
    return Job.named("flagged")
        .from(KafkaSource.topics(config, topic).withEventTime("at"))
        .through(
            (batch, events) ->
                events
                    .apply(
                        MapRows.into(batch.schema())
                            .via(
                                row ->
                                    row.getString("id").equals("e7") && Files.exists(Path.of(flag))
                                        ? Row.fromRow(row).withFieldValue("amount", 71L).build()
                                        : row))
                    .apply(batch.deduplicateBy("id")))
        .into(
            DeltaTarget.at("orders", directory.resolve("table").toString()),
            DeltaTarget.at("copy", directory.resolve("copy").toString()));
  }

  /** Runs the job: the servers, the topic, the directory, then its options. */
  public static void main(String[] arguments) {
    System.exit(
        job(arguments[0], arguments[1], Path.of(arguments[2]))
            .run(Arrays.copyOfRange(arguments, 3, arguments.length)));
  }
}
