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

import dev.idem.io.delta.error.BatchRefusedException;
import dev.idem.io.delta.error.CommitConflictException;
import dev.idem.io.delta.error.CommitUnknownException;
import dev.idem.io.delta.error.ContentChangedException;
import dev.idem.io.delta.error.DamagedRecordException;
import dev.idem.io.delta.error.OutsideOverwriteException;
import dev.idem.io.delta.error.RestoredTableException;
import dev.idem.io.delta.error.StagedFileException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.PartitionPredicate;
import java.util.OptionalLong;

/** The wording of the failures of commits. */
public final class CommitErrors {

  private CommitErrors() {}

  private static String quote(String value) {
    return "\"" + value + "\"";
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

  /** Other writers came first in every attempt at a commit. */
  public static CommitConflictException conflict(
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
}
