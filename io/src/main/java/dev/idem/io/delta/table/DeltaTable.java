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
import dev.idem.io.delta.error.DeltaTableException;
import dev.idem.io.delta.error.OutsideOverwriteException;
import dev.idem.io.delta.error.RestoredTableException;
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.error.StagedFileException;
import dev.idem.io.delta.error.UnusableTableException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.PartitionFilter;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.SchemaJson;
import dev.idem.io.delta.schema.TableNames;
import dev.idem.io.file.Storage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.beam.sdk.annotations.Internal;
import org.apache.beam.sdk.util.Sleeper;

/**
 * A Delta table, as the driver of a batch sees it: it commits batches, once each, and tells which
 * ones the table holds.
 *
 * <p><b>Guarantee.</b> A batch id of a sink is committed at most once. A replay with the plan and
 * content of the commit is {@link CommitOutcome.AlreadyCommitted}; anything else under a batch id
 * that is not above the recorded one is refused. A commit is all or nothing, and on the disk when
 * {@link #commit} returns.
 *
 * <p><b>Replay.</b> A crash before the log entry leaves data files and a side file that no reader
 * and no record sees; the replay commits its own. A crash after it leaves a committed batch; the
 * replay finds its record. After an error the commit waits and looks at the table again, five times
 * at most: what it finds there tells whether it had happened.
 *
 * <p><b>Requirements.</b> A place that publishes a file if its name is free, as {@link Storage}
 * says. Writers other than this library must not write to the table at the same time unless they,
 * too, never replace a version file.
 *
 * <p><b>State and cost.</b> Two transaction ids a sink in the table's log; the last 100 records of
 * a sink as side files in {@code _idem}; a checkpoint of the log every 10 versions. A commit costs
 * a listing of the log and five forced writes.
 *
 * <p><b>Errors.</b> See {@link #commit}.
 */
public final class DeltaTable {

  /** The directory below a table for what merges into it need until they are done. */
  @Internal public static final String MERGE_DIRECTORY = "_idem/merge/";

  private final Storage storage;
  private final KernelTable table;
  private final RecordStore records;
  private final Optional<Duration> transactionRetention;
  private final Sleeper sleeper;
  private final SchemaEvolution evolution;

  private DeltaTable(
      Storage storage,
      KernelTable table,
      Optional<Duration> transactionRetention,
      Sleeper sleeper,
      SchemaEvolution evolution) {
    this.storage = storage;
    this.table = table;
    this.records = new RecordStore(storage);
    this.transactionRetention = transactionRetention;
    this.sleeper = sleeper;
    this.evolution = evolution;
  }

  /**
   * Returns the table at a path, whether or not it exists.
   *
   * @param path a local path, or a URI of a scheme that is supported
   * @param hadoopConfiguration settings for Parquet and its codecs
   */
  public static DeltaTable at(String path, Map<String, String> hadoopConfiguration) {
    return at(path, hadoopConfiguration, Clock.systemUTC());
  }

  /**
   * Returns the table at a path, whether or not it exists.
   *
   * @param clock the clock that commits are stamped by
   */
  public static DeltaTable at(String path, Map<String, String> hadoopConfiguration, Clock clock) {
    Storage storage = Storage.at("Table path", path, hadoopConfiguration);
    return new DeltaTable(
        storage,
        KernelTable.at(storage, hadoopConfiguration, clock),
        Optional.empty(),
        Sleeper.DEFAULT,
        SchemaEvolution.NONE);
  }

  /** Returns this table with another way to wait after failures of storage. */
  DeltaTable withSleeper(Sleeper other) {
    return new DeltaTable(storage, table, transactionRetention, other, evolution);
  }

  /**
   * Returns this table, accepted also if it has {@code delta.setTransactionRetentionDuration}, by
   * which Spark forgets transaction ids that were not written again for so long. A batch that is
   * replayed after that is committed again. Default: such a table is refused.
   *
   * @param atLeast the shortest retention that is accepted: no replay comes later
   */
  public DeltaTable acceptTransactionRetention(Duration atLeast) {
    return new DeltaTable(storage, table, Optional.of(atLeast), sleeper, evolution);
  }

  /**
   * Returns this table as one whose schema a commit may change for the rows that it adds. Default:
   * {@link SchemaEvolution#NONE}.
   */
  public DeltaTable evolving(SchemaEvolution changes) {
    return new DeltaTable(storage, table, transactionRetention, sleeper, changes);
  }

  private Optional<KernelSnapshot> load() {
    return TableChecks.load(table, path());
  }

  /** Returns the table's path. */
  public String path() {
    return storage.path("");
  }

  /** Returns the current version, or nothing if there is no table. */
  public Optional<TableState> state() {
    return load()
        .map(
            snapshot ->
                new TableState(
                    snapshot.version(),
                    snapshot.tableId(),
                    snapshot.schemaJson(),
                    snapshot.partitionColumns(),
                    snapshot.properties()));
  }

