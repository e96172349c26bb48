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
package dev.idem.io.delta;

import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** The wording of every run-time failure of this package. */
final class DeltaErrors {

  private DeltaErrors() {}

  private static String quote(String value) {
    return "\"" + value + "\"";
  }

  static RowRefusedException rowRefused(DeltaColumn column, String rule, Object value) {
    String type = value == null ? "null" : value.getClass().getSimpleName();
    return new RowRefusedException(
        column.name(),
        rule,
        type,
        "Column "
            + quote(column.name())
            + " "
            + rule
            + ", but was: "
            + (value == null ? "null" : "a value of type " + type + " that does not")
            + ". Correct the row, or send it to the dead letters.");
  }

  static SchemaMismatchException missingColumn(String table, DeltaColumn column) {
    return new SchemaMismatchException(
        table,
        column.name(),
        "Column "
            + quote(column.name())
            + " must be in the rows, because it must not be null in table "
            + quote(table)
            + ", but was: missing. Add it to the rows.");
  }

  static SchemaMismatchException extraColumn(String table, String column) {
    return new SchemaMismatchException(
        table,
        column,
        "Column "
            + quote(column)
            + " must be a column of table "
            + quote(table)
            + ", but was: unknown there. Drop it from the rows or add it to the"
            + " table.");
  }

  static SchemaMismatchException ambiguousColumn(String table, String column) {
    return new SchemaMismatchException(
        table,
        column,
        "Column "
            + quote(column)
            + " must have a name that differs from others in more than case, as rows for table "
            + quote(table)
            + " need, but was: there again in other case. Rename or drop one of them.");
  }

  static SchemaMismatchException otherPhysicalName(
      String table, DeltaColumn column, DeltaColumn given) {
    return new SchemaMismatchException(
        table,
        column.name(),
        "Column "
            + quote(column.name())
            + " must have the name "
            + quote(column.physicalName())
            + " in the files of table "
            + quote(table)
            + ", which maps its columns, but was: "
            + quote(given.physicalName())
            + ". Write the files as DeltaTable.fitted says.");
  }

  static SchemaMismatchException otherType(String table, DeltaColumn column, DeltaColumn given) {
    return new SchemaMismatchException(
        table,
        column.name(),
        "Column "
            + quote(column.name())
            + " must be of type "
            + column.type().text()
            + " as in table "
            + quote(table)
            + ", but was: "
            + given.type().text()
            + ". Convert it before the write, or give the rows the table's schema.");
  }

  /** Returns one failure that says what all of them say. */
  static SchemaMismatchException together(List<SchemaMismatchException> differences) {
    SchemaMismatchException first = differences.get(0);
    return differences.size() == 1
        ? first
        : new SchemaMismatchException(
            first.table(),
            first.column(),
            differences.stream().map(Throwable::getMessage).collect(Collectors.joining("\n")));
  }

  static SchemaMismatchException notCreatable(String table, IllegalArgumentException why) {
    return new SchemaMismatchException(
        table, "", "Table " + quote(table) + " cannot be created. " + why.getMessage());
  }

