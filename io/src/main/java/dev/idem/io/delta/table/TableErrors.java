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

import dev.idem.io.delta.error.DeltaTableException;
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.error.UnusableTableException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.Optional;

/** The wording of the failures of tables that cannot be worked on. */
public final class TableErrors {

  private TableErrors() {}

  private static String quote(String value) {
    return "\"" + value + "\"";
  }

  /** There is no table to work on. */
  public static DeltaTableException noTable(String table) {
    return new DeltaTableException(
        table, "Table to work on must exist, but was: none at " + quote(table) + ".", null);
  }

  /** There is no table to read. */
  public static IllegalArgumentException noTableToRead(String table) {
    return new IllegalArgumentException(
        "Table to read must exist, but was: none at " + quote(table) + ".");
  }

  static UnusableTableException unusable(
      String table, String feature, String why, Throwable cause) {
    return new UnusableTableException(
        table,
        feature,
        "Table "
            + quote(table)
            + " must not use "
            + quote(feature)
            + ", but was: set. "
            + why
            + " Remove it from the table, or write to another one.",
        cause);
  }

  static UnusableTableException transactionRetention(
      String table, Duration kept, Optional<Duration> accepted) {
    String property = "delta.setTransactionRetentionDuration";
    return new UnusableTableException(
        table,
        property,
        "Table "
            + quote(table)
            + " must keep batch ids "
            + accepted.map(least -> "for " + least + " or longer").orElse("for ever")
            + ", but was: "
            + quote(property)
            + " of "
            + kept
            + ". A batch that is replayed later would write its rows again. Unset the property, or"
            + " accept it where replays come in less time.",
        null);
  }

  static SchemaMismatchException notCreatable(String table, IllegalArgumentException why) {
    return new SchemaMismatchException(
        table, "", "Table " + quote(table) + " cannot be created. " + why.getMessage());
  }

  static SchemaMismatchException partitioning(
      String table, String column, Object wanted, Object is) {
    return new SchemaMismatchException(
        table,
        column,
        "Partition columns must be "
            + wanted
            + " as in table "
            + quote(table)
            + ", but was: "
            + is
            + ". Partition by the table's columns, or write to a new table.");
  }

  /** A file of a version is gone. */
  public static DeltaTableException vacuumed(
      String table, long version, NoSuchFileException cause) {
    return new DeltaTableException(
        table,
        "File "
            + quote(cause.getFile())
            + " of version "
            + version
            + " of table "
            + quote(table)
            + " must be there, but was: missing. Read a later version, or keep files for longer than"
            + " a read takes: VACUUM took it.",
        cause);
  }

  /** Files that no version holds cannot be found or deleted. */
  public static DeltaTableException notCleaned(String table, Throwable cause) {
    return new DeltaTableException(
        table,
        "Files that are no part of table "
            + quote(table)
            + " must be found and deleted, but was: not possible ("
            + cause
            + "). Nothing that the table holds was deleted. Correct it and run it again.",
        cause);
  }

  static DeltaTableException notDeleted(String table, String file, Throwable cause) {
    return new DeltaTableException(
        table,
        "Data file "
            + quote(file)
            + " must be deleted from table "
            + quote(table)
            + ", which does not hold it any more, but was: not deletable ("
            + cause
            + "). What was committed stays so. Let the job write to that directory, and start it"
            + " again.",
        cause);
  }
}
