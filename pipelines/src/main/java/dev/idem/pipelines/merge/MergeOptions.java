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
package dev.idem.pipelines.merge;

import dev.idem.io.delta.DeltaLakeIO;
import dev.idem.io.delta.merge.MergeChanges;
import dev.idem.io.delta.merge.MergeMode;
import dev.idem.pipelines.changes.ChangesOptions;
import dev.idem.pipelines.job.JobOptions;
import dev.idem.pipelines.job.TableOptions;
import dev.idem.pipelines.targets.DeltaTarget;
import dev.idem.transforms.changes.ApplyChanges;
import java.time.Duration;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which Delta table changes are merged into, and what they mean. */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class MergeOptions {

  @Mixin private TableOptions table;

  @Mixin private ChangesOptions changes;

  @Option(
      names = "--mergeMode",
      paramLabel = "copy-on-write|merge-on-read",
      description = "How rows leave the table; default as it has deletion vectors enabled or not.")
  private @Nullable String mergeMode;

  @Option(
      names = "--tombstoneRetention",
      paramLabel = "7d",
      defaultValue = "7d",
      converter = JobOptions.DurationConverter.class,
      description = "For how long deletes keep late changes out.")
  private Duration tombstoneRetention;

  /** Returns what the changes mean. */
  public ChangesOptions changes() {
    return changes;
  }

  /** Returns the table with the merge of changes into it. */
  public DeltaTarget target(ApplyChanges merged) {
    MergeChanges merge =
        DeltaLakeIO.mergeChanges("job") // The job gives its own id.
            .applying(merged)
            .withMode(mode())
            .withRetention(org.joda.time.Duration.millis(tombstoneRetention.toMillis()));
    return table.target().merging(merge);
  }

  private MergeMode mode() {
    if (mergeMode == null) {
      return MergeMode.AS_TABLE;
    }
    return switch (mergeMode) {
      case "copy-on-write" -> MergeMode.COPY_ON_WRITE;
      case "merge-on-read" -> MergeMode.MERGE_ON_READ;
      default ->
          throw new IllegalArgumentException(
              "--mergeMode must be copy-on-write or merge-on-read, but was: \""
                  + mergeMode
                  + "\".");
    };
  }
}
