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
package dev.idem.pipelines.inspect;

import dev.idem.io.checkpoint.CheckpointView;
import dev.idem.pipelines.job.HadoopOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Shows a checkpoint and what the tables of its job hold of it, without taking the lease and
 * without writing anything; a job may be at work meanwhile.
 */
@Command(
    name = "inspect",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Shows the batches of a checkpoint, and what tables hold of them.",
    footer = "Reads only; a job may be at work meanwhile. Damaged entries are named, and exit 0.")
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class Inspect implements Callable<Integer> {

  @Option(
      names = "--checkpoint",
      required = true,
      paramLabel = "DIR",
      description = "The checkpoint that the job was given.")
  private String checkpoint;

  @Option(
      names = "--table",
      paramLabel = "DIR",
      description = "The job's main table: show what it, its dead letters and its memory hold.")
  private @Nullable String table;

  @Mixin private HadoopOptions hadoop;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Spec private CommandSpec command;

  @Override
  public Integer call() throws IOException {
    CheckpointView view = CheckpointView.read(checkpoint, hadoop.settings());
    List<TableView> tables =
        table == null ? List.of() : TableView.around(table, view.metadata(), hadoop.settings());
    PrintWriter out = command.commandLine().getOut();
    out.println(
        json
            ? InspectionJson.of(checkpoint, view, tables).toPrettyString()
            : InspectionText.of(checkpoint, view, tables));
    out.flush();
    return 0;
  }
}
