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
package dev.idem.pipelines.deltatokafka;

import dev.idem.pipelines.job.FurtherTargetOptions;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.job.JobOptions;
import dev.idem.pipelines.job.KafkaTargetOptions;
import dev.idem.pipelines.source.DeltaSource;
import dev.idem.pipelines.source.DeltaSourceOptions;
import dev.idem.pipelines.targets.KafkaTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Unmatched;

/**
 * Publishes what is added to a Delta Lake table, or every change of it, to a Kafka topic: each row
 * is a record, and a row that is deleted a record without a value.
 */
@Command(
    name = "delta-to-kafka",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Publishes a Delta Lake table, and what changes in it, to a Kafka topic.",
    footer = "Other options go to Beam, for example --runner=SparkRunner --sparkMaster=local[2].")
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class DeltaToKafka implements Callable<Integer> {

  private static final String NAME = "topic";

  @Mixin private DeltaSourceOptions delta;

  @Mixin private KafkaTargetOptions kafka;

  @Mixin private FurtherTargetOptions further;

  @Mixin private JobOptions jobOptions;

  @Unmatched private List<String> beamOptions = new ArrayList<>();

  @Override
  public Integer call() {
    DeltaSource source = delta.source(jobOptions.hadoopConfiguration());
    return Job.byDefaultNamed("delta-to-kafka", source.names())
        .from(source)
        .into(target(), further.targets())
        .run(jobOptions, beamOptions, System.out, System.err);
  }

  /** A row whose key was changed is not there any more under the key that it had. */
  private KafkaTarget target() {
    return delta.readsChanges()
        ? kafka.targetOfChanges(
            NAME,
            "_change_type",
            List.of("_commit_version", "_commit_timestamp"),
            "delete",
            "update_preimage")
        : kafka.target(NAME);
  }
}
