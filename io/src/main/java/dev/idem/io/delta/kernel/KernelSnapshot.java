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
import io.delta.kernel.Operation;
import io.delta.kernel.ScanBuilder;
import io.delta.kernel.SnapshotBuilder;
import io.delta.kernel.TableManager;
import io.delta.kernel.Transaction;
import io.delta.kernel.TransactionCommitResult;
import io.delta.kernel.data.Row;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.exceptions.CheckpointAlreadyExistsException;
import io.delta.kernel.exceptions.CommitStateUnknownException;
import io.delta.kernel.exceptions.ConcurrentTransactionException;
import io.delta.kernel.exceptions.ConcurrentWriteException;
import io.delta.kernel.exceptions.MaxCommitRetryLimitReachedException;
import io.delta.kernel.exceptions.MetadataChangedException;
import io.delta.kernel.exceptions.ProtocolChangedException;
import io.delta.kernel.expressions.Predicate;
import io.delta.kernel.hook.PostCommitHook;
import io.delta.kernel.internal.SnapshotImpl;
import io.delta.kernel.internal.TransactionImpl;
import io.delta.kernel.internal.actions.AddFile;
import io.delta.kernel.internal.actions.Metadata;
import io.delta.kernel.internal.actions.RemoveFile;
import io.delta.kernel.internal.actions.SetTransaction;
import io.delta.kernel.internal.actions.SingleAction;
import io.delta.kernel.internal.checksum.ChecksumUtils;
import io.delta.kernel.internal.checksum.ChecksumWriter;
import io.delta.kernel.internal.data.GenericRow;
import io.delta.kernel.internal.types.DataTypeJsonSerDe;
import io.delta.kernel.internal.util.IntervalParserUtils;
import io.delta.kernel.internal.util.VectorUtils;
import io.delta.kernel.transaction.UpdateTableTransactionBuilder;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.beam.sdk.annotations.Internal;

/** One version of a Delta table, and the commits that are built on it. */
@Internal
public final class KernelSnapshot {

  /* Kernel retries at once; what is still in conflict then is looked at anew by the caller. */
  private static final int RETRIES = 20;

  private static final String DELETION_VECTORS = "delta.enableDeletionVectors";

  private final Storage storage;
  private final Engine engine;
  private final Clock clock;
  private final SnapshotImpl snapshot;
  private final BatchCommitter committer;

  KernelSnapshot(
      Storage storage,
      Engine engine,
      Clock clock,
      SnapshotImpl snapshot,
      BatchCommitter committer) {
    this.storage = storage;
    this.engine = engine;
    this.clock = clock;
    this.snapshot = snapshot;
    this.committer = committer;
  }

  /** Returns the table version. */
  public long version() {
    return snapshot.getVersion();
  }

  /** Returns whether the version was committed at a time or before. */
  public boolean committedBy(Instant time) {
    return snapshot.getTimestamp(engine) <= time.toEpochMilli();
  }

  SnapshotBuilder at(SnapshotBuilder builder, Instant time) {
    return builder.atTimestamp(time.toEpochMilli(), snapshot);
  }

  /** Returns the table's id. */
  public String tableId() {
    return snapshot.getMetadata().getId();
  }

  /** Returns the schema as Delta schema JSON. */
  public String schemaJson() {
    return snapshot.getMetadata().getSchemaString();
  }

  /** Returns the partition columns. */
  public List<String> partitionColumns() {
    return snapshot.getPartitionColumnNames();
  }

  /** Returns the table properties. */
  public Map<String, String> properties() {
    return snapshot.getMetadata().getConfiguration();
  }

  /**
   * Returns for how long the table keeps transaction ids that are not written again, if not ever.
   */
  public Optional<Duration> transactionRetention() {
    return Optional.ofNullable(properties().get("delta.setTransactionRetentionDuration"))
        .map(
            interval -> Duration.ofMillis(IntervalParserUtils.safeParseIntervalAsMillis(interval)));
  }

