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
package dev.idem.io.delta.changes;

import dev.idem.io.delta.error.TableChangedException;
import dev.idem.io.delta.error.VersionGoneException;
import dev.idem.io.delta.kernel.KernelChanges;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.delta.schema.BeamTypes;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.SchemaJson;
import dev.idem.io.delta.table.LogFiles;
import dev.idem.io.delta.table.TableChecks;
import dev.idem.io.delta.table.TableErrors;
import dev.idem.io.file.Storage;
import io.delta.kernel.exceptions.KernelException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.apache.beam.sdk.schemas.Schema;

/**
 * The versions of a table as one reads them one after the other: which ones there are, and how much
 * each of them changed. {@link ReadChanges} reads their rows.
 *
 * <p>Nothing is kept between two calls; each one looks at the table anew.
 */
public final class TableChanges {

  private static final String CHANGE_DATA_FEED = "delta.enableChangeDataFeed";

  private final String path;
  private final KernelTable table;
  private final OnChanges onChanges;

  private TableChanges(String path, KernelTable table, OnChanges onChanges) {
    this.path = path;
    this.table = table;
    this.onChanges = onChanges;
  }

  /**
   * Returns the versions of a table.
   *
   * @param path a local path or {@code file:} URI
   * @param onChanges what to make of commits that take rows out
   */
  public static TableChanges of(
      String path, OnChanges onChanges, Map<String, String> hadoopConfiguration) {
    Storage storage = Storage.at("Table path", path, hadoopConfiguration);
    return new TableChanges(
        storage.path(""),
        KernelTable.at(storage, hadoopConfiguration, Clock.systemUTC()),
        onChanges);
  }

  /**
   * Returns the table's id.
   *
   * @throws IllegalArgumentException if there is no table
   */
  public String tableId() {
    return latest().tableId();
  }

  /**
   * Returns the last version.
   *
   * @throws IllegalArgumentException if there is no table, or if it has no change data feed to read
   */
  public long lastVersion() {
    KernelSnapshot latest = latest();
    if (onChanges == OnChanges.CDF
        && !Boolean.parseBoolean(latest.properties().get(CHANGE_DATA_FEED))) {
      throw ChangesErrors.noChangeDataFeed(path, CHANGE_DATA_FEED);
    }
    return latest.version();
  }

  /** Returns the first version whose changes the log still has. */
  public long earliestVersion() {
    latest();
    return table.earliestEntry();
  }

  /** Returns the first version that was committed at a time or later, if there is one. */
  public OptionalLong firstVersionSince(Instant time) {
    KernelSnapshot latest = latest();
    if (latest.committedBy(time.minusMillis(1))) {
      return OptionalLong.empty();
    }
    Optional<KernelSnapshot> before;
    try {
      before = table.load(time.minusMillis(1));
    } catch (KernelException e) {
      return OptionalLong.of(table.earliestEntry());
    }
    return OptionalLong.of(before.orElseThrow().version() + 1);
  }

  /**
   * Returns the schema of a version's rows.
   *
   * @throws VersionGoneException if the log does not reach back to the version
   */
  public Schema schema(long version) {
    return BeamTypes.schema(columns(version));
  }

  /** Returns the columns of a version's rows. */
  List<DeltaColumn> columns(long version) {
    try {
      return SchemaJson.read(snapshot(version).schemaJson());
    } catch (KernelException e) {
      throw ChangesErrors.versionGone(path, version, earliestVersion());
    }
  }

  String path() {
    return path;
  }

  /** Returns how many rows a version holds, as far as the statistics of its files say so. */
  public long rowsAt(long version) {
    return snapshot(version).files().stream()
        .mapToLong(file -> Math.max(0, LogFiles.rows(file)))
        .sum();
  }

  /** Returns how many rows versions changed, as far as the statistics of their files say so. */
  public long rows(long first, long last) {
    long[] rows = {0};
    table.forEachChange(
        first,
        last,
        commit -> {
          rows[0] += rows(commit);
          return true;
        });
    return rows[0];
  }

  /**
   * Returns up to which version one may read in one go: at most about {@code maxRows} rows, at
   * least one version, and none with a commit that is to be refused.
   *
   * @throws TableChangedException if the first one is to be refused
   */
  public long end(long first, long last, long maxRows) {
    long[] end = {first};
    long[] rows = {0};
    table.forEachChange(
        first,
        last,
        commit -> {
          boolean isFirst = commit.version() == first;
          if (refuses(commit)) {
            if (isFirst) {
              throw refused(commit);
            }
            return false;
          }
          rows[0] += rows(commit);
          if (!isFirst && rows[0] > maxRows) {
            return false;
          }
          end[0] = commit.version();
          return true;
        });
    return end[0];
  }

