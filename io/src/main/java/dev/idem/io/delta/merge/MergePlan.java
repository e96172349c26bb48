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
package dev.idem.io.delta.merge;

import dev.idem.io.file.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * What a merge reads and does, planned on one version of the table; a file that all steps read.
 *
 * @param version the version, -1 if there was no table
 * @param besideVersion the version of the table beside it, -1 if there was none
 * @param marksRows whether rows are marked as deleted, else their files are written anew
 * @param files the files that may hold a key of the batch
 * @param beside handles of the files beside the table that may hold one
 * @param shards the shards of the batch, in the order of their numbers
 * @param groupOf for each of these the group it is merged in
 * @param truncated the latest truncate there is, as it is kept beside the table, in base64, or null
 * @param truncates whether it is of this batch, so that rows of any key have to be looked at
 * @param forgotten the mark of the latest change that is kept no more, in base64, or null
 */
record MergePlan(
    long version,
    long besideVersion,
    boolean marksRows,
    List<PlannedFile> files,
    List<String> beside,
    List<StagedShard> shards,
    List<Integer> groupOf,
    @Nullable String truncated,
    boolean truncates,
    @Nullable String forgotten) {

  /**
   * A file that may hold a key of the batch.
   *
   * @param handle finds it on any machine
   * @param identity what the log knows it by
   * @param bin files of one bin are written anew together
   */
  record PlannedFile(String handle, String identity, int bin) {}

  /** Returns the plan to do nothing. */
  static MergePlan nothing(List<StagedShard> shards) {
    return new MergePlan(-1, -1, false, List.of(), List.of(), shards, List.of(), null, false, null);
  }

  int groups() {
    return groupOf.isEmpty() ? 0 : groupOf.get(groupOf.size() - 1) + 1;
  }

  /** Returns the group that a shard of the batch is merged in, the first if there is none. */
  int group(int shard) {
    int group = 0;
    for (int i = 0; i < shards.size() && shards.get(i).shard() <= shard; i++) {
      group = groupOf.get(i);
    }
    return group;
  }

  /** Returns the shards that are merged in a group. */
  List<StagedShard> shardsOf(int group) {
    return IntStream.range(0, shards.size())
        .filter(i -> groupOf.get(i) == group)
        .mapToObj(shards::get)
        .toList();
  }

  void publish(Storage storage, String file) throws IOException {
    storage.putIfAbsent(file, Messages.write(this).getBytes(StandardCharsets.UTF_8));
  }

  static MergePlan load(Storage storage, String file) throws IOException {
    return Messages.read(new String(storage.read(file), StandardCharsets.UTF_8), MergePlan.class);
  }
}