  /** Returns the names of the reader and writer features that the protocol action lists. */
  public Set<String> features() {
    return snapshot.getProtocol().getReaderAndWriterFeatures();
  }

  /** Returns the version of a transaction id. */
  public Optional<Long> transaction(String id) {
    return snapshot.getLatestTransactionVersion(engine, id);
  }

  /** Throws what Kernel throws for a table that it cannot write to; writes nothing. */
  public void requireWritable() {
    snapshot.buildUpdateTableTransaction(KernelTable.ENGINE, Operation.WRITE).build(engine);
  }

  /** Returns the data files, with their statistics. */
  public List<KernelFile> files() {
    List<KernelFile> files = new ArrayList<>();
    forEachFile(files::add);
    return files;
  }

  /** Hands every data file, with its statistics, to {@code files}. */
  public void forEachFile(Consumer<KernelFile> files) {
    KernelScan.forEachFile(engine, snapshot.getScanBuilder().build(), files);
  }

  /**
   * Returns the data files that can hold wanted rows, with their statistics: all but those of which
   * bounds or partition values show that they cannot. Boolean, binary and floating columns leave
   * none out; without columns every file is returned. Kernel logs the ranges at level INFO.
   *
   * @throws IllegalArgumentException for a column that the table does not have, and for values that
   *     are not of its type
   */
  public List<KernelFile> files(KeyRanges wanted) {
    List<KernelFile> files = new ArrayList<>();
    Optional<Predicate> filter = FileFilter.of(snapshot.getSchema(), wanted);
    if (wanted.columns().values().stream().noneMatch(List::isEmpty)) {
      ScanBuilder scan = snapshot.getScanBuilder();
      if (filter.isPresent()) {
        scan = scan.withFilter(filter.get());
      }
      KernelScan.forEachFile(engine, scan.build(), files::add);
    }
    return files;
  }

  /** Returns whether the table had the same protocol, schema and properties at another version. */
  public boolean isDefinedAs(KernelSnapshot other) {
    return snapshot.getMetadata().equals(other.snapshot.getMetadata())
        && snapshot.getProtocol().equals(other.snapshot.getProtocol());
  }

  /** Returns a reader of the given columns, in that order. */
  public KernelScan scan(List<String> columns) {
    return new KernelScan(storage, engine, snapshot, columns);
  }

  /** Returns whether rows of the table may be deleted by {@link #deleteRows}. */
  public boolean takesDeletionVectors() {
    return Boolean.parseBoolean(properties().get(DELETION_VECTORS))
        && features().contains("deletionVectors");
  }

  /**
   * Marks rows of files of this snapshot as deleted: writes one file with the deletion vectors of
   * all, rows that were deleted before included, and returns the actions for a commit that is
   * planned on this snapshot. A file of which no row is left is removed; of one whose rows were all
   * deleted before, nothing is said. When this returns the file survives a power loss; if the
   * commit fails it is an orphan.
   *
   * @param deleted for each file, as this snapshot gave it, the positions of the rows as {@link
   *     KernelScan.Rows} counts them, in any order
   * @throws IllegalStateException if the table does not take deletion vectors
   * @throws IllegalArgumentException for a position that a file does not have
   * @throws NoSuchFileException if a file is gone whose rows must be counted for want of statistics
   */
  public List<KernelCommit.Action> deleteRows(Map<KernelFile, long[]> deleted) throws IOException {
    String table = storage.path("");
    if (!takesDeletionVectors()) {
      throw new IllegalStateException(
          ("Table must take deletion vectors for rows to be deleted, but was: \"%s\", with features"
                  + " %s and \"%s\" of %s. Set the property to true, or rewrite the files.")
              .formatted(table, features(), DELETION_VECTORS, properties().get(DELETION_VECTORS)));
    }
    RowDeletion deletion = new RowDeletion(engine, scan(List.of()), table);
    for (Map.Entry<KernelFile, long[]> rows : deleted.entrySet()) {
      deletion.delete(rows.getKey(), rows.getValue());
    }
    deletion.vectors().publish(storage);
    return deletion.actions();
  }