  /** Returns the number of commits among versions that {@link OnChanges#IGNORE} leaves out. */
  public long ignored(long first, long last) {
    long[] ignored = {0};
    if (onChanges == OnChanges.IGNORE) {
      table.forEachChange(
          first,
          last,
          commit -> {
            ignored[0] += takesRowsOut(commit) ? 1 : 0;
            return true;
          });
    }
    return ignored[0];
  }

  /** Hands over the files to read for the changes of versions. */
  void forEachChanged(long first, long last, Consumer<ChangedFile> files) {
    requireEntry(first);
    table.forEachChange(
        first,
        last,
        commit -> {
          if (refuses(commit)) {
            throw refused(commit);
          }
          files(commit).forEach(files);
          return true;
        });
  }

  /** Hands over the files of a version, as if it had added them all. */
  void forEachHeld(long version, Consumer<ChangedFile> files) {
    requireEntry(version);
    List<String> handles =
        snapshot(version).scan(List.of()).handles(file -> true).stream().sorted().toList();
    table.forEachChange(
        version,
        version,
        commit -> {
          for (int i = 0; i < handles.size(); i++) {
            files.accept(
                new ChangedFile(
                    ChangedFile.Kind.ADDED,
                    version,
                    i,
                    commit.time().toEpochMilli(),
                    handles.get(i),
                    null));
          }
          return true;
        });
  }

  private void requireEntry(long version) {
    long earliest = earliestVersion();
    if (version < earliest) {
      throw ChangesErrors.versionGone(path, version, earliest);
    }
  }

  private KernelSnapshot latest() {
    return TableChecks.load(table, path).orElseThrow(() -> TableErrors.noTableToRead(path));
  }

  private KernelSnapshot snapshot(long version) {
    return table.load(version).orElseThrow(() -> TableErrors.noTableToRead(path));
  }

  private static boolean takesRowsOut(KernelChanges commit) {
    return !commit.removed().isEmpty();
  }

  private boolean refuses(KernelChanges commit) {
    return onChanges == OnChanges.FAIL && takesRowsOut(commit);
  }

  private TableChangedException refused(KernelChanges commit) {
    return ChangesErrors.tableChanged(
        path, commit.version(), commit.operation(), commit.removed().size());
  }

  private long rows(KernelChanges commit) {
    if (onChanges == OnChanges.IGNORE && takesRowsOut(commit)) {
      return 0;
    }
    ToLongFunction<List<KernelChanges.File>> sum =
        files -> files.stream().mapToLong(KernelChanges.File::rows).sum();
    return sum.applyAsLong(commit.added())
        + (onChanges == OnChanges.CDF ? sum.applyAsLong(commit.removed()) : 0);
  }

  private List<ChangedFile> files(KernelChanges commit) {
    List<ChangedFile> files = new ArrayList<>();
    if (onChanges == OnChanges.CDF && !commit.changeData().isEmpty()) {
      commit
          .changeData()
          .forEach(file -> add(files, commit, ChangedFile.Kind.CHANGE_DATA, file, null));
      return files;
    }
    if (!takesRowsOut(commit)) {
      commit.added().forEach(file -> add(files, commit, ChangedFile.Kind.ADDED, file, null));
      return files;
    }
    if (onChanges == OnChanges.CDF) {
      Map<String, KernelChanges.File> removed = new LinkedHashMap<>();
      commit.removed().forEach(file -> removed.put(file.path(), file));
      for (KernelChanges.File file : commit.added()) {
        KernelChanges.File before = removed.remove(file.path());
        ChangedFile.Kind kind = before == null ? ChangedFile.Kind.ADDED : ChangedFile.Kind.VECTOR;
        add(files, commit, kind, file, before);
      }
      removed.values().forEach(file -> add(files, commit, ChangedFile.Kind.REMOVED, file, null));
    }
    return files;
  }

  private static void add(
      List<ChangedFile> files,
      KernelChanges commit,
      ChangedFile.Kind kind,
      KernelChanges.File file,
      KernelChanges.File before) {
    files.add(
        new ChangedFile(
            kind,
            commit.version(),
            files.size(),
            commit.time().toEpochMilli(),
            file.handle(),
            before == null ? null : before.handle()));
  }
}