  /** Returns the data files of the current version, with their statistics. */
  public List<DataFile> files() {
    return load()
        .map(snapshot -> snapshot.files().stream().map(LogFiles::dataFile).toList())
        .orElse(List.of());
  }

  /**
   * Returns the data files of the current version that are in some partitions.
   *
   * @throws IllegalArgumentException if the predicate is not one on the table's partition columns
   */
  public List<DataFile> files(PartitionPredicate partitions) {
    return table
        .load()
        .map(
            snapshot -> {
              PartitionFilter filter =
                  PartitionFilter.of(
                      path(),
                      SchemaJson.read(snapshot.schemaJson()),
                      snapshot.partitionColumns(),
                      partitions);
              return snapshot.files().stream()
                  .filter(file -> filter.accepts(file.partitionValues()))
                  .map(LogFiles::dataFile)
                  .toList();
            })
        .orElse(List.of());
  }

  /**
   * Refuses a table with a feature that would not be honoured; call it before anything is written.
   *
   * @throws UnusableTableException naming the feature
   */
  public void refuseUnusable() {
    load()
        .ifPresent(snapshot -> TableChecks.refuseUnusable(snapshot, path(), transactionRetention));
  }

  /**
   * Returns how to write the files of a specification so that they fit the table: under its names
   * of the columns, which may differ in case from those of the rows. Columns that the commit will
   * add have the names that it will give them. Without a table it stays as it is.
   */
  public DataFileSpec fitted(DataFileSpec spec) {
    return load().map(snapshot -> fitted(snapshot, spec)).orElse(spec);
  }

  private DataFileSpec fitted(KernelSnapshot snapshot, DataFileSpec spec) {
    return spec.under(
        schemaIn(evolved(snapshot, spec.schemaJson()), spec.schemaJson()),
        partitionsIn(snapshot, spec.partitionColumns()));
  }

  private EvolvedSchema evolved(KernelSnapshot snapshot, String schemaJson) {
    return EvolvedSchema.of(snapshot, schemaJson, evolution);
  }

  private static String schemaIn(EvolvedSchema evolved, String schemaJson) {
    return SchemaJson.write(TableNames.of(evolved.columns(), SchemaJson.read(schemaJson)));
  }

  /**
   * Returns what a commit of rows would change of the table's schema, as a user reads it; nothing
   * if there is no table yet.
   *
   * @param schemaJson the Delta schema of the rows
   */
  public List<String> schemaChanges(String schemaJson) {
    return evolution == SchemaEvolution.NONE
        ? List.of()
        : load().map(snapshot -> evolved(snapshot, schemaJson).changes()).orElse(List.of());
  }

  private static List<String> partitionsIn(KernelSnapshot snapshot, List<String> columns) {
    List<DeltaColumn> table = SchemaJson.read(snapshot.schemaJson());
    return columns.stream().map(name -> TableNames.of(table, name)).toList();
  }

  /**
   * Refuses files that {@link #commit} would refuse, by their schema; call it before anything is
   * written.
   *
   * @param schemaJson the Delta schema of the rows; {@link #fitted} gives its columns the table's
   *     names
   * @param partitionColumns the partition columns, in order
   * @throws UnusableTableException if the table has a feature that would not be honoured
   * @throws SchemaMismatchException if the files do not fit the table, or if there is none and none
   *     can be created for them
   */
  public void requireFit(String schemaJson, List<String> partitionColumns) {
    Optional<KernelSnapshot> snapshot = load();
    if (snapshot.isPresent()) {
      TableChecks.refuseUnusable(snapshot.get(), path(), transactionRetention);
      EvolvedSchema evolved = evolved(snapshot.get(), schemaJson);
      TableChecks.requireFit(
          snapshot.get(),
          evolved,
          path(),
          schemaIn(evolved, schemaJson),
          partitionsIn(snapshot.get(), partitionColumns));
    } else {
      TableChecks.requireCreatable(path(), schemaJson, partitionColumns);
    }
  }

  /**
   * Refuses an overwrite that {@link #commit} would refuse whatever its rows are; call it before
   * anything is written. A table that does not exist yet is not asked.
   *
   * @throws UnusableTableException if the table does not let rows leave: one that is append-only,
   *     or has a change data feed
   * @throws IllegalArgumentException if the predicate is not one on the table's partition columns
   */
  public void requireOverwrite(PartitionPredicate partitions) {
    table.load().ifPresent(snapshot -> TableChecks.overwrite(snapshot, path(), partitions));
  }