  /**
   * Commits on this snapshot, after other writers' commits if they do not conflict; a commit that
   * was planned on it is in conflict with every other one.
   *
   * @return the version of the commit
   */
  public long commit(KernelCommit commit) throws KernelConflictException {
    committer.prepare(commit, Optional.empty());
    return commitPrepared(commit);
  }

  /**
   * Commits files that take the place of others, under the name that such a commit has in a table's
   * history.
   *
   * @return the version of the commit
   */
  public long optimize(KernelCommit commit) throws KernelConflictException {
    committer.prepare(commit, Optional.of("OPTIMIZE"));
    return commitPrepared(commit);
  }

  private long commitPrepared(KernelCommit commit) throws KernelConflictException {
    try {
      Operation operation =
          commit.transaction().isPresent() ? Operation.STREAMING_UPDATE : Operation.WRITE;
      int retries = commit.planned() ? 0 : RETRIES;
      UpdateTableTransactionBuilder builder =
          snapshot
              .buildUpdateTableTransaction(KernelTable.ENGINE, operation)
              .withMaxRetries(retries);
      if (commit.transaction().isPresent()) {
        KernelCommit.Transaction id = commit.transaction().get();
        builder = builder.withTransactionId(id.id(), id.version());
      }
      Transaction transaction = builder.build(engine);
      if (commit.newSchema().isPresent()) {
        transaction = withNewSchema(commit, operation, retries);
      }
      TransactionCommitResult result =
          transaction.commit(
              engine,
              CloseableIterable.inMemoryIterable(
                  io.delta.kernel.internal.util.Utils.toCloseableIterator(
                      actions(commit).iterator())));
      checkpoint(result);
      return result.getVersion();
    } catch (ConcurrentTransactionException e) {
      throw new KernelConflictException(KernelConflictException.Kind.TRANSACTION, e);
    } catch (MetadataChangedException | ProtocolChangedException e) {
      throw new KernelConflictException(KernelConflictException.Kind.TABLE, e);
    } catch (ConcurrentWriteException e) {
      throw new KernelConflictException(KernelConflictException.Kind.FILES, e);
    } catch (CommitStateUnknownException e) {
      throw new KernelConflictException(KernelConflictException.Kind.UNKNOWN, e);
    } catch (MaxCommitRetryLimitReachedException e) {
      boolean busy =
          e.getCause() instanceof io.delta.kernel.commit.CommitFailedException failed
              && failed.isConflict();
      throw new KernelConflictException(
          busy ? KernelConflictException.Kind.BUSY : KernelConflictException.Kind.UNKNOWN, e);
    }
  }

  /*
   * Kernel's own way changes the schema of tables with column mapping only. The builder was asked
   * before, so that what it refuses is refused.
   */
  private Transaction withNewSchema(KernelCommit commit, Operation operation, int retries) {
    KernelCommit.NewSchema schema = commit.newSchema().orElseThrow();
    Metadata metadata =
        snapshot
            .getMetadata()
            .withNewSchema(DataTypeJsonSerDe.deserializeStructType(schema.json()));
    if (schema.maxFieldId() > 0) {
      metadata =
          metadata.withMergedConfiguration(
              Map.of(KernelCommit.MAX_FIELD_ID, Integer.toString(schema.maxFieldId())));
    }
    return new TransactionImpl(
        false,
        snapshot.getDataPath(),
        Optional.of(snapshot),
        KernelTable.ENGINE,
        operation,
        Optional.empty(),
        Optional.of(metadata),
        snapshot.getCommitter(),
        commit
            .transaction()
            .map(id -> new SetTransaction(id.id(), id.version(), Optional.of(clock.millis()))),
        Optional.empty(),
        Optional.of(retries),
        0,
        clock::millis);
  }

