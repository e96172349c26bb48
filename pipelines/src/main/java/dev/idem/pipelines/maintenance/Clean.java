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
package dev.idem.pipelines.maintenance;

import dev.idem.io.delta.maintenance.CleanResult;
import dev.idem.io.delta.maintenance.CleanSpec;
import dev.idem.io.delta.maintenance.TableMaintenance;
import dev.idem.io.file.StoredFile;
import dev.idem.pipelines.backfill.BackfillStaging;
import dev.idem.pipelines.job.HadoopOptions;
import dev.idem.pipelines.job.JobOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Deletes what killed and failed attempts left in the directory of a Delta Lake table. */
@Command(
    name = "clean",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Deletes data files that no version of a Delta Lake table names, and what killed backfills"
            + " left beside it.",
    footer = "Every version that can be read stays readable. A job may be at work.")
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class Clean implements Callable<Integer> {

  @Option(names = "--table", required = true, paramLabel = "DIR", description = "The Delta table.")
  private String table;

  @Option(
      names = "--olderThan",
      required = true,
      paramLabel = "7d",
      converter = JobOptions.DurationConverter.class,
      description = "Only files older than this, a day at least: longer than any batch takes.")
  private Duration olderThan;

  @Option(names = "--dryRun", description = "Name the files, and delete nothing.")
  private boolean dryRun;

  @Mixin private HadoopOptions hadoop;

  @Spec private CommandSpec command;

  @Override
  public Integer call() throws IOException {
    CleanSpec spec = CleanSpec.olderThan(olderThan);
    CleanResult result =
        TableMaintenance.at(table, hadoop.settings()).clean(dryRun ? spec.dryRunOnly() : spec);
    List<StoredFile> left =
        BackfillStaging.clean(
            table, hadoop.settings(), Clock.systemUTC().instant().minus(olderThan), dryRun);
    PrintWriter out = command.commandLine().getOut();
    result.files().forEach(out::println);
    left.forEach(file -> out.println(file.name()));
    out.printf(
        Locale.ROOT,
        "%s: %,d files, %,d bytes%n",
        dryRun ? "would be deleted" : "deleted",
        result.files().size() + left.size(),
        result.bytes() + left.stream().mapToLong(StoredFile::size).sum());
    out.flush();
    return 0;
  }
}
