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
package dev.idem.pipelines.deltatojdbc;

import dev.idem.pipelines.job.FurtherTargetOptions;
import dev.idem.pipelines.job.JdbcTargetOptions;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.job.JobOptions;
import dev.idem.pipelines.source.DeltaSource;
import dev.idem.pipelines.source.DeltaSourceOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Unmatched;

/**
 * Writes what is added to a Delta Lake table, or every change of it, to a table of a database, each
 * once.
 */
@Command(
    name = "delta-to-jdbc",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Writes a Delta Lake table, and what changes in it, to a table of a database.",
    footer = "Other options go to Beam, for example --runner=SparkRunner --sparkMaster=local[2].")
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class DeltaToJdbc implements Callable<Integer> {

  @Mixin private DeltaSourceOptions delta;

  @Mixin private JdbcTargetOptions jdbc;

  @Mixin private FurtherTargetOptions further;

  @Mixin private JobOptions jobOptions;

  @Unmatched private List<String> beamOptions = new ArrayList<>();

  @Override
  public Integer call() {
    DeltaSource source = delta.source(jobOptions.hadoopConfiguration());
    boolean changes = delta.readsChanges();
    return Job.byDefaultNamed("delta-to-jdbc", source.names())
        .from(source)
        .through(
            (batch, events) ->
                changes
                    ? events.apply("ChangeOfEachKey", new ChangeOfEachKey(jdbc.keys()))
                    : events)
        .into(jdbc.target(), further.targets())
        .run(jobOptions, beamOptions, System.out, System.err);
  }
}