  private void checkpoint(TransactionCommitResult result) {
    for (PostCommitHook hook : result.getPostCommitHooks()) {
      if (hook.getType() == PostCommitHook.PostCommitHookType.CHECKPOINT) {
        try {
          // Not by the hook: it asks for its version by number, and Kernel removes expired log
          // entries only when it was asked for the latest one.
          SnapshotImpl latest =
              (SnapshotImpl) TableManager.loadSnapshot(storage.path("")).build(engine);
          latest.writeCheckpoint(engine);
          // From it the protocol and the schema are read, not from the files of the checkpoint.
          if (latest.getStatistics().getChecksumWriteMode().isPresent()) {
            // Without a list of the files: Kernel cannot write one of which some have a deletion
            // vector and some have none.
            new ChecksumWriter(latest.getLogPath())
                .writeCheckSum(
                    engine, ChecksumUtils.computeChecksum(engine, latest.getLogSegment(), false));
          }
        } catch (CheckpointAlreadyExistsException e) {
          // Another writer made it from the same entries.
        } catch (IOException e) {
          throw new UncheckedIOException(
              "Checkpoint of version "
                  + result.getVersion()
                  + " must be written: "
                  + storage.path(""),
              e);
        }
      }
    }
  }

  private List<Row> actions(KernelCommit commit) {
    long now = clock.millis();
    List<Row> rows = new ArrayList<>();
    for (KernelCommit.Transaction tie : commit.ties()) {
      // Spark forgets a transaction id without a time of update as soon as a retention is set.
      rows.add(
          SingleAction.createTxnSingleAction(
              new SetTransaction(tie.id(), tie.version(), Optional.of(now)).toRow()));
    }
    for (KernelCommit.Action action : commit.actions()) {
      rows.add(
          action.add()
              ? SingleAction.createAddFileSingleAction(add(action))
              : SingleAction.createRemoveFileSingleAction(remove(action, now)));
    }
    return rows;
  }

  static Row add(KernelCommit.Action action) {
    StructType schema = AddFile.FULL_SCHEMA;
    Map<Integer, Object> values = values(schema, action.file(), action.dataChange());
    AddFile added = action.file().added();
    if (added != null) {
      added
          .getDeletionVector()
          .ifPresent(vector -> values.put(schema.indexOf("deletionVector"), vector.toRow()));
      added.getBaseRowId().ifPresent(id -> values.put(schema.indexOf("baseRowId"), id));
      added
          .getDefaultRowCommitVersion()
          .ifPresent(version -> values.put(schema.indexOf("defaultRowCommitVersion"), version));
    }
    return new GenericRow(schema, values);
  }

  private static Row remove(KernelCommit.Action action, long now) {
    AddFile added = action.file().added();
    if (added != null) {
      return added.toRemoveFileRow(action.dataChange(), Optional.of(now));
    }
    StructType schema = RemoveFile.FULL_SCHEMA;
    Map<Integer, Object> values = values(schema, action.file(), action.dataChange());
    values.put(schema.indexOf("deletionTimestamp"), now);
    values.put(schema.indexOf("extendedFileMetadata"), true);
    return new GenericRow(schema, values);
  }

  private static Map<Integer, Object> values(
      StructType schema, KernelFile file, boolean dataChange) {
    Map<Integer, Object> values = new HashMap<>();
    values.put(schema.indexOf("path"), file.path());
    values.put(
        schema.indexOf("partitionValues"),
        VectorUtils.stringStringMapValue(file.partitionValues()));
    values.put(schema.indexOf("size"), file.size());
    values.put(schema.indexOf("dataChange"), dataChange);
    values.put(schema.indexOf("stats"), file.stats());
    if (!file.tags().isEmpty()) {
      values.put(schema.indexOf("tags"), VectorUtils.stringStringMapValue(file.tags()));
    }
    if (schema.indexOf("modificationTime") >= 0) {
      values.put(schema.indexOf("modificationTime"), file.modificationTime());
    }
    return values;
  }

  static StructType schema(String json) {
    return DataTypeJsonSerDe.deserializeStructType(json);
  }
}
