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
package dev.idem.pipelines.kafkatodelta;

import dev.idem.pipelines.job.AppendOptions;
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
import picocli.CommandLine.Unmatched;

/**
 * Appends the JSON records of Kafka topics to a Delta Lake table, each event once: deduplicated by
 * its keys, over all batches, within the watermark.
 */
@Command(
    name = "kafka-to-delta",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Appends Kafka topics to a Delta Lake table, each event once.",
    footer = "Other options go to Beam, for example --runner=SparkRunner --sparkMaster=local[2].")
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class KafkaToDelta implements Callable<Integer> {

  @Mixin private KafkaOptions kafka;

  @Mixin private AppendOptions append;

  @Mixin private JobOptions jobOptions;

  @Unmatched private List<String> beamOptions = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    if (append.keys().isEmpty()) {
      System.out.println("no --keys: events are not deduplicated");
    }
    return job().run(jobOptions, beamOptions, System.out, System.err);
  }

  private Job job() throws IOException {
    KafkaSource source = kafka.source();
    return append.job(Job.byDefaultNamed("kafka-to-delta", source.names()).from(source));
  }
}
