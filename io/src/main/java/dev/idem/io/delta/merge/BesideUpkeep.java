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

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.kernel.KernelCommit;
import dev.idem.io.delta.kernel.KernelCommit.Action;
import dev.idem.io.delta.kernel.KernelConflictException;
import dev.idem.io.delta.kernel.KernelFile;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.table.LogFiles;
import dev.idem.io.file.Storage;
import dev.idem.transforms.changes.TableMerge;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * What is forgotten is remembered by one row without a key, in the commit that removes it: a
 * property of the table would be a change of its metadata, which conflicts with every other commit,
 * and the parameters of a commit go when the log is cleaned up. Rows without a key are in a file of
 * their own, since every merge reads them.
 */
/**
 * The upkeep of the table beside: one commit that removes the rows that are older than the
 * retention, and makes one file of small ones.
 *
 * <p><b>Guarantee.</b> Rows of the batch that was merged last, and all that are not older than the
 * retention, stay. The latest sequence of all that ever went is kept, so that changes can be
 * suspected to be late. A merge that was planned before finds what it knew.
 *
 * <p><b>Replay.</b> A crash before the commit leaves files that no commit names; the next merge
 * plans anew. Every other commit comes first: then nothing is done until the next merge.
 *
 * <p><b>State and cost.</b> Nothing is read unless more than {@value #SMALL_FILES} files are small,
 * or all rows of one are too old; then those files are, by one process.
 */
final class BesideUpkeep {

  static final int SMALL_FILES = 16;

  private final MergeSpec spec;
  private final Clock clock;
  private final int smallFiles;
  private final Instant expiry;

  BesideUpkeep(MergeSpec spec, Clock clock) {
    this(spec, clock, SMALL_FILES);
  }

  BesideUpkeep(MergeSpec spec, Clock clock, int smallFiles) {
    this.spec = spec;
    this.clock = clock;
    this.smallFiles = smallFiles;
    this.expiry = clock.instant().minus(spec.retention());
  }

  /** Does what there is to do, and returns whether it did. */
  boolean run() throws IOException {
    Optional<KernelSnapshot> latest = spec.besideTable(clock).load();
    return latest.isPresent() && run(latest.get());
  }

  boolean run(KernelSnapshot snapshot) throws IOException {
    List<KernelFile> files = new ArrayList<>();
    int small = 0;
    boolean expired = false;
    for (KernelFile file : snapshot.files()) {
      boolean tooOld = BesideTable.committed(file).filter(expiry::isAfter).isPresent();
      boolean isSmall = file.size() < spec.beside().targetFileSize() / 2;
      expired |= tooOld;
      small += isSmall ? 1 : 0;
      if (tooOld || isSmall) {
        files.add(file);
      }
    }
    return (expired || small > smallFiles) && rewrite(snapshot, files);
  }

  private boolean rewrite(KernelSnapshot snapshot, List<KernelFile> files) throws IOException {
    Rewriting rewriting = new Rewriting();
    List<DataFile> written = new ArrayList<>();
    try (DataFileWriter keyed = DataFileWriter.open(spec.beside());
        DataFileWriter withoutKey = DataFileWriter.open(spec.beside())) {
      BesideTable.Reader reader = rewriting.table.reader(snapshot);
      for (KernelFile file : files) {
        reader.readRows(reader.handle(file), (at, row) -> rewriting.take(row, keyed, withoutKey));
      }
      if (rewriting.forgotten != null) {
        withoutKey.write(rewriting.table.row(rewriting.forgotten, clock.instant()));
      }
      written.addAll(keyed.finish());
      written.addAll(withoutKey.finish());
    }
    return commit(snapshot, files, written, rewriting.removed);
  }

  /** Divides rows into those that stay and those that go. */
  private final class Rewriting {
    private final BesideTable table = new BesideTable(spec);
    private @Nullable Row forgotten;
    private long removed;

    void take(Row row, DataFileWriter keyed, DataFileWriter withoutKey) {
      TableMerge merge = spec.merge();
      Row change = table.change(row);
      boolean expired = BesideTable.committed(row).isBefore(expiry) && !table.isOwn(row);
      try {
        if (merge.isForgotten(change)) {
          forgotten = merge.later(forgotten, change);
        } else if (expired) {
          forgotten = merge.later(forgotten, merge.forgotten(change));
          removed++;
        } else if (merge.isTruncate(change)) {
          withoutKey.write(row);
        } else {
          keyed.write(row);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(
            "Changes must be rewritten in table \"" + spec.beside().tablePath() + "\".", e);
      }
    }
  }

  private boolean commit(
      KernelSnapshot snapshot, List<KernelFile> removed, List<DataFile> written, long rows) {
    List<Action> actions = new ArrayList<>();
    removed.forEach(file -> actions.add(new Action(file, false, true)));
    written.forEach(file -> actions.add(new Action(LogFiles.kernelFile(file), true, true)));
    try {
      snapshot.commit(
          new KernelCommit(
              Optional.empty(),
              List.of(),
              actions,
              Optional.empty(),
              true,
              Map.of("mode", "Upkeep", "retention", spec.retention().toString()),
              Map.of(
                  "numRemovedFiles", Integer.toString(removed.size()),
                  "numAddedFiles", Integer.toString(written.size()),
                  "numDeletedRows", Long.toString(rows)),
              ""));
      return true;
    } catch (KernelConflictException e) {
      // The next merge tries again. What may have been committed must not be deleted.
      if (e.kind() != KernelConflictException.Kind.UNKNOWN) {
        Storage storage =
            Storage.at(
                "Table path", spec.beside().tablePath(), spec.beside().hadoopConfiguration());
        LogFiles.delete(storage, written.stream().map(DataFile::path).toList());
      }
      return false;
    }
  }
}
