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
package dev.idem.io.delta.table;

/** How a commit ended; a conflict or an unknown end is an exception. */
public sealed interface CommitOutcome {

  /** Returns the table version. */
  long version();

  /**
   * The batch was committed now.
   *
   * @param version the version of the commit
   */
  record Committed(long version) implements CommitOutcome {}

  /**
   * The table holds the batch already, with the same plan and content; nothing was written.
   *
   * @param version the table version in which it was found
   * @param record what the table remembers of the batch
   */
  record AlreadyCommitted(long version, DeltaRecord record) implements CommitOutcome {}
}
