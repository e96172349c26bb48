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
package dev.idem.it;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.io.checkpoint.CheckpointView;
import dev.idem.io.checkpoint.Summary;
import dev.idem.io.delta.table.DeltaRecord;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.beam.sdk.values.Row;

/**
 * What a job has left on the disk, looked at from outside while it runs or after it was killed.
 *
 * @param application the application id
 */
record JobState(String application, Path checkpoint, Path table) {

  private static final String VERSION = "%020d.json";

  /** Where a batch is that was planned, as the files show it. */
  enum Phase {
    /** It is entered as done, or nothing is planned: no batch is open. */
    NO_BATCH_OPEN,
    /** No target holds it: records are read, or files are written. */
    READING_OR_WRITING,
    /** The memory, which is committed first, holds it and the table, which is last, does not. */
    BETWEEN_TARGETS,
    /** Every target holds it and it is not entered as done. */
    BEFORE_COMMITS
  }

  Path memory() {
    return table.resolveSibling(table.getFileName() + "_memory").resolve(application);
  }

  Path deadLetters() {
    return table.resolveSibling(table.getFileName() + "_dead_letter");
  }

  boolean isPlanned(long batch) {
    return Files.exists(checkpoint.resolve("offsets").resolve(Long.toString(batch)));
  }

  boolean isCommitted(long batch) {
    return Files.exists(checkpoint.resolve("commits").resolve(Long.toString(batch)));
  }

  /** Returns the greatest batch id that is planned, -1 if none is. */
  long lastPlanned() {
    return entries("offsets").stream().mapToLong(Long::longValue).max().orElse(-1);
  }

  boolean isStaged(long batch) {
    return names(checkpoint.resolve("staging")).stream()
        .anyMatch(name -> name.startsWith(batch + "-"));
  }

  /** Returns whether a table's log has the commit of a batch: one a batch, behind its creation. */
  static boolean hasCommit(Path table, long batch) {
    return Files.exists(table.resolve("_delta_log").resolve(VERSION.formatted(batch + 1)));
  }

  /** Returns how many data files lie in the table's directory, whether it has them or not. */
  long dataFiles() {
    return names(table).stream().filter(name -> name.endsWith(".parquet")).count();
  }

  /** Returns the last batch that the table holds, -1 if none. */
  long inTable() {
    return held(table, "table");
  }

  /** Returns the last batch that the memory holds, -1 if none. */
  long inMemory() {
    return held(memory(), "memory");
  }

  /** Returns the last batch that the dead letters hold, -1 if none. */
  long inDeadLetters() {
    return held(deadLetters(), "dead-letters");
  }

  private long held(Path target, String sink) {
    return record(target, sink).map(DeltaRecord::batch).orElse(-1L);
  }

  private Optional<DeltaRecord> record(Path target, String sink) {
    return DeltaTable.at(target.toString(), Map.of()).record(application + "/" + sink);
  }

  /** Returns where the last planned batch is. */
  Phase phase() {
    long batch = lastPlanned();
    if (batch < 0 || isCommitted(batch)) {
      return Phase.NO_BATCH_OPEN;
    }
    if (inTable() == batch) {
      return Phase.BEFORE_COMMITS;
    }
    return inMemory() == batch ? Phase.BETWEEN_TARGETS : Phase.READING_OR_WRITING;
  }

  /** Returns what came out of each batch that is entered as done, in order. */
  List<Summary> summaries() {
    return view().batches().stream()
        .flatMap(batch -> batch.commit().stream())
        .map(commit -> commit.summary())
        .toList();
  }

