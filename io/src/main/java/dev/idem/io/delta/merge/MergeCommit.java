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
import dev.idem.io.delta.kernel.KernelCommit.Action;
import dev.idem.io.delta.kernel.KernelFile;
import dev.idem.io.delta.kernel.KernelScan;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.table.FilePlan;
import dev.idem.io.delta.table.LogFiles;
import dev.idem.io.file.Storage;
import dev.idem.transforms.changes.MergedKey;
import dev.idem.transforms.changes.TableMerge;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * A merge is right only for the version that it was planned on. After another commit it is planned
 * again for what that commit changed: files that came are searched for keys of the batch, and keys
 * that were found there, or whose row was in a file that went, are merged again with what is known
 * of them. Everything else stays as it was planned.
 */
/** What a merge does to the files of a table, kept up with the commits of others. */
final class MergeCommit implements FilePlan {

  private final MergeSpec spec;
  private final MergePlan plan;
  private final Storage storage;
  private final Clock clock;

  /** Files by their numbers: those of the plan, and behind them those that came since. */
  private final List<PlacedFile> files = new ArrayList<>();

  private final Map<Integer, Positions> leaving = new HashMap<>();
  private final List<Rewrite> rewrites = new ArrayList<>();
  private final List<DataFile> added = new ArrayList<>();
  private final List<String> foundFiles = new ArrayList<>();

  private long lookedAt;
  private long lookedBeside;
  private @Nullable KernelSnapshot planned;

  /** The files of the version that was looked at last. */
  private final Set<String> seen = new HashSet<>();

  private @Nullable Set<String> seenBeside;
  private @Nullable KeyFilter filter;
  private @Nullable Map<Fingerprint, List<HeldRow>> known;

  /** A file of the table with its number's handle. */
  private record PlacedFile(String handle, String identity) {}

  /** Files that were written anew together. */
  private static final class Rewrite {
    private final Set<Integer> files;
    private List<DataFile> written;

    Rewrite(Set<Integer> files, List<DataFile> written) {
      this.files = files;
      this.written = written;
    }
  }

  MergeCommit(MergeSpec spec, MergePlan plan, List<Outcome> outcomes, Clock clock) {
    this.spec = spec;
    this.plan = plan;
    this.storage = spec.storage();
    this.clock = clock;
    this.lookedAt = plan.version();
    this.lookedBeside = plan.besideVersion();
    plan.files().forEach(file -> files.add(new PlacedFile(file.handle(), file.identity())));
    for (Outcome outcome : outcomes) {
      if (outcome.merged() != null) {
        added.addAll(outcome.merged().added());
        foundFiles.add(outcome.merged().found());
        outcome
            .merged()
            .deleted()
            .forEach(
                (file, rows) -> leaving.computeIfAbsent(file, any -> new Positions()).addAll(rows));
      }
      if (outcome.rewritten() != null) {
        rewrites.add(
            new Rewrite(
                new LinkedHashSet<>(outcome.rewritten().files()), outcome.rewritten().written()));
      }
    }
  }

  /** Returns all files that were written for the commit. */
  List<DataFile> written() {
    List<DataFile> written = new ArrayList<>(added);
    rewrites.forEach(rewrite -> written.addAll(rewrite.written));
    return written;
  }

  @Override
  public List<Action> on(KernelSnapshot snapshot) throws IOException {
    Map<String, KernelFile> current = new HashMap<>();
    snapshot.forEachFile(file -> current.put(file.identity(), file));
    if (snapshot.version() != lookedAt) {
      keepUp(snapshot, current);
    }
    List<Action> actions = new ArrayList<>();
    if (plan.marksRows()) {
      Map<KernelFile, long[]> deleted = new LinkedHashMap<>();
      leaving.forEach(
          (file, rows) -> deleted.put(current.get(files.get(file).identity()), rows.toArray()));
      if (!deleted.isEmpty()) {
        actions.addAll(snapshot.deleteRows(deleted));
      }
    } else {
      for (Rewrite rewrite : rewrites) {
        rewrite.files.forEach(
            file -> actions.add(new Action(current.get(files.get(file).identity()), false, true)));
      }
    }
    written().forEach(file -> actions.add(new Action(LogFiles.kernelFile(file), true, true)));
    return actions;
  }

  private void keepUp(KernelSnapshot snapshot, Map<String, KernelFile> current) throws IOException {
    if (planned == null) {
      planned = spec.rowTable(clock).load(plan.version()).orElseThrow();
      planned.forEachFile(file -> seen.add(file.identity()));
    }
    if (!planned.isDefinedAs(snapshot)) {
      throw MergeErrors.tableChanged(spec.rows().tablePath(), plan.version());
    }
    Set<Integer> gone = new HashSet<>();
    for (int file = 0; file < files.size(); file++) {
      if (!current.containsKey(files.get(file).identity())) {
        gone.add(file);
      }
    }
    Map<Fingerprint, List<HeldRow>> found = findRows(snapshot, current);
    findBeside()
        .forEach((key, rows) -> found.computeIfAbsent(key, any -> new ArrayList<>()).addAll(rows));
    leaving.keySet().removeAll(gone);
    Set<Integer> changed = mergeAgain(snapshot, found, gone);
    if (!plan.marksRows()) {
      rewriteAgain(snapshot, changed, gone);
    }
    seen.clear();
    seen.addAll(current.keySet());
    lookedAt = snapshot.version();
  }

