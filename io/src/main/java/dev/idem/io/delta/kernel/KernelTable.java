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
package dev.idem.io.delta.kernel;

import dev.idem.io.file.Storage;
import io.delta.kernel.SnapshotBuilder;
import io.delta.kernel.TableManager;
import io.delta.kernel.defaults.engine.DefaultEngine;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.exceptions.CommitStateUnknownException;
import io.delta.kernel.exceptions.ConcurrentWriteException;
import io.delta.kernel.exceptions.KernelException;
import io.delta.kernel.exceptions.MaxCommitRetryLimitReachedException;
import io.delta.kernel.exceptions.TableAlreadyExistsException;
import io.delta.kernel.exceptions.TableNotFoundException;
import io.delta.kernel.expressions.Column;
import io.delta.kernel.internal.DeltaHistoryManager;
import io.delta.kernel.internal.SnapshotImpl;
import io.delta.kernel.internal.fs.Path;
import io.delta.kernel.internal.types.DataTypeJsonSerDe;
import io.delta.kernel.transaction.CreateTableTransactionBuilder;
import io.delta.kernel.transaction.DataLayoutSpec;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.beam.sdk.annotations.Internal;
import org.apache.hadoop.conf.Configuration;

/** One Delta table, seen through Delta Kernel. */
@Internal
public final class KernelTable {

  static final String ENGINE = "idem/0.1";
  private static final int ATTEMPTS = 10;

  private static final String LOG = "_delta_log";

  private final Storage storage;
  private final Engine engine;
  private final Clock clock;

  private KernelTable(Storage storage, Engine engine, Clock clock) {
    this.storage = storage;
    this.engine = engine;
    this.clock = clock;
  }

  /** Returns the table at a place, which need not exist. */
  public static KernelTable at(Storage storage, Map<String, String> configuration, Clock clock) {
    StorageFileIO files = new StorageFileIO(storage, hadoop(configuration));
    return new KernelTable(storage, DefaultEngine.create(files), clock);
  }

  static Configuration hadoop(Map<String, String> configuration) {
    Configuration hadoop = new Configuration(false);
    configuration.forEach(hadoop::set);
    return hadoop;
  }

  /** Returns the table's current snapshot, or nothing if there is no table. */
  public Optional<KernelSnapshot> load() {
    return load(UnaryOperator.identity());
  }

  /**
   * Returns the snapshot of a version, or nothing if there is no table.
   *
   * @throws KernelException if the log no longer reaches back to the version, or not yet to it
   */
  public Optional<KernelSnapshot> load(long version) {
    return load(builder -> builder.atVersion(version));
  }

  /**
   * Returns the last version that was committed at a time or before, or nothing if there is no
   * table.
   *
   * @throws KernelException if the log no longer reaches back to the time
   */
  public Optional<KernelSnapshot> load(Instant time) {
    Optional<KernelSnapshot> latest = load();
    // Kernel refuses times behind the last commit; at those the last version holds.
    return latest.isPresent() && latest.get().committedBy(time)
        ? latest
        : latest.flatMap(newest -> load(builder -> newest.at(builder, time)));
  }

  private Optional<KernelSnapshot> load(UnaryOperator<SnapshotBuilder> which) {
    try {
      if (storage.find(LOG).isEmpty()) {
        return Optional.empty();
      }
      BatchCommitter committer = new BatchCommitter();
      SnapshotImpl snapshot =
          (SnapshotImpl)
              which.apply(TableManager.loadSnapshot(path())).withCommitter(committer).build(engine);
      return Optional.of(new KernelSnapshot(storage, engine, clock, snapshot, committer));
    } catch (TableNotFoundException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("Log must be readable of table \"" + path() + "\".", e);
    }
  }

  /** Creates the table, unless it exists or another writer creates it meanwhile. */
  public void create(
      String schemaJson, List<String> partitionColumns, Map<String, String> properties) {
    StructType schema = DataTypeJsonSerDe.deserializeStructType(schemaJson);
    CreateTableTransactionBuilder builder =
        TableManager.buildCreateTableTransaction(path(), schema, ENGINE)
            .withTableProperties(properties);
    if (!partitionColumns.isEmpty()) {
      builder =
          builder.withDataLayoutSpec(
              DataLayoutSpec.partitioned(partitionColumns.stream().map(Column::new).toList()));
    }
    try {
      builder.build(engine).commit(engine, CloseableIterable.emptyIterable());
    } catch (TableAlreadyExistsException
        | ConcurrentWriteException
        | CommitStateUnknownException
        | MaxCommitRetryLimitReachedException e) {
      if (load().isEmpty()) {
        throw e;
      }
    }
  }

  /** Returns the history entry of {@code version}, or nothing if its JSON file is gone. */
  public Optional<LogEntry> entry(long version) {
    return LogEntry.read(storage, version);
  }

  /**
   * Returns every file below the table that its log keeps: those of all versions that can be read,
   * and those whose removal is not forgotten yet.
   */
  public Set<String> keptFiles() throws IOException {
    for (int attempt = 1; ; attempt++) {
      KernelSnapshot latest = load().orElseThrow();
      List<String> log = KeptFiles.log(storage, LOG);
      try {
        return KeptFiles.in(storage, engine, latest, log);
      } catch (IOException | RuntimeException e) {
        // Other writers clean the log up; what they remove is in a checkpoint that a new look
        // finds.
        if (attempt == ATTEMPTS || KeptFiles.log(storage, LOG).containsAll(log)) {
          throw e;
        }
      }
    }
  }

  /** Returns the time by the clock of this table. */
  public Instant now() {
    return clock.instant();
  }

  /**
   * Hands over what each version from {@code first} to {@code last} changed, in order, as long as
   * they are wanted.
   *
   * @throws KernelException if the log does not have one of them
   */
  public void forEachChange(long first, long last, Predicate<KernelChanges> goesOn) {
    KernelChanges.forEach(engine, path(), first, last, goesOn);
  }

  /** Returns the first version whose history entry the log still has; there must be a table. */
  public long earliestEntry() {
    return DeltaHistoryManager.getEarliestDeltaFile(
        engine, new Path(storage.path(LOG)), Optional.empty());
  }

  /** Forces the names of the log's entries to the disk. */
  public void forceLog() throws IOException {
    storage.forceDirectory(LOG);
  }

  private String path() {
    return storage.path("");
  }
}
