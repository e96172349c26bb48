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

import static dev.idem.io.delta.table.Tables.column;
import static dev.idem.io.delta.table.Tables.commit;
import static dev.idem.io.delta.table.Tables.names;
import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.delta.error.DeltaTableException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.delta.kernel.RowDeletions;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.CommitOutcome;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.Tables;
import dev.idem.io.file.DurableFiles;
import dev.idem.io.file.FileObserver;
import dev.idem.io.file.FileOperation;
import dev.idem.io.file.Storage;
import dev.idem.testing.Covers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Orphans go; what any version holds, what is young and what is somebody else's stays. */
class CleanTest {

  private static final String SINK = "orders/main";
  private static final Instant WRITTEN = Instant.parse("2026-01-01T00:00:00Z");
  private static final CleanSpec WEEK = CleanSpec.olderThan(Duration.ofDays(7));

  @TempDir Path root;

  private Path directory;

  @BeforeEach
  void locate() {
    directory = root.resolve("table");
  }

  /** Makes everything old, and cleans a week and a second later. */
  private CleanResult clean(CleanSpec spec) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.setLastModifiedTime(file, FileTime.from(WRITTEN));
      }
    }
    return cleanAt(WRITTEN.plus(Duration.ofDays(7)).plusSeconds(1), spec);
  }

  private CleanResult cleanAt(Instant time, CleanSpec spec) {
    Clock clock = Clock.fixed(time, ZoneOffset.UTC);
    return TableMaintenance.at(directory.toString(), Map.of(), clock).clean(spec);
  }

  /** Returns what every version holds that the log reaches. */
  private Map<Long, List<String>> versions() {
    KernelTable kernel =
        KernelTable.at(
            Storage.at("Table path", directory.toString(), Map.of()), Map.of(), Clock.systemUTC());
    Map<Long, List<String>> rows = new TreeMap<>();
    for (long version = kernel.load().orElseThrow().version(); version >= 0; version--) {
      KernelSnapshot snapshot;
      try {
        snapshot = kernel.load(version).orElseThrow();
      } catch (io.delta.kernel.exceptions.KernelException e) {
        break;
      }
      List<String> names = new ArrayList<>();
      snapshot.scan(List.of("name")).forEach(file -> true, row -> names.add((String) row[0]));
      names.sort(null);
      rows.put(version, names);
    }
    return rows;
  }

  private static TableMaintenance maintenance(Path directory) {
    return TableMaintenance.at(directory.toString(), Map.of());
  }

  @Covers.Row(29)
  @Test
  void filesOfAnAbortedAttemptGoAndEveryVersionIsReadAsBefore() throws IOException {
    for (int batch = 0; batch < 3; batch++) {
      table(directory).commit(commit(directory, SINK, batch, "n" + batch));
    }
    maintenance(directory).optimize(OptimizeSpec.ofDefaults());
    DataFile removed = table(directory).files().get(0);
    table(directory).commit(commit(directory, SINK, 3, "last").withRemovedFiles(List.of(removed)));
    List<DataFile> aborted = Tables.orders(directory, "aborted");
    Map<Long, List<String>> before = versions();
    List<Path> all = Tables.dataFiles(directory);

    CleanResult told = clean(WEEK.dryRunOnly());
    assertThat(Tables.dataFiles(directory), is(all));
    CleanResult result = clean(WEEK);

    assertThat(told, is(result));
    assertThat(result, is(new CleanResult(List.of(aborted.get(0).path()), aborted.get(0).size())));
    assertThat(before.keySet(), hasSize(6));
    assertThat(versions(), is(before));
    assertThat(Tables.dataFiles(directory), hasSize(all.size() - 1));
    assertThat(clean(WEEK).files(), is(empty()));
  }

  @Test
  void deletionVectorsOfEveryVersionStayAndThatOfALostCommitGoes() throws IOException {
    for (int batch = 0; batch < 4; batch++) {
      table(directory)
          .commit(
              commit(directory, SINK, batch, "a" + batch, "b" + batch, "c" + batch)
                  .withTableProperties(Map.of("delta.enableDeletionVectors", "true")));
    }
    RowDeletions.delete(directory, "name", Set.of("a0", "b1", "c3")::contains);
    RowDeletions.delete(directory, "name", Set.of("b0", "a1", "a2")::contains);
    String lost = RowDeletions.withoutCommit(directory, "name", "c2"::equals);
    RowDeletions.delete(directory, "name", "b3"::equals);
    maintenance(directory).optimize(OptimizeSpec.ofDefaults());
    Map<Long, List<String>> before = versions();
    assertThat(before.get(8L), contains("a3", "b2", "c0", "c1", "c2"));

    CleanResult result = clean(WEEK);

    assertThat(result.files(), contains(lost));
    assertThat(before.keySet(), hasSize(9));
    assertThat(versions(), is(before));
  }

  @Test
  void filesThatOnlyACheckpointNamesStay() throws IOException {
    for (int batch = 0; batch < 6; batch++) {
      table(directory).commit(commit(directory, SINK, batch, "n" + batch));
    }
    List<DataFile> tombstones = table(directory).files();
    maintenance(directory).optimize(OptimizeSpec.ofDefaults());
    for (int batch = 6; batch < 12; batch++) {
      table(directory).commit(commit(directory, SINK, batch, "n" + batch));
    }
    cleanUpLog();
    // Added by an entry that is gone, so only the removal names it.
    table(directory)
        .commit(
            commit(directory, SINK, 12, "n12")
                .withRemovedFiles(
                    table(directory).files().stream()
                        .filter(file -> file.stats().contains("\"n6\""))
                        .toList()));
    List<DataFile> aborted = Tables.orders(directory, "aborted");
    Map<Long, List<String>> before = versions();

    CleanResult result = clean(WEEK);

    assertThat(result.files(), contains(aborted.get(0).path()));
    assertThat(before.keySet(), contains(10L, 11L, 12L, 13L, 14L));
    assertThat(versions(), is(before));
    for (DataFile file : tombstones) {
      assertThat(Files.exists(directory.resolve(file.path())), is(true));
    }
  }

  @Test
  void deletionVectorsThatOnlyACheckpointNamesStay() throws IOException {
    table(directory)
        .commit(
            commit(directory, SINK, 0, "a", "b", "c")
                .withTableProperties(Map.of("delta.enableDeletionVectors", "true")));
    RowDeletions.delete(directory, "name", "a"::equals);
    RowDeletions.delete(directory, "name", "b"::equals);
    for (int batch = 1; batch < 10; batch++) {
      table(directory).commit(commit(directory, SINK, batch, "n" + batch, "o" + batch));
    }
    cleanUpLog();
    String lost = RowDeletions.withoutCommit(directory, "name", "n9"::equals);

    // The first of the table's two vectors is a tombstone.
    assertThat(clean(WEEK).files(), contains(lost));
    assertThat(names(directory).get(0), is("c"));
    assertThat(names(directory), hasSize(19));
  }

  /** Does what the clean-up of the log does once the checkpoint of version 10 is old enough. */
  private void cleanUpLog() throws IOException {
    for (long version = 0; version < 10; version++) {
      Files.delete(Tables.entry(directory, version));
    }
  }

  @Test
  void stagedFilesAreYoungAndTheirBatchIsCommitted() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
    DeltaCommit staged = commit(directory, SINK, 1, "b");
    Instant written = WRITTEN.plusSeconds(5);
    for (Path file : Tables.dataFiles(directory)) {
      Files.setLastModifiedTime(file, FileTime.from(written));
    }

    CleanResult young = cleanAt(written.plus(Duration.ofDays(7)), WEEK);
    assertThat(young.files(), is(empty()));
    table(directory).commit(staged);
    assertThat(names(directory), contains("a", "b"));
    assertThat(cleanAt(written.plus(Duration.ofDays(7)).plusMillis(1), WEEK).files(), is(empty()));
    assertThat(names(directory), contains("a", "b"));
  }

  @Test
  void commitsMeanwhileLoseNothing() throws IOException {
    int listings = 0;
    for (boolean reached = true; reached; listings++) {
      directory = root.resolve("table" + listings);
      table(directory).commit(commit(directory, SINK, 0, "a"));
      for (int batch = 1; batch < 10; batch++) {
        table(directory).commit(commit(directory, SINK, batch));
      }
      cleanUpLog();
      DeltaCommit meanwhile =
          commit(directory, SINK, 10, "late").withRemovedFiles(table(directory).files());
      reached = cleanWhile(listings, () -> table(directory).commit(meanwhile));

      // Unless it was committed the late file is an orphan.
      assertThat(Tables.dataFiles(directory), hasSize(reached ? 2 : 1));
    }
    // The log is listed to load the table, and for what its versions hold.
    assertThat(listings > 2, is(true));
  }

  /** Does something just before a listing of the log while the table is cleaned. */
  private boolean cleanWhile(int listing, Runnable action) throws IOException {
    int[] listings = {0};
    FileObserver observer =
        new FileObserver() {
          @Override
          public void before(FileOperation operation) {
            boolean ofTheLog =
                operation.kind() == FileOperation.Kind.LIST
                    && operation.path().endsWith("_delta_log");
            if (ofTheLog && listings[0]++ == listing) {
              action.run();
            }
          }

          @Override
          public void after(FileOperation operation) {}
        };
    DurableFiles.Observation observation = DurableFiles.observe(directory, observer);
    try {
      clean(WEEK);
    } finally {
      observation.close();
    }
    return listings[0] > listing;
  }

  @Test
  void whatIsNotKnownToBeOfTheTableIsLeftAlone() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
    Path nested = directory.resolve("archive/old");
    table(nested).commit(commit(nested, SINK, 0, "nested"));
    Tables.orders(nested, "aborted there");
    Path elsewhere = Files.createDirectory(root.resolve("elsewhere"));
    for (String file :
        List.of(
            "../elsewhere/linked.parquet",
            "_staging/part.parquet",
            "_change_data/cdc.parquet",
            ".hidden/part.parquet",
            ".part.parquet",
            "_part.parquet",
            "README.md",
            "vector.bin",
            "part.parquet.crc")) {
      Path path = directory.resolve(file);
      Files.createDirectories(path.getParent());
      Files.writeString(path, file);
    }
    Files.createSymbolicLink(directory.resolve("link"), elsewhere);
    Files.createSymbolicLink(directory.resolve("l.parquet"), elsewhere.resolve("linked.parquet"));
    // Named as files of this table are, but by nobody.
    Files.writeString(directory.resolve("deletion_vector_lost.bin"), "lost");
    Files.createDirectory(directory.resolve("p=1"));
    Files.writeString(directory.resolve("p=1/part-lost.parquet"), "lost");
    List<Path> before = files();

    CleanResult result = clean(WEEK);

    assertThat(result.files(), contains("deletion_vector_lost.bin", "p=1/part-lost.parquet"));
    before.remove(directory.resolve("deletion_vector_lost.bin"));
    before.remove(directory.resolve("p=1/part-lost.parquet"));
    assertThat(files(), is(before));
    assertThat(names(nested), contains("nested"));
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return new ArrayList<>(files.sorted().toList());
    }
  }

  private static final String PARTITIONED =
      Tables.struct(column("name", "\"string\"", false), column("p", "\"string\"", true));

  @Test
  void filesInOddlyNamedDirectoriesAreTakenForWhatTheyAre() throws IOException {
    DataFileSpec spec =
        DataFileSpec.of(directory.toString(), PARTITIONED).withPartitionColumns(List.of("p"));
    String[] values = {"a b", "a/b", "100%", "%2F", "ü=x", "", null, "l".repeat(300)};
    List<DataFile> kept = new ArrayList<>();
    List<String> lost = new ArrayList<>();
    for (String value : values) {
      Row row = Row.withSchema(DeltaSchemas.parse(PARTITIONED)).addValues("n", value).build();
      kept.addAll(Tables.write(spec, row));
      String path = Tables.write(spec, row).get(0).path();
      lost.add(java.net.URI.create(path).getPath());
    }
    table(directory).append(PARTITIONED, List.of("p"), kept);

    CleanResult result = clean(WEEK);

    assertThat(result.files(), containsInAnyOrder(lost.toArray()));
    assertThat(DeltaRows.read(directory.toString()).toList(), hasSize(values.length));
    assertThat(Tables.dataFiles(directory), hasSize(values.length));
  }

  @Test
  void filesThatAreNamedByTheirWholePathStay() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
    String name = Tables.orders(directory, "b").get(0).path();
    String entry = Files.readString(Tables.entry(directory, 1));
    String other = table(directory).files().get(0).path();
    Files.writeString(
        Tables.entry(directory, 2),
        entry
            .lines()
            .filter(line -> line.startsWith("{\"add\""))
            .findFirst()
            .orElseThrow()
            .replace(other, directory.resolve(name).toUri().toString()));
    Path link = Files.createSymbolicLink(root.resolve("other name"), directory);

    CleanResult here = clean(WEEK);
    directory = link;
    CleanResult through = cleanAt(WRITTEN.plus(Duration.ofDays(8)), WEEK);

    assertThat(here.files(), is(empty()));
    assertThat(through.files(), is(empty()));
  }

  @Test
  void logThatCannotBeUnderstoodKeepsEverything() throws IOException {
    table(directory).commit(commit(directory, SINK, 0, "a"));
    Tables.orders(directory, "aborted");
    Path entry = directory.resolve("_delta_log/_staged_commits/00000000000000000009.json");
    Files.createDirectory(entry.getParent());
    Files.writeString(entry, "{\"remove\":{\"path\":\"not a uri\"}}\n");

    var failure = assertThrows(IllegalStateException.class, () -> clean(WEEK));

    assertThat(failure.getMessage(), containsString("must be a URI, but was: \"not a uri\""));
    assertThat(Tables.dataFiles(directory), hasSize(2));
  }

  @Test
  void lessThanADayAndAbsentTablesAreRefused() {
    var early =
        assertThrows(
            IllegalArgumentException.class, () -> CleanSpec.olderThan(Duration.ofHours(23)));
    var absent = assertThrows(DeltaTableException.class, () -> maintenance(directory).clean(WEEK));

    assertThat(early.getMessage(), containsString("at least a day, but was: PT23H"));
    assertThat(absent.getMessage(), containsString("must exist"));
  }

  @Test
  void attemptThatCameSecondKeepsFilesThatARewriteRemoved() throws IOException {
    List<DataFile> staged = Tables.orders(directory, "a");
    DeltaCommit batch = DeltaCommit.of(SINK, 0, "plan", "content", Tables.ORDERS).withFiles(staged);
    table(directory).commit(batch);
    table(directory).commit(commit(directory, SINK, 1, "b"));
    maintenance(directory).optimize(OptimizeSpec.ofDefaults());
    Map<Long, List<String>> before = versions();

    // The step that commits is run again with the files that it has committed.
    assertThat(table(directory).commit(batch), instanceOf(CommitOutcome.AlreadyCommitted.class));
    assertThat(table(directory).discard(staged), is(0));

    assertThat(versions(), is(before));
  }
}
