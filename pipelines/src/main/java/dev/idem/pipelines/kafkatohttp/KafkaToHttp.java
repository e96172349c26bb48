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
package dev.idem.pipelines.kafkatohttp;

import dev.idem.pipelines.job.FurtherTargetOptions;
import dev.idem.pipelines.job.HttpTargetOptions;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.job.JobOptions;
import dev.idem.pipelines.source.KafkaOptions;
import dev.idem.pipelines.source.KafkaSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Unmatched;

/** Sends the records of Kafka topics to a server, each with one effect. */
@Command(
    name = "kafka-to-http",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Sends Kafka topics to a server by HTTP, each record under an idempotency key of its own.",
    footer = "Other options go to Beam, for example --runner=SparkRunner --sparkMaster=local[2].")
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class KafkaToHttp implements Callable<Integer> {

  @Mixin private KafkaOptions kafka;

  @Mixin private HttpTargetOptions http;

  @Option(
      names = "--deduplicateBy",
      split = ",",
      paramLabel = "COLUMN,..",
      description =
          "The columns that identify an event, whose copies at other offsets are not sent; default:"
              + " events are not deduplicated.")
  private List<String> deduplicateBy = new ArrayList<>();

  @Mixin private FurtherTargetOptions further;

  @Mixin private JobOptions jobOptions;

  @Unmatched private List<String> beamOptions = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    KafkaSource source = kafka.source();
    String[] keys = deduplicateBy.toArray(String[]::new);
    return Job.byDefaultNamed("kafka-to-http", source.names())
        .from(source)
        .through(
            (batch, events) ->
                keys.length == 0
                    ? events
                    : events.apply("DeduplicateByKeys", batch.deduplicateBy(keys)))
        .into(http.target("server"), further.targets())
        .run(jobOptions, beamOptions, System.out, System.err);
  }
}
