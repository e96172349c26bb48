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

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.idem.io.delta.error.BatchRefusedException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.PartitionFilter;
import dev.idem.io.delta.kernel.KernelCommit;
import dev.idem.io.delta.kernel.KernelConflictException;
import dev.idem.io.delta.kernel.KernelFile;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.delta.kernel.LogEntry;
import dev.idem.io.delta.schema.TableSchema;
import dev.idem.io.file.Storage;
import dev.idem.io.file.StoredFile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.apache.beam.sdk.util.Sleeper;

/*
 * Every round looks at the table anew: is the batch there, may it come, do its files fit. Whatever
 * the outcome of an attempt, the next round can tell, because transaction id and record say so. The
 * record is forced before the entry that refers to it; data files were forced by their writers.
 */
/** The commit of one batch to one table. */
final class BatchCommit {

  private static final int ROUNDS = 10;

  /* Each other commit in between costs a planned one a round, where Kernel retries an append. */
  private static final int PLANNED_ROUNDS = 200;
  private static final JsonMapper JSON = new JsonMapper();

  private final Storage storage;
  private final KernelTable table;
  private final RecordStore records;
  private final Optional<Duration> transactionRetention;
  private final Sleeper sleeper;
  private final DeltaCommit commit;
  private final SchemaEvolution evolution;
  private final FilePlan plan;

  /** Whether what is planned on a version means nothing on the next. */
  private final boolean planned;

  /** By it an attempt knows its own commit again; what is committed does not depend on it. */
  private final String attempt = UUID.randomUUID().toString();

  /** The record that an earlier round may have committed, negative if none has come so far. */
  private long pending = -1;

  BatchCommit(
      Storage storage,
      KernelTable table,
      RecordStore records,
      Optional<Duration> transactionRetention,
      Sleeper sleeper,
      SchemaEvolution evolution,
      DeltaCommit commit,
      FilePlan plan,
      boolean planned) {
    this.storage = storage;
    this.table = table;
    this.records = records;
    this.transactionRetention = transactionRetention;
    this.sleeper = sleeper;
    this.commit = commit;
    this.evolution = evolution;
    this.plan = plan;
    this.planned = planned || commit.overwritten().isPresent();
  }

  CommitOutcome run() {
    int rounds = planned ? PLANNED_ROUNDS : ROUNDS;
    return new CommitRounds(path(), what(), rounds, sleeper).run(this::round);
  }

  private CommitOutcome round() throws KernelConflictException, IOException {
    KernelSnapshot snapshot =
        loadOrCreate(
            path(),
            table,
            commit.schemaJson(),
            commit.partitionColumns(),
            commit.tableProperties());
    Optional<Long> recorded = snapshot.transaction(commit.sink());
    if (pending >= 0 && isOwn(snapshot, recorded, pending)) {
      return new CommitOutcome.Committed(versionOf(snapshot, pending));
    }
    TableChecks.refuseUnusable(snapshot, path(), transactionRetention);
    EvolvedSchema evolved = EvolvedSchema.of(snapshot, commit.schemaJson(), evolution);
    TableChecks.requireFit(
        snapshot, evolved, path(), commit.schemaJson(), commit.partitionColumns());
    if (recorded.isPresent() && recorded.get() >= commit.batch()) {
      return alreadyCommitted(snapshot, recorded.get());
    }
    requireNext(recorded);
    if (commit.strict()) {
      TakenBack.refuse(path(), table, snapshot, commit.sink());
    }
    if (planned || !commit.removed().isEmpty()) {
      TableChecks.refuseRemoval(snapshot, path());
    }
    requireStaged(storage, commit.added());
    requireStaged(storage, commit.rewrittenTo());
    requireHeld(snapshot);
    List<KernelFile> replaced = replaced(snapshot);
    List<KernelCommit.Action> moves = plan.on(snapshot);
    long hash = records.write(record(snapshot), records.latest(snapshot, commit.sink()), attempt);
    pending = hash;
    long version = snapshot.commit(kernelCommit(hash, replaced, moves, evolved));
    records.prune(commit.sink(), commit.keptRecords());
    return new CommitOutcome.Committed(version);
  }

  private String path() {
    return storage.path("");
  }

  private String what() {
    return "batch " + commit.batch() + " of \"" + commit.sink() + "\"";
  }

  static KernelSnapshot loadOrCreate(
      String path,
      KernelTable table,
      String schemaJson,
      List<String> partition,
      Map<String, String> properties) {
    Optional<KernelSnapshot> snapshot = TableChecks.load(table, path);
    if (snapshot.isPresent()) {
      return snapshot.get();
    }
    TableSchema.of(schemaJson, partition).requireNames();
    table.create(schemaJson, partition, properties);
    return table.load().orElseThrow();
  }

  private boolean isOwn(KernelSnapshot snapshot, Optional<Long> recorded, long hash) {
    return recorded.equals(Optional.of(commit.batch()))
        && RecordStore.tie(snapshot, commit.sink()).equals(Optional.of(hash));
  }

  private long versionOf(KernelSnapshot snapshot, long hash) throws IOException {
    // The attempt that wrote the entry may have failed while forcing it.
    table.forceLog();
    String tie = RecordStore.tie(commit.sink(), hash).id();
    for (long version = snapshot.version(); version >= 0; version--) {
      Optional<LogEntry> entry = table.entry(version);
      if (entry.isEmpty() || entry.get().transactions().getOrDefault(tie, -1L) == hash) {
        return version;
      }
    }
    return snapshot.version();
  }

