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

import dev.idem.pipelines.job.AppendOptions;
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

  @Mixin private DeltaSourceOptions delta;

  @Mixin private AppendOptions append;

  @Mixin private JobOptions jobOptions;

  @Unmatched private List<String> beamOptions = new ArrayList<>();

  @Override
  public Integer call() {
    if (delta.readsChanges() && !append.keys().isEmpty()) {
      throw new IllegalArgumentException(
          "--keys must not be given with --onChanges=cdf, since a row is changed more than once, but"
              + " was: "
              + append.keys()
              + ".");
    }
    DeltaSource source = delta.source(jobOptions.hadoopConfiguration());
    return append
        .job(Job.byDefaultNamed("delta-to-delta", source.names()).from(source))
        .run(jobOptions, beamOptions, System.out, System.err);
  }
}