  private KeyFilter filter() throws IOException {
    if (filter == null) {
      filter = new StagedChanges(spec).keys(plan.shards());
    }
    return filter;
  }

  /** Looks for keys of the batch in the files that came since. */
  private Map<Fingerprint, List<HeldRow>> findRows(
      KernelSnapshot snapshot, Map<String, KernelFile> current) throws IOException {
    Map<Fingerprint, List<HeldRow>> found = new HashMap<>();
    RowFinder finder = new RowFinder(spec.merge(), snapshot);
    KernelScan scan = snapshot.scan(List.of());
    KeyFilter keys = filter();
    for (KernelFile file : current.values()) {
      if (!seen.contains(file.identity())) {
        int number = files.size();
        files.add(new PlacedFile(scan.handle(file), file.identity()));
        finder.find(
            files.get(number).handle(),
            key -> plan.truncates() || keys.find(key) >= 0,
            (key, position, row) ->
                found
                    .computeIfAbsent(key, any -> new ArrayList<>())
                    .add(HeldRow.of(HeldRow.Source.TABLE, number, position, row)));
      }
    }
    return found;
  }

  /** Looks for keys of the batch in what others have kept beside the table since. */
  private Map<Fingerprint, List<HeldRow>> findBeside() throws IOException {
    Map<Fingerprint, List<HeldRow>> found = new HashMap<>();
    Optional<KernelSnapshot> latest = spec.besideTable(clock).load();
    if (latest.isEmpty() || latest.get().version() == lookedBeside) {
      return found;
    }
    if (seenBeside == null) {
      seenBeside = new HashSet<>();
      if (plan.besideVersion() >= 0) {
        spec.besideTable(clock)
            .load(plan.besideVersion())
            .orElseThrow()
            .forEachFile(file -> seenBeside.add(file.identity()));
      }
    }
    TableMerge merge = spec.merge();
    KeyFilter keys = filter();
    Row truncated = Messages.readRow(plan.truncated(), merge.besideSchema());
    BesideTable.Reader reader = new BesideTable(spec).reader(latest.get());
    for (KernelFile file : latest.get().files()) {
      if (seenBeside.add(file.identity())) {
        reader.read(
            reader.handle(file),
            (position, change) -> {
              // One that was known may only have come into another file.
              if (merge.isTruncate(change)
                  && (truncated == null || merge.isLater(change, truncated))) {
                throw MergeErrors.truncatedMeanwhile(spec.rows().tablePath(), plan.version());
              }
              Fingerprint key = merge.keyOfBeside(change);
              if (keys.find(key) >= 0) {
                found
                    .computeIfAbsent(key, any -> new ArrayList<>())
                    .add(HeldRow.of(HeldRow.Source.BESIDE, 0, position, change));
              }
            });
      }
    }
    lookedBeside = latest.get().version();
    return found;
  }

  /** Returns what is known of the batch's keys: rows of the table and changes beside it. */
  private Map<Fingerprint, List<HeldRow>> known() throws IOException {
    if (known == null) {
      known = new HashMap<>();
      for (String file : foundFiles) {
        for (HeldRow row : FoundRows.read(spec, file)) {
          Fingerprint key =
              row.source() == HeldRow.Source.TABLE
                  ? spec.merge().keyOfRow(row.row())
                  : spec.merge().keyOfBeside(row.row());
          known.computeIfAbsent(key, any -> new ArrayList<>()).add(row);
        }
      }
    }
    return known;
  }

