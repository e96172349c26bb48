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
package dev.idem.pipelines.targets;

import dev.idem.io.delta.merge.MergeChanges;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.file.Storage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A Delta Lake table that a job appends to, exactly once: each batch is one commit that carries the
 * batch id, and a batch that the table holds is not written again.
 *
 * <p>The job keeps its dead letters in {@code <path>_dead_letter} and, if it deduplicates, its
 * memory in {@code <path>_memory/<application id>}, both beside the first target.
 */
public final class DeltaTarget implements JobTarget {

  private final String name;
  private final String path;
  private final List<String> partitionColumns;
  private final Map<String, String> hadoopConfiguration;
  private final boolean atLeastOnce;
  private final Optional<Duration> transactionRetention;
  private final Optional<MergeChanges> merge;

  private DeltaTarget(
      String name,
      String path,
      List<String> partitionColumns,
      Map<String, String> hadoopConfiguration,
      boolean atLeastOnce,
      Optional<Duration> transactionRetention,
      Optional<MergeChanges> merge) {
    this.name = name;
    this.path = path;
    this.partitionColumns = List.copyOf(partitionColumns);
    this.hadoopConfiguration = Map.copyOf(hadoopConfiguration);
    this.atLeastOnce = atLeastOnce;
    this.transactionRetention = transactionRetention;
    this.merge = merge;
  }

  /**
   * Returns the table at {@code path}; it is created with the first batch if it does not exist.
   *
   * @param name names the target within the job, for ever: it is part of what the table remembers
   * @param path a local path, or a URI of a scheme that is supported
   */
  public static DeltaTarget at(String name, String path) {
    return new DeltaTarget(
        TargetNames.requireUsable(name),
        absolute(path),
        List.of(),
        Map.of(),
        false,
        Optional.empty(),
        Optional.empty());
  }

  /** Partitions the table by these columns when it is created; an existing table must have them. */
  public DeltaTarget withPartitionColumns(String... columns) {
    return new DeltaTarget(
        name,
        path,
        List.of(columns),
        hadoopConfiguration,
        atLeastOnce,
        transactionRetention,
        merge);
  }

  /**
   * Passes settings to Hadoop's file systems; secrets among them are {@code ${env:NAME}} or {@code
   * ${file:PATH}}.
   */
  public DeltaTarget withHadoopConfiguration(Map<String, String> configuration) {
    return new DeltaTarget(
        name, path, partitionColumns, configuration, atLeastOnce, transactionRetention, merge);
  }

  /** Passes settings to Hadoop's file systems that this target does not have. */
  DeltaTarget withHadoopDefaults(Map<String, String> defaults) {
    Map<String, String> all = new TreeMap<>(defaults);
    all.putAll(hadoopConfiguration);
    return withHadoopConfiguration(all);
  }

  /**
   * Writes without batch ids: a batch that is run again after a crash is written again. For
   * comparisons, and for tables that are deduplicated later.
   */
  public DeltaTarget writeAtLeastOnce() {
    if (merge.isPresent()) {
      throw TargetErrors.mergedAtLeastOnce(path);
    }
    return new DeltaTarget(
        name, path, partitionColumns, hadoopConfiguration, true, transactionRetention, merge);
  }

  /**
   * Takes a table that has {@code delta.setTransactionRetentionDuration}, if it is {@code atLeast}:
   * Spark then forgets the job's last batch id once the job wrote nothing for so long. Choose more
   * than the longest time for which the job may stand still. Default: a table with the property is
   * refused.
   */
  public DeltaTarget acceptTransactionRetention(Duration atLeast) {
    if (atLeast.isZero() || atLeast.isNegative()) {
      throw new IllegalArgumentException(
          "Accepted transaction retention must be positive, but was: "
              + atLeast
              + ". Choose more than the longest time for which the job may stand still.");
    }
    return new DeltaTarget(
        name,
        path,
        partitionColumns,
        hadoopConfiguration,
        atLeastOnce,
        Optional.of(atLeast),
        merge);
  }

  /**
   * Merges the rows that come as changes, by key and in the order of their sequence, instead of
   * appending them. What is kept beside the table is in {@code <path>_changes}.
   *
   * @param merge what the changes mean and how they are merged, as {@link
   *     dev.idem.io.delta.DeltaLakeIO#mergeChanges} makes it; the job sets application, sink, table
   *     and batch
   */
  public DeltaTarget merging(MergeChanges merge) {
    if (atLeastOnce) {
      throw TargetErrors.mergedAtLeastOnce(path);
    }
    return new DeltaTarget(
        name,
        path,
        partitionColumns,
        hadoopConfiguration,
        atLeastOnce,
        transactionRetention,
        Optional.of(merge));
  }

  /** Returns what the changes mean, as text, empty if rows are appended. */
  @Override
  public Optional<String> rules() {
    return merge.map(MergeChanges::rules);
  }

  /** Returns the merge of a job, empty if rows are appended. */
  Optional<MergeChanges> merge(String applicationId) {
    return merge.map(
        given ->
            given
                .by(applicationId)
                .withSink(name)
                .to(path)
                .withPartitionColumns(partitionColumns.toArray(String[]::new))
                .withHadoopConfiguration(hadoopConfiguration));
  }

  /** The table that a merge keeps beside this one. */
  DeltaTarget changes() {
    return beside(name + "-changes", MergeChanges.besidePath(path));
  }

  /** Returns where a job keeps its dead letters if its main target is the table at a path. */
  public static String deadLetterPath(String tablePath) {
    return absolute(tablePath) + "_dead_letter";
  }

  /** However a table's path is written, what is kept beside the table is in one place. */
  private static String absolute(String path) {
    return Storage.location("Table path", path);
  }

  /**
   * Returns where a job keeps its memory if its main target is the table at a path. The application
   * id becomes one directory name.
   */
  public static String memoryPath(String tablePath, String applicationId) {
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < applicationId.length(); i++) {
      char c = applicationId.charAt(i);
      boolean plain = c < 128 && (Character.isLetterOrDigit(c) || c == '-' || c == '_');
      name.append(plain ? String.valueOf(c) : String.format("%%%04x", (int) c));
    }
    return absolute(tablePath) + "_memory/" + name;
  }

  /** A table that the job keeps beside this one. */
  DeltaTarget beside(String otherName, String otherPath) {
    return new DeltaTarget(
        otherName,
        otherPath,
        List.of(),
        hadoopConfiguration,
        false,
        Optional.empty(),
        Optional.empty());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String place() {
    return path;
  }

  /** Returns where the table is, as an absolute path or a URI. */
  public String path() {
    return path;
  }

  List<String> partitionColumns() {
    return partitionColumns;
  }

  Map<String, String> hadoopConfiguration() {
    return hadoopConfiguration;
  }

  boolean atLeastOnce() {
    return atLeastOnce;
  }

  DeltaTable table() {
    DeltaTable table = DeltaTable.at(path, hadoopConfiguration);
    return transactionRetention.map(table::acceptTransactionRetention).orElse(table);
  }
}
