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
package dev.idem.pipelines.deltatodelta;

import dev.idem.io.delta.changes.OnChanges;
import dev.idem.pipelines.job.AppendOptions;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.job.JobOptions;
import dev.idem.pipelines.source.DeltaSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Unmatched;

/**
 * Appends what is added to a Delta Lake table to another one, each row once: the table as it is,
 * and then version by version.
 */
@Command(
    name = "delta-to-delta",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Appends what is added to a Delta Lake table to another one, each row once.",
    footer = "Other options go to Beam, for example --runner=SparkRunner --sparkMaster=local[2].")
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class DeltaToDelta implements Callable<Integer> {

  @Option(
      names = "--sourceTable",
      required = true,
      paramLabel = "DIR",
      description = "The Delta table to read.")
  private String sourceTable;

  @Option(
      names = "--startingVersion",
      paramLabel = "snapshot|latest|N|timestamp:ISO",
      defaultValue = "snapshot",
      description = "Begin with the table as it is, or with what is committed from there on.")
  private String startingVersion;

  @Option(
      names = "--onChanges",
      paramLabel = "fail|ignore|cdf",
      defaultValue = "fail",
      description =
          "Commits that take rows out: fail, leave them out whole, or append every change of the"
              + " change data feed as a row of its own.")
  private OnChanges onChanges;

  @Option(
      names = "--eventTime",
      paramLabel = "COLUMN",
      description = "The event time; default the time of the commit.")
  private @Nullable String eventTime;

  @Mixin private AppendOptions append;

  @Mixin private JobOptions jobOptions;

  @Unmatched private List<String> beamOptions = new ArrayList<>();

  @Override
  public Integer call() {
    if (onChanges == OnChanges.CDF && !append.keys().isEmpty()) {
      throw new IllegalArgumentException(
          "--keys must not be given with --onChanges=cdf, since a row is changed more than once, but"
              + " was: "
              + append.keys()
              + ".");
    }
    DeltaSource source =
        DeltaSource.table(sourceTable)
            .withStartingVersion(startingVersion)
            .onChanges(onChanges)
            .withHadoopConfiguration(jobOptions.hadoopConfiguration());
    if (eventTime != null) {
      source = source.withEventTime(eventTime);
    }
    return append
        .job(Job.byDefaultNamed("delta-to-delta", source.names()).from(source))
        .run(jobOptions, beamOptions, System.out, System.err);
  }
}
