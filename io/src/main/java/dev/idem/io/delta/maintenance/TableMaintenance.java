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
package dev.idem.io.delta.maintenance;

import dev.idem.io.delta.error.CommitUnknownException;
import dev.idem.io.delta.error.DeltaTableException;
import dev.idem.io.delta.error.UnusableTableException;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.delta.table.TableChecks;
import dev.idem.io.delta.table.TableErrors;
import dev.idem.io.file.Storage;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * What keeps a Delta table fast and small: {@link #optimize} makes few large files of many small
 * ones, {@link #clean} deletes files that no version holds. Neither changes the table's rows.
 *
 * <pre>{@code
 * TableMaintenance orders = TableMaintenance.at("/data/orders", Map.of());
 * orders.optimize(OptimizeSpec.ofDefaults());
 * orders.clean(CleanSpec.olderThan(Duration.ofDays(7)));
 * }</pre>
 */
public final class TableMaintenance {

  private final Storage storage;
  private final KernelTable table;
  private final Map<String, String> hadoopConfiguration;

  private TableMaintenance(
      Storage storage, KernelTable table, Map<String, String> hadoopConfiguration) {
    this.storage = storage;
    this.table = table;
    this.hadoopConfiguration = Map.copyOf(hadoopConfiguration);
  }

  /**
   * Returns the maintenance of the table at a path.
   *
   * @param path a local path, or a URI of a scheme that is supported
   * @param hadoopConfiguration settings for Parquet and its codecs
   */
  public static TableMaintenance at(String path, Map<String, String> hadoopConfiguration) {
    return at(path, hadoopConfiguration, Clock.systemUTC());
  }

  /**
   * Returns the maintenance of the table at a path.
   *
   * @param clock the clock that commits are stamped by, and the age of files is taken by
   */
  public static TableMaintenance at(
      String path, Map<String, String> hadoopConfiguration, Clock clock) {
    Storage storage = Storage.at("Table path", path, hadoopConfiguration);
    return new TableMaintenance(
        storage, KernelTable.at(storage, hadoopConfiguration, clock), hadoopConfiguration);
  }

  /**
   * Rewrites small files, and files of which many rows are deleted, into few large ones.
   *
   * <p><b>Guarantee.</b> No row is changed, lost or doubled, and readers of older versions read on:
   * the rows stay in their partitions, and the commits say that no data changed. It yields to every
   * other commit: a group of files is left as it is if another writer changed or removed one of
   * them, or the table's schema, properties or protocol, since it was read. Appends never make it
   * do more than commit again. Batch ids, and what a checkpoint agrees on with the table, stay.
   *
   * <p><b>Replay.</b> A crash leaves new files that no commit names, and the groups that were
   * committed before; the next run plans anew. Files that were replaced stay in place, for older
   * versions, until VACUUM takes them.
   *
   * <p><b>Requirements.</b> Those of {@link DeltaTable#commit}; and no row tracking, since rows
   * would get other ids.
   *
   * <p><b>State and cost.</b> Rows are streamed: memory holds a row group of one file, and the
   * names and statistics of the table's files. One commit for each new file. With {@link
   * OptimizeSpec#clusterBy} memory holds 64 MiB of rows besides, and a directory below {@code
   * java.io.tmpdir} the rows of one partition, at times twice; a process that is killed leaves it.
   * One commit for each partition.
   *
   * @throws DeltaTableException if there is no table
   * @throws UnusableTableException if the table has a feature that would not be honoured
   * @throws IllegalArgumentException if the predicate is not one on the table's partition columns,
   *     or files have no bounds of a column to cluster by
   * @throws CommitUnknownException if it cannot be told whether a commit happened
   */
  public OptimizeResult optimize(OptimizeSpec spec) {
    return Optimize.of(storage, table, hadoopConfiguration, spec).run();
  }

  /**
   * Deletes orphans: data files and deletion vectors that are in no version which the log still
   * reaches, and of which it keeps no removal; and what merges put below {@code _idem/merge}.
   * Attempts that failed or were killed leave them.
   *
   * <p><b>Guarantee.</b> What any version holds that the log reaches is left alone, and so are
   * files younger than the given age, directories and files whose names begin with an underscore or
   * a dot, other tables below this one, links, and files that are no data files by their name.
   * Files that a commit removed from the table stay until the log forgets them, or VACUUM takes
   * them.
   *
   * <p><b>Replay.</b> A crash leaves some orphans; the same call deletes the rest.
   *
   * <p><b>Requirements.</b> No batch takes longer than the age between writing its files and
   * committing them; no other table refers to the orphans, as a shallow clone does to files of
   * versions that the log no longer reaches.
   *
   * <p><b>State and cost.</b> Lists all directories and reads the whole log; holds the names of all
   * files that the log names.
   *
   * @throws DeltaTableException if there is no table, or a file cannot be deleted
   * @throws UnusableTableException if the table has a feature that could refer to files in ways
   *     that are not known here
   */
  public CleanResult clean(CleanSpec spec) {
    KernelSnapshot snapshot =
        TableChecks.load(table, path()).orElseThrow(() -> TableErrors.noTable(path()));
    TableChecks.refuseUnusable(snapshot, path(), Optional.of(Duration.ZERO));
    try {
      // First the files, then the log: what is committed meanwhile is found in it.
      SortedMap<String, Long> orphans =
          OrphanFiles.changedBefore(table.now().minus(spec.olderThan()), storage);
      orphans.keySet().removeAll(table.keptFiles());
      for (String orphan : spec.dryRun() ? Set.<String>of() : orphans.keySet()) {
        storage.delete(orphan);
      }
      return new CleanResult(
          List.copyOf(orphans.keySet()),
          orphans.values().stream().mapToLong(Long::longValue).sum());
    } catch (IOException e) {
      throw TableErrors.notCleaned(path(), e);
    }
  }

  private String path() {
    return storage.path("");
  }
}