  /**
   * Commits a batch, and creates the table first if there is none.
   *
   * @throws UnusableTableException if the table has a feature that would not be honoured
   * @throws SchemaMismatchException if the files do not fit the table
   * @throws BatchRefusedException if the batch id is not above the recorded one and no kept record
   *     shows its plan, or leaves a gap under {@link DeltaCommit#withoutGaps}
   * @throws RestoredTableException under {@link DeltaCommit#withoutGaps}, if the table was restored
   *     to a version before the sink's last commit
   * @throws ContentChangedException if the record shows the plan with other content
   * @throws OutsideOverwriteException if a row is in none of the partitions that {@link
   *     DeltaCommit#overwriting} replaces
   * @throws StagedFileException if a file to add is not there, or one to remove is no longer
   * @throws CommitConflictException if other writers came first each time
   * @throws CommitUnknownException if it cannot be told whether the commit happened
   */
  public CommitOutcome commit(DeltaCommit commit) {
    return commit(commit, snapshot -> List.of(), false);
  }

  /**
   * Commits a batch with what is planned anew on every version that the commit is tried on. See
   * {@link #commit(DeltaCommit)}.
   */
  @Internal
  public CommitOutcome commit(DeltaCommit commit, FilePlan plan) {
    return commit(commit, plan, true);
  }

  private CommitOutcome commit(DeltaCommit commit, FilePlan plan, boolean planned) {
    return new BatchCommit(
            storage,
            table,
            records,
            transactionRetention,
            sleeper,
            evolution,
            commit,
            plan,
            planned)
        .run();
  }

  /**
   * Creates the table if there is none; else changes its schema for rows where they need it, as far
   * as it {@link #evolving may be changed}.
   *
   * @param properties what the table has if it is created
   */
  @Internal
  public void prepare(
      String schemaJson, List<String> partitionColumns, Map<String, String> properties) {
    new PlainAppend(
            storage, table, schemaJson, partitionColumns, properties, List.of(), sleeper, evolution)
        .run();
  }

  /**
   * Commits files without a batch id: a replay of the same call adds the same rows again under
   * other names.
   *
   * @return the version of the commit
   */
  public long append(String schemaJson, List<String> partitionColumns, List<DataFile> files) {
    return new PlainAppend(
            storage, table, schemaJson, partitionColumns, Map.of(), files, sleeper, evolution)
        .run();
  }

  /**
   * Returns the record of the last batch of a sink, if the table holds one.
   *
   * @throws DamagedRecordException if the log names a record that is missing or changed
   */
  public Optional<DeltaRecord> record(String sink) {
    return load()
        .flatMap(snapshot -> records.latest(snapshot, sink))
        .map(RecordStore.Entry::record)
        .map(this::durable);
  }

  /** Returns the record of one batch of a sink, if it is one of those kept. */
  public Optional<DeltaRecord> record(String sink, long batch) {
    return load()
        .flatMap(snapshot -> records.find(snapshot, sink, batch))
        .map(RecordStore.Entry::record)
        .map(this::durable);
  }

  /* Who asks for a record goes on from it, so the entry behind it must survive a power loss. */
  private DeltaRecord durable(DeltaRecord record) {
    try {
      table.forceLog();
    } catch (IOException e) {
      throw new UncheckedIOException("Log must be forced in table \"" + path() + "\".", e);
    }
    return record;
  }

  /** Returns the sinks of which the table holds a record. */
  public Set<String> sinks() {
    Optional<KernelSnapshot> snapshot = load();
    Set<String> sinks = new TreeSet<>();
    if (snapshot.isPresent()) {
      for (String sink : records.sinks()) {
        if (records.latest(snapshot.get(), sink).isPresent()) {
          sinks.add(sink);
        }
      }
    }
    return sinks;
  }

  /**
   * Returns whether the table was restored to a version before the last commit of a sink: its
   * transaction ids stay while rows go.
   */
  public boolean behind(String sink) {
    return load().flatMap(snapshot -> TakenBack.find(table, snapshot, sink)).isPresent();
  }

  /**
   * Refuses a table that is {@link #behind}.
   *
   * @throws RestoredTableException naming the version of the RESTORE
   */
  public void refuseRestored(String sink) {
    load().ifPresent(snapshot -> TakenBack.refuse(path(), table, snapshot, sink));
  }

  /**
   * Deletes files that were written for this table and are in none of its versions, for example
   * those of an attempt whose batch another attempt committed.
   *
   * @return how many were deleted
   * @throws DeltaTableException if a file cannot be deleted
   */
  public int discard(List<DataFile> files) {
    return new DiscardedFiles(storage, table).discard(files);
  }

  /**
   * Deletes the files that the commit of a batch removed, for a table whose older versions nobody
   * reads. They are taken from the log: no attempt that is still at work can add one of them, and
   * after a crash the same call deletes what is left.
   *
   * @return how many were deleted
   * @throws DeltaTableException if a file cannot be deleted
   */
  public int discardRemoved(String sink, long batch) {
    return new DiscardedFiles(storage, table).discardRemoved(sink, batch);
  }
}
