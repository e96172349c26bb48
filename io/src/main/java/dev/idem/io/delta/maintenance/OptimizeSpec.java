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
@AutoValue
public abstract class OptimizeSpec {

  OptimizeSpec() {}

  /** Returns the specification that rewrites all small files of a table. */
  public static OptimizeSpec ofDefaults() {
    return new AutoValue_OptimizeSpec.Builder()
        .setTargetFileSize(DataFileSpec.DEFAULT_TARGET_FILE_SIZE)
        .setMinInputFiles(1)
        .setPartitions(PartitionPredicate.everything())
        .setDryRun(false)
        .build();
  }

  abstract long targetFileSize();

  abstract int minInputFiles();

  abstract PartitionPredicate partitions();

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

  /** Only tells what would be rewritten; writes nothing. */
  public OptimizeSpec dryRunOnly() {
    return toBuilder().setDryRun(true).build();
  }

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder setTargetFileSize(long value);

    abstract Builder setMinInputFiles(int value);

    abstract Builder setPartitions(PartitionPredicate value);

    abstract Builder setDryRun(boolean value);

    abstract OptimizeSpec build();
  }
}
