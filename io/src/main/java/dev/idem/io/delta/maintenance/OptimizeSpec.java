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
package dev.idem.io.delta.maintenance;

import com.google.auto.value.AutoValue;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.PartitionPredicate;
import java.util.List;

/**
 * Which files {@link TableMaintenance#optimize} rewrites, and how large the new ones become.
 *
 * <pre>{@code
 * OptimizeResult result =
 *     DeltaTable.at("/data/orders", Map.of())
 *         .optimize(
 *             OptimizeSpec.ofDefaults()
 *                 .where(PartitionPredicate.in("day", LocalDate.parse("2026-01-31"))));
 * }</pre>
 */
@SuppressWarnings("AutoValueImmutableFields") // The collections are copies that cannot change.
@AutoValue
public abstract class OptimizeSpec {

  private static final long SORT_MEMORY = 64L << 20;

  OptimizeSpec() {}

  /** Returns the specification that rewrites all small files of a table. */
  public static OptimizeSpec ofDefaults() {
    return new AutoValue_OptimizeSpec.Builder()
        .setTargetFileSize(DataFileSpec.DEFAULT_TARGET_FILE_SIZE)
        .setMinInputFiles(1)
        .setPartitions(PartitionPredicate.everything())
        .setClusterBy(List.of())
        .setSortMemory(SORT_MEMORY)
        .setDryRun(false)
        .build();
  }

  abstract long targetFileSize();

  abstract int minInputFiles();

  abstract PartitionPredicate partitions();

  abstract List<String> clusterBy();

  abstract long sortMemory();

  abstract boolean dryRun();

  abstract Builder toBuilder();

  /**
   * Sets how many bytes new files have, about. Files of less than three quarters of it are small.
   * Larger files are opened less often; smaller ones are skipped more often. Default: 128 MiB.
   */
  public OptimizeSpec withTargetFileSize(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "Target file size must be positive, but was: " + bytes + ". Give bytes.");
    }
    return toBuilder().setTargetFileSize(bytes).build();
  }

  /**
   * Leaves partitions alone that have fewer files to rewrite. With a higher number a row is
   * rewritten less often on its way to a large file. Default: 1.
   */
  public OptimizeSpec withMinInputFiles(int files) {
    if (files < 1) {
      throw new IllegalArgumentException(
          "Number of files to rewrite must be at least 1, but was: " + files + ".");
    }
    return toBuilder().setMinInputFiles(files).build();
  }

  /** Rewrites only files in these partitions. Default: all. */
  public OptimizeSpec where(PartitionPredicate partitions) {
    return toBuilder().setPartitions(partitions).build();
  }

  /**
   * Rewrites all files of a partition together, with the rows in the order of these columns: files
   * and their row groups then hold narrow ranges of the first column that do not overlap, and
   * readers that look for some of its values skip the others. Nulls come first, then numbers, dates
   * and timestamps by value and text by its UTF-8 bytes. Default: rows stay in the order in which
   * they were written.
   *
   * <p>A partition is left alone if all its files come from one such rewrite by the same columns,
   * whatever their sizes. Any other file in it, or one of which more than one row in twenty is
   * deleted, makes the next run rewrite the whole partition; {@link #withMinInputFiles} says how
   * many such files are worth that.
   *
   * @param columns columns outside of partitions and of other columns, of which files have bounds:
   *     numbers, text, dates and timestamps among the first 32
   */
  public OptimizeSpec clusterBy(String... columns) {
    return toBuilder().setClusterBy(List.of(columns)).build();
  }

  /** Sets how many bytes of rows are sorted at once. */
  OptimizeSpec withSortMemory(long bytes) {
    return toBuilder().setSortMemory(bytes).build();
  }

  /** Only tells what would be rewritten; writes nothing. */
  public OptimizeSpec dryRunOnly() {
    return toBuilder().setDryRun(true).build();
  }

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder setTargetFileSize(long value);

    abstract Builder setMinInputFiles(int value);

    abstract Builder setPartitions(PartitionPredicate value);

    abstract Builder setClusterBy(List<String> value);

    abstract Builder setSortMemory(long value);

    abstract Builder setDryRun(boolean value);

    abstract OptimizeSpec build();
  }
}
