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

import dev.idem.pipelines.job.DeltaTarget;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.job.JobOptions;
import dev.idem.pipelines.job.KafkaSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
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

  @Option(names = "--table", required = true, paramLabel = "DIR", description = "The Delta table.")
  private String table;

  @Option(
      names = "--keys",
      split = ",",
      paramLabel = "COLUMN,..",
      description = "The columns that identify an event; without them nothing is deduplicated.")
  private List<String> keys = new ArrayList<>();

  @Option(
      names = "--partitionBy",
      split = ",",
      paramLabel = "COLUMN,..",
      description = "The table's partition columns, if it is created.")
  private List<String> partitionBy = new ArrayList<>();

  @Option(
      names = "--acceptTransactionRetention",
      paramLabel = "30d",
      converter = JobOptions.DurationConverter.class,
      description =
          "Take a table that forgets batch ids, after so long or longer; default: it is refused.")
  private @Nullable Duration acceptTransactionRetention;

  @Option(
      names = "--writeAtLeastOnce",
      description = "Write without batch ids, for comparison: a crash doubles rows.")
  private boolean writeAtLeastOnce;

  @Mixin private JobOptions jobOptions;

  @Unmatched private List<String> beamOptions = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    if (keys.isEmpty()) {
      System.out.println("no --keys: events are not deduplicated");
    }
    return job().run(jobOptions, beamOptions, System.out, System.err);
  }

  private Job job() throws IOException {
    KafkaSource source = kafka.source();
    DeltaTarget target =
        DeltaTarget.at("table", table).withPartitionColumns(partitionBy.toArray(String[]::new));
    if (acceptTransactionRetention != null) {
      target = target.acceptTransactionRetention(acceptTransactionRetention);
    }
    String[] keyColumns = keys.toArray(String[]::new);
    return Job.byDefaultNamed("kafka-to-delta", source.names())
        .from(source)
        .through(
            (batch, events) ->
                keyColumns.length == 0
                    ? events
                    : events.apply("DeduplicateByKeys", batch.deduplicateBy(keyColumns)))
        .into(writeAtLeastOnce ? target.writeAtLeastOnce() : target);
  }
}
