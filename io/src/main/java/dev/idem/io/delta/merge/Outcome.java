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

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.idem.io.delta.file.DataFile;
import java.util.List;
import java.util.Map;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * What a step of a merge did, for the commit.
 *
 * @param plan the file of the plan by which it was done
 * @param merged what a group of shards came to, if that was it
 * @param rewritten what became of a bin of files, if that was it
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Outcome(String plan, @Nullable Merged merged, @Nullable Rewritten rewritten) {

  /**
   * What a group of shards came to.
   *
   * @param group the number of the group
   * @param added files with rows that are added
   * @param beside files with changes that are kept beside the table
   * @param deleted the positions of rows that leave, by the number of their file in the plan
   * @param found a file with the rows that were found of the group's keys, and the changes beside
   */
  record Merged(
      int group,
      List<DataFile> added,
      List<DataFile> beside,
      Map<Integer, Positions> deleted,
      String found,
      MergeCounts counts) {}

  /**
   * Files that were written anew without the rows that leave.
   *
   * @param files their numbers in the plan
   * @param written the new files
   */
  record Rewritten(List<Integer> files, List<DataFile> written) {}

  /** The rows of a file that leave it, for the one who writes it anew. */
  record Leaving(String plan, int file, Positions positions) {}

  static Outcome plan(String plan) {
    return new Outcome(plan, null, null);
  }
}
