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
package dev.idem.pipelines.cdctodelta;

import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.job.JobOptions;
import dev.idem.pipelines.merge.MergeOptions;
import dev.idem.pipelines.source.DebeziumOptions;
import dev.idem.pipelines.source.KafkaOptions;
import dev.idem.pipelines.source.KafkaSource;
import dev.idem.pipelines.targets.DeltaTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Unmatched;

/**
 * Merges the change events of Kafka topics into a Delta Lake table by key, in the order of their
 * sequence: the same rows whatever order they come in, and however often.
 */
@Command(
    name = "cdc-to-delta",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Merges change events of Kafka topics into a Delta Lake table.",
    footer = "Other options go to Beam, for example --runner=SparkRunner --sparkMaster=local[2].")
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class CdcToDelta implements Callable<Integer> {

  @Mixin private KafkaOptions kafka;

  @Mixin private MergeOptions merge;

  @Mixin private DebeziumOptions debezium;

  @Mixin private JobOptions jobOptions;

  @Unmatched private List<String> beamOptions = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    if (!kafka.format().equals("debezium")) {
      return run(kafka.source(), merge.target(merge.changes().changes()));
    }
    DebeziumOptions.Capture capture =
        debezium.capture(kafka, merge.changes(), jobOptions.lastPlan());
    return run(
        capture.source(), merge.target(merge.changes().changes(capture.changes(), capture.own())));
  }

  private int run(KafkaSource source, DeltaTarget target) {
    return Job.byDefaultNamed("cdc-to-delta", source.names())
        .from(source)
        .into(target)
        .run(jobOptions, beamOptions, System.out, System.err);
  }
}