  private CommitOutcome alreadyCommitted(KernelSnapshot snapshot, long recorded)
      throws IOException {
    DeltaRecord found =
        records
            .find(snapshot, commit.sink(), commit.batch())
            .orElseThrow(() -> refuse(recorded, "no record of it"))
            .record();
    if (!found.plan().equals(commit.plan())) {
      throw refuse(recorded, "another plan, " + found.plan() + " instead of " + commit.plan());
    }
    if (!found.epoch().equals(commit.epoch())) {
      throw refuse(recorded, "another life of the checkpoint, " + found.epoch());
    }
    if (!found.content().equals(commit.content())) {
      throw CommitErrors.contentChanged(path(), found, commit.content());
    }
    table.forceLog();
    return new CommitOutcome.AlreadyCommitted(snapshot.version(), found);
  }

  private BatchRefusedException refuse(long recorded, String found) {
    return CommitErrors.noRecord(path(), commit.sink(), commit.batch(), recorded, found);
  }

  private void requireNext(Optional<Long> recorded) {
    if (commit.strict() && commit.batch() != recorded.orElse(-1L) + 1) {
      throw CommitErrors.notNext(
          path(),
          commit.sink(),
          commit.batch(),
          recorded.map(OptionalLong::of).orElse(OptionalLong.empty()));
    }
  }

  static void requireStaged(Storage table, List<DataFile> files) throws IOException {
    for (DataFile file : files) {
      Optional<StoredFile> staged = table.find(LogFiles.name(file.path()));
      if (staged.isEmpty() || staged.get().directory()) {
        throw CommitErrors.stagedFile(table.path(""), file, "missing");
      }
      long size = staged.get().size();
      if (size != file.size()) {
        throw CommitErrors.stagedFile(table.path(""), file, size + " bytes");
      }
    }
  }

  /* A removal planned on an older version would leave rows twice if they had moved since. */
  private void requireHeld(KernelSnapshot snapshot) {
    if (commit.removed().isEmpty() && commit.rewrittenFrom().isEmpty()) {
      return;
    }
    Set<String> held = new HashSet<>();
    snapshot.files().forEach(file -> held.add(file.path()));
    for (List<DataFile> files : List.of(commit.removed(), commit.rewrittenFrom())) {
      for (DataFile file : files) {
        if (!held.contains(file.path())) {
          throw CommitErrors.removedFile(path(), file);
        }
      }
    }
  }

  /* What is replaced is what the snapshot holds that the commit is built on. */
  private List<KernelFile> replaced(KernelSnapshot snapshot) {
    if (commit.overwritten().isEmpty()) {
      return List.of();
    }
    PartitionFilter filter = TableChecks.overwrite(snapshot, path(), commit.overwritten().get());
    for (List<DataFile> files : List.of(commit.added(), commit.rewrittenTo())) {
      for (DataFile file : files) {
        if (!filter.accepts(file.partitionValues())) {
          throw CommitErrors.outside(path(), file, commit.overwritten().get());
        }
      }
    }
    return snapshot.files().stream()
        .filter(file -> filter.accepts(file.partitionValues()))
        .toList();
  }

  private DeltaRecord record(KernelSnapshot snapshot) {
    return new DeltaRecord(
        commit.sink(),
        commit.batch(),
        commit.plan(),
        commit.content(),
        commit.epoch(),
        snapshot.tableId(),
        commit.body());
  }

  private KernelCommit kernelCommit(
      long hash,
      List<KernelFile> replaced,
      List<KernelCommit.Action> moves,
      EvolvedSchema evolved) {
    List<KernelCommit.Action> actions = new ArrayList<>(moves);
    replaced.forEach(file -> actions.add(new KernelCommit.Action(file, false, true)));
    commit
        .removed()
        .forEach(f -> actions.add(new KernelCommit.Action(LogFiles.kernelFile(f), false, true)));
    commit
        .rewrittenFrom()
        .forEach(f -> actions.add(new KernelCommit.Action(LogFiles.kernelFile(f), false, false)));
    commit
        .added()
        .forEach(f -> actions.add(new KernelCommit.Action(LogFiles.kernelFile(f), true, true)));
    commit
        .rewrittenTo()
        .forEach(f -> actions.add(new KernelCommit.Action(LogFiles.kernelFile(f), true, false)));
    Map<String, String> parameters = new HashMap<>(commit.parameters());
    parameters.put("sink", commit.sink());
    parameters.put("batchId", Long.toString(commit.batch()));
    parameters.put("epoch", commit.epoch());
    if (!evolved.changes().isEmpty()) {
      parameters.put("schemaChanges", String.join(", ", evolved.changes()));
    }
    commit
        .overwritten()
        .ifPresent(
            partitions -> {
              parameters.put("mode", "Overwrite");
              parameters.put("predicate", partitions.toString());
            });
    Map<String, String> metrics = new HashMap<>(commit.metrics());
    List<DataFile> leaving = new ArrayList<>(commit.removed());
    leaving.addAll(commit.rewrittenFrom());
    replaced.forEach(file -> leaving.add(LogFiles.dataFile(file)));
    List<DataFile> coming = new ArrayList<>(commit.added());
    for (KernelCommit.Action move : moves) {
      (move.add() ? coming : leaving).add(LogFiles.dataFile(move.file()));
    }
    metrics.putAll(FileMetrics.of(coming, leaving));
    String userMetadata =
        JSON.createObjectNode()
            .put("sink", commit.sink())
            .put("batch", commit.batch())
            .put("plan", commit.plan())
            .put("content", commit.content())
            .toString();
    return new KernelCommit(
        Optional.of(new KernelCommit.Transaction(commit.sink(), commit.batch())),
        List.of(RecordStore.tie(commit.sink(), hash)),
        actions,
        evolved.forCommit(),
        planned,
        parameters,
        metrics,
        userMetadata);
  }
}
