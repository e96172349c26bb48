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
package dev.idem.io.memory;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.nullValue;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.file.DurableFiles;
import dev.idem.transforms.dedup.KeyMemory;
import dev.idem.transforms.dedup.KeyMemory.Remembered;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryTableTest {

  private static final String SCHEMA = DeltaSchemas.toJson(MemoryTable.SCHEMA);

  @TempDir Path directory;

  private String path() {
    return directory.resolve("memory").toString();
  }

  private MemoryTable memory(String epoch) {
    return MemoryTable.at(path(), epoch, Map.of());
  }

  private static Remembered remembered(long key, long payload, long expiry) {
    return new Remembered(
        new Fingerprint(key << 58 | key, key), payload, org.joda.time.Instant.ofEpochMilli(expiry));
  }

  private static Optional<Instant> at(long millis) {
    return Optional.of(Instant.ofEpochMilli(millis));
  }

  /** Commits a batch as the driver does, with what the memory does for its own sake. */
  private void commit(MemoryTable memory, long batch, long watermark, List<Remembered> added)
      throws IOException {
    List<DataFile> files = new ArrayList<>();
    try (DataFileWriter writer = DataFileWriter.open(DataFileSpec.of(path(), SCHEMA))) {
      for (Remembered each : added) {
        writer.write(MemoryTable.row(each, batch));
      }
      files.addAll(writer.finish());
    }
    MemoryTable.Maintenance maintenance = memory.maintain(batch, at(watermark));
    files.addAll(maintenance.add());
    DeltaTable.at(path(), Map.of())
        .commit(
            DeltaCommit.of("app/memory", batch, "plan", "content", SCHEMA)
                .withFiles(files)
                .withRemovedFiles(maintenance.remove()));
  }

  private static Remembered find(KeyMemory memory, long key) {
    Fingerprint fingerprint = remembered(key, 0, 0).key();
    return memory.load(fingerprint.shard(1), 1).find(fingerprint);
  }

  @Test
  void batchSeesWhatBatchesBeforeItRememberedAndNothingElse() throws IOException {
    MemoryTable memory = memory("one");
    commit(memory, 0, 0, List.of(remembered(1, 10, 100)));
    commit(memory, 1, 0, List.of(remembered(2, 20, 100)));

    // The replay of batch 1 does not see what its first attempt remembered.
    KeyMemory replay = memory.before(1, at(0));
    assertThat(find(replay, 1), is(remembered(1, 10, 100)));
    assertThat(find(replay, 2), is(nullValue()));
    assertThat(find(memory.before(2, at(0)), 2), is(remembered(2, 20, 100)));
    assertThat(find(memory.before(0, at(0)), 1), is(nullValue()));
    // Nor does that of a process that starts cold.
    assertThat(find(memory("two").before(1, at(0)), 2), is(nullValue()));
    assertThat(find(memory("three").before(2, at(0)), 2), is(remembered(2, 20, 100)));
  }

  @Test
  void keyThatWasForgottenAndSeenAgainHasItsNewContent() throws IOException {
    MemoryTable memory = memory("again");
    commit(memory, 0, 0, List.of(remembered(1, 10, 100)));
    commit(memory, 1, 200, List.of(remembered(1, 11, 300)));

    assertThat(find(memory.before(2, at(200)), 1), is(remembered(1, 11, 300)));
    assertThat(find(memory("cold").before(2, at(200)), 1), is(remembered(1, 11, 300)));
  }

  @Test
  void diskHoldsWhatTheTableHoldsHoweverManyBatchesThereWere() throws IOException {
    MemoryTable memory = memory("disk");
    DeltaTable table = DeltaTable.at(path(), Map.of());
    for (int batch = 0; batch < 200; batch++) {
      long now = 10L * batch;
      commit(memory, batch, now, List.of(remembered(batch % 64, batch, now + 30)));
      table.discardRemoved("app/memory", batch);

      List<String> held = table.files().stream().map(DataFile::path).sorted().toList();
      assertThat("batch " + batch, parquetFiles(), is(held));
      assertThat("batch " + batch, held.size(), is(lessThanOrEqualTo(3)));
    }
    assertThat(
        find(memory("cold").before(200, at(1990)), 199 % 64), is(remembered(199 % 64, 199, 2020)));
  }

  private List<String> parquetFiles() throws IOException {
    return DurableFiles.list(Path.of(path())).stream()
        .filter(name -> name.endsWith(".parquet"))
        .toList();
  }

  @Test
  void readThatBreaksOffLeavesNothingBehind() throws IOException {
    MemoryTable memory = memory("writer");
    commit(memory, 0, 0, List.of(remembered(1, 10, 100)));
    List<String> first = parquetFiles();
    commit(memory, 1, 0, List.of(remembered(2, 20, 100)));
    List<String> both = new ArrayList<>(parquetFiles());
    both.removeAll(first);
    both.addAll(first);
    // Whichever file is read first, one of the two has been read when the other is missed.
    for (String missing : both) {
      KeyMemory none = memory("broken " + missing).before(0, at(0));
      assertThat(find(none, 1), is(nullValue()));
      Path file = Path.of(path(), missing);
      Path aside = directory.resolve(missing);
      Files.move(file, aside);

      assertThrows(
          RuntimeException.class, () -> find(memory("broken " + missing).before(2, at(0)), 1));

      assertThat(find(none, 1), is(nullValue()));
      assertThat(find(none, 2), is(nullValue()));
      Files.move(aside, file);
    }
  }

  @Test
  void mergesKeepEveryLiveKeyInFewFiles() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    MemoryTable memory = memory("merge");
    Map<Fingerprint, Remembered> live = new HashMap<>();
    long watermark = 0;
    for (int batch = 0; batch < 40; batch++) {
      watermark += 10;
      List<Remembered> added = new ArrayList<>();
      for (int i = random.nextInt(60); i > 0; i--) {
        Remembered each =
            remembered(random.nextInt(60) + 100L * batch, random.nextLong(), watermark + 50);
        if (added.stream().noneMatch(other -> other.key().equals(each.key()))) {
          added.add(each);
        }
      }
      commit(memory, batch, watermark, added);
      added.forEach(each -> live.put(each.key(), each));

      long now = watermark;
      live.values().removeIf(each -> each.expiry().getMillis() <= now);
      String which = "seed " + seed + " batch " + batch;
      Map<Fingerprint, Remembered> stored = new HashMap<>();
      DeltaRows.read(path())
          .select("key_high", "key_low", "payload", "expiry")
          .forEach(
              row -> {
                Fingerprint key = new Fingerprint(row.getInt64(0), row.getInt64(1));
                long expiry = ((Instant) row.getValue(3)).toEpochMilli();
                if (expiry > now) {
                  Remembered each =
                      new Remembered(
                          key, row.getInt64(2), org.joda.time.Instant.ofEpochMilli(expiry));
                  assertThat(which + " holds a key twice", stored.put(key, each), is(nullValue()));
                }
              });
      assertThat(which, stored, is(live));
      assertThat(which, DeltaTable.at(path(), Map.of()).files().size(), lessThanOrEqualTo(3));
    }
  }
}
