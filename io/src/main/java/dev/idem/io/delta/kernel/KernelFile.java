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
package dev.idem.io.delta.kernel;

import io.delta.kernel.internal.actions.AddFile;
import io.delta.kernel.internal.actions.DeletionVectorDescriptor;
import io.delta.kernel.internal.data.DelegateRow;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.annotations.Internal;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * One data file as the Delta log names it.
 *
 * @param path the URI-encoded path relative to the table
 * @param size the size in bytes
 * @param modificationTime milliseconds since 1970
 * @param partitionValues the partition values in the protocol's text form, null for null
 * @param stats the statistics as JSON, or null
 * @param tags what else its writer noted of it
 * @param added the action that added it, with its deletion vector and row ids; null for a file that
 *     is not taken from a snapshot
 */
@Internal
public record KernelFile(
    String path,
    long size,
    long modificationTime,
    Map<String, String> partitionValues,
    String stats,
    Map<String, String> tags,
    @Nullable AddFile added) {

  /** Returns a file that no snapshot has. */
  public static KernelFile of(
      String path,
      long size,
      long modificationTime,
      Map<String, String> partitionValues,
      String stats) {
    return new KernelFile(path, size, modificationTime, partitionValues, stats, Map.of(), null);
  }

  /** Returns this file with other notes. */
  public KernelFile withTags(Map<String, String> tags) {
    return new KernelFile(path, size, modificationTime, partitionValues, stats, tags, added);
  }

  /** Returns this file of a snapshot with other rows deleted. */
  KernelFile withDeletionVector(DeletionVectorDescriptor vector, String stats) {
    Map<Integer, Object> changes =
        Map.of(
            AddFile.FULL_SCHEMA.indexOf("deletionVector"),
            vector.toRow(),
            AddFile.FULL_SCHEMA.indexOf("stats"),
            stats);
    AddFile changed = new AddFile(new DelegateRow(added.toRow(), changes));
    return new KernelFile(path, size, modificationTime, partitionValues, stats, tags, changed);
  }

  /** Returns how many of its rows are deleted. */
  public long deletedRows() {
    return deletionVector().map(DeletionVectorDescriptor::getCardinality).orElse(0L);
  }

  /** Returns what the log knows the file by: its path and its deletion vector. */
  public String identity() {
    return path + deletionVector().map(vector -> "#" + vector.getUniqueId()).orElse("");
  }

  Optional<DeletionVectorDescriptor> deletionVector() {
    return added == null ? Optional.empty() : added.getDeletionVector();
  }
}
