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

import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.maintenance.OptimizeResult;
import dev.idem.io.delta.maintenance.OptimizeSpec;
import dev.idem.io.delta.maintenance.TableMaintenance;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.pipelines.job.HadoopOptions;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Rewrites the small files of a Delta Lake table into large ones; jobs may be at work meanwhile.
 */
@Command(
    name = "optimize",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Rewrites the small files of a Delta Lake table into large ones.",
    footer = "Rows stay as they are, and every other writer comes first. A job may be at work.")
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class Optimize implements Callable<Integer> {

  /** How a directory of a partition names null. */
  private static final String NULL = "__HIVE_DEFAULT_PARTITION__";

  /** What the sink of a job's memory ends with; no other target of a job has the name. */
  private static final String MEMORY = "/memory";

  @Option(names = "--table", required = true, paramLabel = "DIR", description = "The Delta table.")
  private String table;

  @Option(
      names = "--targetFileSize",
      paramLabel = "128MiB",
      converter = SizeConverter.class,
      description = "How large new files become, about; smaller than three quarters is small.")
  private Long targetFileSize = DataFileSpec.DEFAULT_TARGET_FILE_SIZE;

  @Option(
      names = "--where",
      paramLabel = "COLUMN=VALUE",
      description = {
        "Only partitions with this value; again for more values, or for more columns.",
        NULL + " stands for null."
      })
  private List<String> where = new ArrayList<>();

  @Option(
      names = "--clusterBy",
      paramLabel = "COLUMN",
      split = ",",
      description = {
        "Rewrite partitions with new files as a whole, with rows in the order of these columns, so"
            + " that readers who look for some of their values skip files.",
        "Rows are sorted in the directory that java.io.tmpdir names, about their size."
      })
  private List<String> clusterBy = new ArrayList<>();

  @Option(names = "--dryRun", description = "Say what would be rewritten, and write nothing.")
  private boolean dryRun;

  @Mixin private HadoopOptions hadoop;

  @Spec private CommandSpec command;

  @Override
  public Integer call() {
    DeltaTable delta = DeltaTable.at(table, hadoop.settings());
    if (delta.sinks().stream().anyMatch(sink -> sink.endsWith(MEMORY))) {
      throw new IllegalArgumentException(
          "Table must not be the memory of a job, which merges its files itself, but was: \""
              + table
              + "\".");
    }
    OptimizeSpec spec = spec(delta);
    OptimizeResult result =
        TableMaintenance.at(table, hadoop.settings()).optimize(dryRun ? spec.dryRunOnly() : spec);
    PrintWriter out = command.commandLine().getOut();
    out.println("before: " + size(result.files(), result.bytes()));
    if (dryRun) {
      out.println(
          "would be rewritten: "
              + size(result.removedFiles(), result.removedBytes())
              + String.format(Locale.ROOT, ", into at least %,d", result.addedFiles()));
    } else {
      out.println(
          "rewritten: "
              + size(result.removedFiles(), result.removedBytes())
              + ", into "
              + size(result.addedFiles(), result.addedBytes())
              + String.format(Locale.ROOT, "; %,d commits", result.commits()));
      out.println("after: " + size(result.filesAfter(), result.bytesAfter()));
    }
    if (result.yielded() > 0) {
      out.printf(
          Locale.ROOT,
          "left to other writers, who were there first: %,d groups of files%n",
          result.yielded());
    }
    out.flush();
    return 0;
  }

  private OptimizeSpec spec(DeltaTable delta) {
    Map<String, List<Object>> values = new LinkedHashMap<>();
    for (String condition : where) {
      int equals = condition.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException(
            "--where must be COLUMN=VALUE, but was: \"" + condition + "\".");
      }
      String column = condition.substring(0, equals);
      String text = condition.substring(equals + 1);
      values.computeIfAbsent(column, name -> new ArrayList<>()).add(value(delta, column, text));
    }
    PartitionPredicate partitions = PartitionPredicate.everything();
    for (Map.Entry<String, List<Object>> condition : values.entrySet()) {
      partitions =
          partitions.and(PartitionPredicate.in(condition.getKey(), condition.getValue().toArray()));
    }
    return OptimizeSpec.ofDefaults()
        .withTargetFileSize(targetFileSize)
        .where(partitions)
        .clusterBy(clusterBy.toArray(String[]::new));
  }

  private static @Nullable Object value(DeltaTable delta, String column, String text) {
    return text.equals(NULL)
        ? null
        : delta.state().map(state -> state.partitionValue(column, text)).orElse(text);
  }

  private static String size(long files, long bytes) {
    return String.format(Locale.ROOT, "%,d files, %,d bytes", files, bytes);
  }
}
