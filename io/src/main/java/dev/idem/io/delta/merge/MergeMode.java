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

/** How the rows that a merge replaces or deletes leave their files. */
public enum MergeMode {
  /**
   * As the table says: {@link #MERGE_ON_READ} if it has {@code delta.enableDeletionVectors}, else
   * {@link #COPY_ON_WRITE}. A table that the merge creates is one of the latter.
   */
  AS_TABLE,
  /** The files are written anew without them: merging costs more, reading nothing. */
  COPY_ON_WRITE,
  /**
   * The rows are marked in deletion vectors, which readers must know: merging costs less, reading
   * more until the table is optimised. The table must have {@code delta.enableDeletionVectors}; one
   * that the merge creates has it.
   */
  MERGE_ON_READ
}
