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

import dev.idem.io.delta.kernel.KernelFile;
import dev.idem.io.delta.kernel.KernelScan;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.kernel.KeyRanges;
import dev.idem.io.delta.merge.MergePlan.PlannedFile;
import dev.idem.io.delta.table.DeltaRecord;
import dev.idem.io.delta.table.TableChecks;
import dev.idem.transforms.changes.TableMerge;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Plans the merge of all shards on the current version, and says what is to be read for it. */
final class PlanMergeFn extends DoFn<KV<Integer, Iterable<String>>, Void> {

  private static final long serialVersionUID = 1L;

  static final TupleTag<ReadTask> TASKS = new TupleTag<>("tasks") {};
  static final TupleTag<KV<Integer, HeldRow>> GROUPS = new TupleTag<>("groups") {};
  static final TupleTag<KV<Integer, String>> PLAN = new TupleTag<>("plan") {};

  /** So many changes are merged together, unless one shard has more. */
  private static final int CHANGES_OF_GROUP = 50_000;

  private static final long MIN_BIN = 16L << 20;
  private static final int BINS = 8;

  private final MergeSpec spec;

  PlanMergeFn(MergeSpec spec) {
    this.spec = spec;
  }

  @ProcessElement
  public void plan(@Element KV<Integer, Iterable<String>> staged, MultiOutputReceiver output)
      throws IOException {
    List<StagedShard> shards = new ArrayList<>();
    for (String shard : staged.getValue()) {
      if (!shard.isEmpty()) {
        shards.add(Messages.read(shard, StagedShard.class));
      }
    }
    shards.sort(Comparator.comparingInt(StagedShard::shard));
    String file = spec.newStagingFile("plan");
    MergePlan plan = isRecorded() ? MergePlan.nothing(shards) : plan(shards);
    plan.publish(spec.stagingStorage(), file);
    output.get(PLAN).output(KV.of(0, Messages.write(Outcome.plan(file))));
    for (int i = 0; i < plan.files().size(); i++) {
      output.get(TASKS).output(new ReadTask(file, HeldRow.Source.TABLE, i));
    }
    for (int i = 0; i < plan.beside().size(); i++) {
      output.get(TASKS).output(new ReadTask(file, HeldRow.Source.BESIDE, i));
    }
    for (int group = 0; group < plan.groups(); group++) {
      output.get(GROUPS).output(KV.of(group, HeldRow.groupOf(file)));
    }
  }

  /** What is recorded is not merged again; the commit finds out whether it was the same. */
  private boolean isRecorded() {
    Optional<DeltaRecord> record = spec.commitTable().record(spec.sink());
    return record.isPresent() && record.get().batch() >= spec.batch();
  }

  private MergePlan plan(List<StagedShard> shards) throws IOException {
    TableMerge merge = spec.merge();
    Row truncate = null;
    for (StagedShard shard : shards) {
      truncate = merge.later(truncate, Messages.readRow(shard.truncated(), merge.besideSchema()));
    }
    KeyRanges wanted =
        KeyBounds.of(spec.keyColumns(), shards.stream().map(StagedShard::rangesOf).toList());
    Clock clock = Clock.systemUTC();
    spec.commitTable()
        .prepare(
            spec.rows().schemaJson(),
            spec.rows().partitionColumns(),
            spec.mode() == MergeMode.MERGE_ON_READ
                ? Map.of("delta.enableDeletionVectors", "true")
                : Map.of());
    KernelSnapshot rows = spec.rowTable(clock).load().orElseThrow();
    TableChecks.refuseRowIds(rows, spec.rows().tablePath());
    // Whoever deletes commits to the table beside first, so it is looked at second.
    Optional<KernelSnapshot> kept = spec.besideTable(clock).load();
    List<String> beside = new ArrayList<>();
    WithoutKey known = WithoutKey.NOTHING;
    if (kept.isPresent()) {
      BesideTable.Reader reader = new BesideTable(spec).reader(kept.get());
      kept.get().files(wanted).forEach(file -> beside.add(reader.handle(file)));
      known = withoutKey(kept.get(), reader);
    }
    Row truncated = known.truncate();
    // One that is known took away by then whatever it had to.
    boolean truncates =
        truncate != null
            && !truncate.equals(truncated)
            && truncate.equals(merge.later(truncated, truncate));
    List<PlannedFile> files = new ArrayList<>();
    KernelScan scan = rows.scan(List.of());
    List<KernelFile> candidates = truncates ? rows.files() : rows.files(wanted);
    Map<String, Integer> bins = bins(candidates);
    candidates.forEach(
        file ->
            files.add(
                new PlannedFile(scan.handle(file), file.identity(), bins.get(file.identity()))));
    return new MergePlan(
        rows.version(),
        kept.map(KernelSnapshot::version).orElse(-1L),
        marksRows(rows),
        files,
        beside,
        shards,
        groups(shards),
        Messages.write(truncates ? truncate : truncated),
        truncates,
        Messages.write(known.forgotten()));
  }

