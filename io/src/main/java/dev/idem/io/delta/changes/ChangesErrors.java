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

import dev.idem.io.delta.error.TableChangedException;
import dev.idem.io.delta.error.UnusableTableException;
import dev.idem.io.delta.error.VersionGoneException;

/** The wording of the failures of reads of changes. */
final class ChangesErrors {

  private ChangesErrors() {}

  private static String quote(String value) {
    return "\"" + value + "\"";
  }

  static UnusableTableException noChangeDataFeed(String table, String property) {
    return new UnusableTableException(
        table,
        "changeDataFeed",
        "Table "
            + quote(table)
            + " must have "
            + quote(property)
            + " set for its change data feed to be read, but was: not set. Set it, or read only"
            + " what is added.",
        null);
  }

  static TableChangedException tableChanged(
      String table, long version, String operation, int removed) {
    return new TableChangedException(
        table,
        version,
        "Version "
            + version
            + " of table "
            + quote(table)
            + " must only add rows, but was: a commit"
            + (operation.isEmpty() ? "" : " of " + operation)
            + " that takes rows out of "
            + removed
            + " files. Read the change data feed, or leave such commits out whole.");
  }

  static VersionGoneException versionGone(String table, long version, long earliest) {
    return new VersionGoneException(
        table,
        version,
        "Version "
            + version
            + " of table "
            + quote(table)
            + " must still be in its log, but the log begins at version: "
            + earliest
            + ". It was cleaned up: keep entries longer (delta.logRetentionDuration) than the reader"
            + " may be behind.");
  }
}