  CheckpointView view() {
    try {
      return CheckpointView.read(checkpoint.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the sum of one count over all batches that are entered as done. */
  long total(String count) {
    return summaries().stream()
        .mapToLong(summary -> summary.counts().getOrDefault(count, 0L))
        .sum();
  }

  /** Asserts that readers see whole batches: each one that the table holds, and no part of one. */
  void assertWholeBatches() throws IOException {
    long done =
        summaries().stream().mapToLong(summary -> summary.outputs().get("table").rows()).sum();
    long open = lastPlanned();
    if (open >= 0 && !isCommitted(open) && inTable() == open) {
      JsonNode body = new ObjectMapper().readTree(record(table, "table").orElseThrow().body());
      done += body.at("/summary/outputs/table/rows").longValue();
    }
    assertThat(
        "rows of whole batches",
        (long) DeltaRows.read(table.toString()).select("event_id").toList().size(),
        is(done));
  }

  /**
   * Asserts that nothing is pending and nothing was left out: plans and commits for every batch
   * from 0, one version of every table a batch behind its creation, every table at the last batch.
   */
  void assertContiguous() {
    long last = lastPlanned();
    List<Long> all = LongStream.rangeClosed(0, last).boxed().toList();
    assertThat("offsets", List.copyOf(entries("offsets")), is(all));
    assertThat("commits", List.copyOf(entries("commits")), is(all));
    assertThat(
        view().batches().stream().map(CheckpointView.Batch::state).toList(),
        everyItem(is(CheckpointView.State.COMMITTED)));
    assertThat("batch of the table", inTable(), is(last));
    assertThat("batch of the memory", inMemory(), is(last));
    assertThat("batch of the dead letters", inDeadLetters(), is(last));
    for (Path target : List.of(table, memory(), deadLetters())) {
      assertThat(
          "versions of " + target.getFileName(),
          names(target.resolve("_delta_log")).stream()
              .filter(name -> name.endsWith(".json"))
              .map(name -> Long.parseLong(name.substring(0, name.indexOf('.'))))
              .sorted()
              .toList(),
          is(LongStream.rangeClosed(0, last + 1).boxed().toList()));
    }
  }

  /** A key of the memory. */
  private record Key(long high, long low) {}

  /** Returns the watermark after the last batch, in milliseconds. */
  long watermark() {
    List<Summary> summaries = summaries();
    return summaries.get(summaries.size() - 1).watermark().orElseThrow().toEpochMilli();
  }

  /** Returns until when each key is remembered that is not forgotten at a watermark, sorted. */
  List<Long> remembered(long watermark) {
    Map<Key, Long> expiries = new HashMap<>();
    for (Row row :
        DeltaRows.read(memory().toString()).select("key_high", "key_low", "expiry").toList()) {
      java.time.Instant expiry = row.getLogicalTypeValue("expiry", java.time.Instant.class);
      expiries.merge(
          new Key(row.getInt64("key_high"), row.getInt64("key_low")),
          expiry.toEpochMilli(),
          Math::max);
    }
    return expiries.values().stream().filter(expiry -> expiry > watermark).sorted().toList();
  }

  /** Returns how many keys the memory table holds, and in how many files at most each shard is. */
  Memory memoryContent() {
    DeltaTable memory = DeltaTable.at(memory().toString(), Map.of());
    TreeSet<String> keys = new TreeSet<>();
    DeltaRows.read(memory().toString())
        .select("key_high", "key_low")
        .forEach(row -> keys.add(row.getInt64("key_high") + "/" + row.getInt64("key_low")));
    Map<Integer, Integer> filesOfShard = new HashMap<>();
    memory
        .files()
        .forEach(
            file -> {
              TreeSet<Integer> shards = new TreeSet<>();
              DeltaRows.read(memory().toString())
                  .select("shard")
                  .fromFiles(each -> each.path().equals(file.path()))
                  .forEach(row -> shards.add(row.getInt32("shard")));
              shards.forEach(shard -> filesOfShard.merge(shard, 1, Integer::sum));
            });
    return new Memory(
        keys.size(), filesOfShard.values().stream().mapToInt(Integer::intValue).max().orElse(0));
  }

  /**
   * How big a memory is.
   *
   * @param keys different keys
   * @param filesOfAShard the greatest number of files that one shard is in
   */
  record Memory(int keys, int filesOfAShard) {}

  /** Returns the dead letters of each reason, by {@code partition@offset}. */
  Map<String, TreeSet<String>> refused() {
    Map<String, TreeSet<String>> refused = new HashMap<>();
    Function<Row, String> position =
        row -> row.getInt32("partition") + "@" + row.getInt64("offset");
    List<String> all = new ArrayList<>();
    for (Row row : DeltaRows.read(deadLetters().toString()).toList()) {
      refused
          .computeIfAbsent(row.getString("reason"), reason -> new TreeSet<>())
          .add(position.apply(row));
      all.add(position.apply(row));
    }
    assertThat("dead letters, each once", all.size(), is(new TreeSet<>(all).size()));
    return refused;
  }

  private TreeSet<Long> entries(String directory) {
    TreeSet<Long> entries = new TreeSet<>();
    names(checkpoint.resolve(directory)).stream()
        .filter(name -> name.matches("\\d+"))
        .forEach(name -> entries.add(Long.parseLong(name)));
    return entries;
  }

  private static List<String> names(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