  /**
   * Merges the keys of which rows came or went again, as if nothing had been planned for them.
   *
   * @return the files of which other rows leave now
   */
  private Set<Integer> mergeAgain(
      KernelSnapshot snapshot, Map<Fingerprint, List<HeldRow>> found, Set<Integer> gone)
      throws IOException {
    Set<Fingerprint> affected = new HashSet<>(found.keySet());
    known()
        .forEach(
            (key, rows) -> {
              if (rows.removeIf(
                  row -> row.source() == HeldRow.Source.TABLE && gone.contains(row.file()))) {
                affected.add(key);
              }
            });
    Set<Integer> changed = new HashSet<>();
    if (affected.isEmpty()) {
      return changed;
    }
    withdraw(snapshot, affected, changed);
    Map<Fingerprint, List<Row>> changes = new HashMap<>();
    StagedChanges staged = new StagedChanges(spec);
    plan.shards().forEach(shard -> staged.read(shard, affected::contains, changes));
    Row truncated = Messages.readRow(plan.truncated(), spec.merge().besideSchema());
    List<Row> beside = new ArrayList<>();
    try (DataFileWriter writer = DataFileWriter.open(spec.rows())) {
      for (Fingerprint key : affected) {
        List<HeldRow> all = known().computeIfAbsent(key, any -> new ArrayList<>());
        all.addAll(found.getOrDefault(key, List.of()));
        List<HeldRow> rows = HeldRow.of(HeldRow.Source.TABLE, all);
        List<Row> own = changes.getOrDefault(key, List.of());
        if (own.isEmpty() && (rows.isEmpty() || !plan.truncates())) {
          continue; // The filter was wrong about it.
        }
        MergedKey merged =
            spec.merge()
                .merge(
                    own,
                    HeldRow.rows(rows),
                    HeldRow.rows(HeldRow.of(HeldRow.Source.BESIDE, all)),
                    truncated);
        for (Row row : merged.rows()) {
          writer.write(row);
        }
        beside.addAll(merged.changes());
        for (int i = 0; i < rows.size(); i++) {
          if (merged.leaving().get(i)) {
            HeldRow row = rows.get(i);
            leaving.computeIfAbsent(row.file(), any -> new Positions()).add(row.position());
            changed.add(row.file());
          }
        }
      }
      added.addAll(writer.finish());
    }
    leaving.values().removeIf(Positions::isEmpty);
    keep(beside);
    return changed;
  }

  /** Takes back what was planned for keys. */
  private void withdraw(KernelSnapshot snapshot, Set<Fingerprint> keys, Set<Integer> changed)
      throws IOException {
    for (Fingerprint key : keys) {
      for (HeldRow row : known().getOrDefault(key, List.of())) {
        Positions positions = row.source() == HeldRow.Source.TABLE ? leaving.get(row.file()) : null;
        if (positions != null && positions.has(row.position())) {
          positions.remove(row.position());
          changed.add(row.file());
        }
      }
    }
    RowFinder finder = new RowFinder(spec.merge(), snapshot);
    KernelScan scan = snapshot.scan(List.of());
    List<DataFile> rest = new ArrayList<>();
    for (DataFile file : added) {
      String handle = scan.handle(LogFiles.kernelFile(file));
      Positions withdrawn = new Positions();
      finder.find(
          handle,
          new RowFinder.Wanted() {
            @Override
            public boolean row(Fingerprint key) {
              return keys.contains(key);
            }

            @Override
            public boolean mayTie(Fingerprint key, int sequenceHash) {
              return false;
            }
          },
          (key, position, row) -> withdrawn.add(position));
      if (withdrawn.isEmpty()) {
        rest.add(file);
      } else {
        rest.addAll(
            new FileRewrite(spec, snapshot)
                .write(Map.of(handle, withdrawn), file.partitionValues()));
        LogFiles.delete(storage, List.of(file.path()));
      }
    }
    added.clear();
    added.addAll(rest);
  }

  /** Keeps changes that the first plan had no need to keep; twice does not matter. */
  private void keep(List<Row> changes) throws IOException {
    if (changes.isEmpty()) {
      return;
    }
    BesideTable table = new BesideTable(spec);
    try (DataFileWriter writer = DataFileWriter.open(spec.beside())) {
      for (Row change : changes) {
        writer.write(table.row(change, clock.instant()));
      }
      spec.commitBeside().append(spec.beside().schemaJson(), List.of(), writer.finish());
    }
  }

  /**
   * Writes those files anew of which other rows leave now, or that were written together with one
   * that went.
   */
  private void rewriteAgain(KernelSnapshot snapshot, Set<Integer> changed, Set<Integer> gone)
      throws IOException {
    Set<Integer> rewritten = new HashSet<>();
    for (Rewrite rewrite : rewrites) {
      boolean again = rewrite.files.removeAll(gone);
      again |= rewrite.files.stream().anyMatch(changed::contains);
      rewrite.files.retainAll(leaving.keySet());
      rewritten.addAll(rewrite.files);
      if (again) {
        LogFiles.delete(storage, rewrite.written.stream().map(DataFile::path).toList());
        rewrite.written = rewrite(snapshot, rewrite.files);
      }
    }
    rewrites.removeIf(rewrite -> rewrite.files.isEmpty());
    for (int file : changed) {
      if (leaving.containsKey(file) && !rewritten.contains(file)) {
        Set<Integer> alone = new LinkedHashSet<>(Set.of(file));
        rewrites.add(new Rewrite(alone, rewrite(snapshot, alone)));
      }
    }
  }

  private List<DataFile> rewrite(KernelSnapshot snapshot, Set<Integer> numbers) throws IOException {
    Map<String, Positions> rows = new LinkedHashMap<>();
    numbers.forEach(file -> rows.put(files.get(file).handle(), leaving.get(file)));
    return rows.isEmpty()
        ? List.of()
        : new FileRewrite(spec, snapshot)
            .write(rows, KernelScan.partitionValues(rows.keySet().iterator().next()));
  }
}
