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
package dev.idem.io.delta.changes;

/** What a reader of a table's versions makes of a commit that takes rows out of the table. */
public enum OnChanges {
  /** Refuses to read it, by its version. */
  FAIL,
  /** Leaves it out whole: neither what it removed nor what it added is read. */
  IGNORE,
  /**
   * Reads every commit as the table's change data feed has it: each row with the type of its
   * change. The table must have {@code delta.enableChangeDataFeed} set.
   */
  CDF
}
