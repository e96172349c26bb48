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

import dev.idem.pipelines.backfill.PartitionBackfill;
import dev.idem.pipelines.job.HadoopOptions;
import dev.idem.pipelines.job.JobOptions;
import dev.idem.pipelines.source.KafkaOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Unmatched;

/**
 * Fills partitions of a Delta Lake table anew from Kafka topics, in one commit; run again with the
 * same input it changes nothing.
 */
@Command(
    name = "backfill",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Replaces partitions of a Delta Lake table by what Kafka topics hold of them, in one commit.",
    footer = "Other options go to Beam, for example --runner=SparkRunner --sparkMaster=local[2].")
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class Backfill implements Callable<Integer> {

  @Option(names = "--table", required = true, paramLabel = "DIR", description = "The Delta table.")
  private String table;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "VALUE",
      description = "The first partition to replace, as a value of the partition column.")
  private String from;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "VALUE",
      description = "The last partition to replace; it is replaced too.")
  private String to;

  @Option(
      names = "--partitionColumn",
      paramLabel = "COLUMN",
      description = "The column of --from and --to; default the table's, if it has one alone.")
  private @Nullable String partitionColumn;

  @Mixin private KafkaOptions kafka;

  @Option(
      names = "--keys",
      split = ",",
      paramLabel = "COLUMN,..",
      description = "The columns that identify an event; copies within the backfill are dropped.")
  private List<String> keys = new ArrayList<>();

  @Option(
      names = "--maxDeadLetters",
      paramLabel = "0%",
      defaultValue = "0%",
      converter = JobOptions.PercentConverter.class,
      description = "More records that are no rows end the backfill; they are kept nowhere.")
  private Double maxDeadLetters;

  @Option(
      names = "--applicationId",
      paramLabel = "ID",
      description = "Names the backfill to the table; with another id it is done again.")
  private @Nullable String applicationId;

  @Option(
      names = "--crashAt",
      paramLabel = "POINT",
      description = "Halt the JVM there, as a power cut would (exit 86); a test aid.")
  private @Nullable String crashAt;

  @Option(
      names = "--dryRun",
      description = "Say what would be replaced, or why it is refused; touch nothing and end.")
  private boolean dryRun;

  @Mixin private HadoopOptions hadoop;

  @Unmatched private List<String> beamOptions = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    PartitionBackfill backfill =
        PartitionBackfill.of(kafka.source(), table, from, to)
            .deduplicateBy(keys.toArray(String[]::new))
            .withMaxDeadLetters(maxDeadLetters)
            .withHadoopConfiguration(hadoop.settings());
    if (partitionColumn != null) {
      backfill = backfill.withPartitionColumn(partitionColumn);
    }
    if (applicationId != null) {
      backfill = backfill.withApplicationId(applicationId);
    }
    if (crashAt != null) {
      backfill = backfill.crashAt(crashAt);
    }
    return dryRun
        ? backfill.dryRun(System.out, System.err)
        : backfill.run(beamOptions, System.out, System.err);
  }
}