  private boolean marksRows(KernelSnapshot rows) {
    return switch (spec.mode()) {
      case AS_TABLE -> rows.takesDeletionVectors();
      case COPY_ON_WRITE -> false;
      case MERGE_ON_READ -> {
        if (!rows.takesDeletionVectors()) {
          throw MergeErrors.noDeletionVectors(spec.rows().tablePath());
        }
        yield true;
      }
    };
  }

  /**
   * What is beside a table without a key.
   *
   * @param truncate the latest truncate
   * @param forgotten the latest mark of what is kept no more
   */
  private record WithoutKey(@Nullable Row truncate, @Nullable Row forgotten) {
    static final WithoutKey NOTHING = new WithoutKey(null, null);
  }

  private WithoutKey withoutKey(KernelSnapshot kept, BesideTable.Reader reader) throws IOException {
    TableMerge merge = spec.merge();
    BesideTable table = new BesideTable(spec);
    List<Row> found = new ArrayList<>();
    for (KernelFile file : kept.files()) {
      if (table.mayLackKeys(file)) {
        reader.read(
            reader.handle(file),
            (position, change) -> {
              if (merge.isTruncate(change) || merge.isForgotten(change)) {
                found.add(change);
              }
            });
      }
    }
    Row truncate = null;
    Row forgotten = null;
    for (Row change : found) {
      if (merge.isTruncate(change)) {
        truncate = merge.later(truncate, change);
      } else {
        forgotten = merge.later(forgotten, change);
      }
    }
    return new WithoutKey(truncate, forgotten);
  }

  /** Neighbouring shards make a group, so that small batches make few files. */
  private static List<Integer> groups(List<StagedShard> shards) {
    List<Integer> groups = new ArrayList<>();
    int group = 0;
    long changes = 0;
    for (StagedShard shard : shards) {
      if (changes > 0 && changes + shard.changes() > CHANGES_OF_GROUP) {
        group++;
        changes = 0;
      }
      changes += shard.changes();
      groups.add(group);
    }
    return groups;
  }

  /** Divides the files of each partition into bins that are written anew beside each other. */
  private Map<String, Integer> bins(List<KernelFile> files) {
    long total = files.stream().mapToLong(KernelFile::size).sum();
    long most = Math.min(Math.max(total / BINS, MIN_BIN), spec.rows().targetFileSize());
    Map<Map<String, String>, List<KernelFile>> partitions = new HashMap<>();
    files.forEach(
        file ->
            partitions.computeIfAbsent(file.partitionValues(), any -> new ArrayList<>()).add(file));
    Map<String, Integer> bins = new HashMap<>();
    int bin = 0;
    for (List<KernelFile> partition : partitions.values()) {
      long size = 0;
      for (KernelFile file : partition) {
        if (size > 0 && size + file.size() > most) {
          bin++;
          size = 0;
        }
        bins.put(file.identity(), bin);
        size += file.size();
      }
      bin++;
    }
    return bins;
  }
}