  static SchemaMismatchException nullability(String table, DeltaColumn column) {
    return new SchemaMismatchException(
        table,
        column.name(),
        "Column "
            + quote(column.name())
            + " must not be null in table "
            + quote(table)
            + ", but was: nullable. Declare it not null in the schema to write with.");
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

  static BatchRefusedException noRecord(
      String table, String sink, long batch, long recorded, String found) {
    return new BatchRefusedException(
        table,
        sink,
        batch,
        OptionalLong.of(recorded),
        "Batch "
            + batch
            + " of "
            + quote(sink)
            + " must show the plan that table "
            + quote(table)
            + " recorded for it (its last batch is "
            + recorded
            + "), but was: "
            + found
            + ". Use the checkpoint that belongs to the table, or another application id; nothing"
            + " was written.");
  }

  static BatchRefusedException notNext(
      String table, String sink, long batch, OptionalLong recorded) {
    return new BatchRefusedException(
        table,
        sink,
        batch,
        recorded,
        "Batch of "
            + quote(sink)
            + " must be "
            + (recorded.orElse(-1) + 1)
            + ", the next one of table "
            + quote(table)
            + ", but was: "
            + batch
            + ". The table lost batches, or it is another table; nothing was written.");
  }

  static ContentChangedException contentChanged(
      String table, DeltaRecord recorded, String content) {
    return new ContentChangedException(
        table,
        recorded.sink(),
        recorded.batch(),
        recorded.content(),
        content,
        "Content of batch "
            + recorded.batch()
            + " of "
            + quote(recorded.sink())
            + " must be "
            + recorded.content()
            + " as table "
            + quote(table)
            + " holds it, but was: "
            + content
            + ". The pipeline gave other rows for the same plan; make it deterministic. Nothing was"
            + " written.");
  }

  static CommitUnknownException unknown(String table, String what, Throwable cause) {
    return new CommitUnknownException(
        table,
        "Commit of "
            + what
            + " to table "
            + quote(table)
            + " must end with a known outcome, but was: unknown. Run the batch again: its record"
            + " tells whether it happened. Its files are kept.",
        cause);
  }

  static CommitConflictException conflict(
      String table, String what, int attempts, Throwable cause) {
    return new CommitConflictException(
        table,
        attempts,
        "Commit of "
            + what
            + " to table "
            + quote(table)
            + " must come before other writers once in "
            + attempts
            + " attempts, but was: always later. Run the batch again, or have fewer writers.",
        cause);
  }

  static StagedFileException stagedFile(String table, DataFile file, String found) {
    return new StagedFileException(
        table,
        file.path(),
        "Data file "
            + quote(file.path())
            + " must be in table "
            + quote(table)
            + " with "
            + file.size()
            + " bytes before it is committed, but was: "
            + found
            + ". Run the batch again to write it anew.");
  }

  static StagedFileException removedFile(String table, DataFile file) {
    return new StagedFileException(
        table,
        file.path(),
        "Data file "
            + quote(file.path())
            + " must still be in table "
            + quote(table)
            + " to be removed, but was: gone. Another writer rewrote it; plan the removal on the"
            + " current version.");
  }

  static OutsideOverwriteException outside(
      String table, DataFile file, PartitionPredicate partitions) {
    return new OutsideOverwriteException(
        table,
        file.partitionValues(),
        "Rows of an overwrite of table "
            + quote(table)
            + " must be in the partitions that it replaces, "
            + partitions
            + ", but was: a row with "
            + file.partitionValues()
            + ". Leave such rows out, or replace more partitions; nothing was written.");
  }

  static CommitUnknownException unknownRewrite(String table, Throwable cause) {
    return new CommitUnknownException(
        table,
        "Commit of rewritten files to table "
            + quote(table)
            + " must end with a known outcome, but was: unknown. Optimize the table again; rows are"
            + " there once either way. The new files are kept.",
        cause);
  }

  static DeltaTableException notCleaned(String table, Throwable cause) {
    return new DeltaTableException(
        table,
        "Files that are no part of table "
            + quote(table)
            + " must be found and deleted, but was: not possible ("
            + cause
            + "). Nothing that the table holds was deleted. Correct it and run it again.",
        cause);
  }

  static DeltaTableException noTable(String table) {
    return new DeltaTableException(
        table, "Table to work on must exist, but was: none at " + quote(table) + ".", null);
  }

  static DeltaTableException otherRows(String table, long expected, long rows) {
    return new DeltaTableException(
        table,
        "Rewritten files must hold the "
            + expected
            + " rows that the statistics of table "
            + quote(table)
            + " say, but was: "
            + rows
            + ". Nothing was committed. Find out which file's numRecords is wrong, and recompute"
            + " its statistics.",
        null);
  }

  static DeltaTableException vacuumed(String table, long version, NoSuchFileException cause) {
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

  static RestoredTableException restored(String table, String sink, long commit, long restore) {
    return new RestoredTableException(
        table,
        sink,
        restore,
        "Table "
            + quote(table)
            + " must hold all rows up to version "
            + commit
            + ", the last commit of "
            + quote(sink)
            + ", but was: restored to an older version by version "
            + restore
            + ". Restore it to version "
            + (restore - 1)
            + ", or start the application anew.");
  }

  static DamagedRecordException damaged(
      String table, String sink, long batch, String found, Throwable cause) {
    return new DamagedRecordException(
        table,
        sink,
        batch,
        "Record of batch "
            + batch
            + " of "
            + quote(sink)
            + " must be in the _idem directory of table "
            + quote(table)
            + " as the log names it, but was: "
            + found
            + ". Put the directory back from a copy of the table.",
        cause);
  }

  static IllegalArgumentException noTableToRead(String table) {
    return new IllegalArgumentException(
        "Table to read must exist, but was: none at " + quote(table) + ".");
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
