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

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.idem.io.delta.error.DamagedRecordException;
import dev.idem.io.delta.file.PartitionValues;
import dev.idem.io.delta.kernel.KernelCommit;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.file.Storage;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/*
 * A record is a side file of the table, written and forced before the log entry that makes it one.
 * That entry holds, beside txn(sink, N), txn(sink#record, hash of the side file): transaction ids
 * survive log clean-up, so the latest record can be told from what a crash or a rival left, and
 * since every record names its predecessor's hash, so can the older ones.
 */
/** The side files of one table that hold what it remembers of its sinks' batches. */
final class RecordStore {

  private static final JsonMapper JSON = new JsonMapper();
  private static final int FORMAT = 1;
  private static final String TIE = "#record";

  private static final String DIRECTORY = "_idem";

  private final Storage storage;

  RecordStore(Storage storage) {
    this.storage = storage;
  }

  /** A record with the hash that ties it to its commit and the one before it. */
  record Entry(DeltaRecord record, long hash, Optional<Previous> previous) {}

  /** Names the side file of the batch before. */
  record Previous(long batch, long hash) {}

  static KernelCommit.Transaction tie(String sink, long hash) {
    return new KernelCommit.Transaction(sink + TIE, hash);
  }

  static Optional<Long> tie(KernelSnapshot snapshot, String sink) {
    return snapshot.transaction(sink + TIE);
  }

  /**
   * Writes and forces a side file, and returns its hash.
   *
   * @param attempt tells attempts apart that would write the same record
   */
  long write(DeltaRecord record, Optional<Entry> latest, String attempt) throws IOException {
    ObjectNode node =
        JSON.createObjectNode()
            .put("format", FORMAT)
            .put("sink", record.sink())
            .put("batch", record.batch())
            .put("plan", record.plan())
            .put("content", record.content())
            .put("epoch", record.epoch())
            .put("tableId", record.tableId())
            .put("attempt", attempt);
    latest.ifPresent(
        entry ->
            node.putObject("previous")
                .put("batch", entry.record().batch())
                .put("hash", hex(entry.hash())));
    byte[] bytes = node.put("body", record.body()).toString().getBytes(StandardCharsets.UTF_8);
    long hash = hash(bytes);
    storage.createDirectories(directory(record.sink()));
    // The name says what is in it: if it is taken, an earlier round wrote the same.
    storage.putIfAbsent(file(record.sink(), record.batch(), hash), bytes);
    return hash;
  }

  /** Returns the record that the snapshot's transaction ids name. */
  Optional<Entry> latest(KernelSnapshot snapshot, String sink) {
    Optional<Long> batch = snapshot.transaction(sink);
    Optional<Long> hash = tie(snapshot, sink);
    if (batch.isEmpty() || hash.isEmpty()) {
      return Optional.empty();
    }
    Entry entry =
        read(sink, batch.get(), hash.get())
            .orElseThrow(() -> damaged(sink, batch.get(), "missing", null));
    if (!entry.record().tableId().equals(snapshot.tableId())) {
      throw damaged(sink, batch.get(), "of table id " + entry.record().tableId(), null);
    }
    return Optional.of(entry);
  }

  /** Returns the kept record of an older batch, if the chain from the latest one leads to it. */
  Optional<Entry> find(KernelSnapshot snapshot, String sink, long batch) {
    Optional<Entry> entry = latest(snapshot, sink);
    while (entry.isPresent() && entry.get().record().batch() > batch) {
      entry = entry.get().previous().flatMap(p -> read(sink, p.batch(), p.hash()));
    }
    return entry.filter(found -> found.record().batch() == batch);
  }

  private Optional<Entry> read(String sink, long batch, long hash) {
    byte[] bytes;
    try {
      bytes = storage.read(file(sink, batch, hash));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Record of batch " + batch + " must be readable in \"" + storage.path("") + "\".", e);
    }
    if (hash(bytes) != hash) {
      throw damaged(sink, batch, "changed", null);
    }
    try {
      return Optional.of(entry(JSON.readTree(bytes), hash));
    } catch (IOException e) {
      throw damaged(sink, batch, "not JSON", e);
    }
  }

  private Entry entry(JsonNode node, long hash) {
    String sink = node.path("sink").asText();
    long batch = node.path("batch").asLong();
    int format = node.path("format").asInt();
    if (format != FORMAT) {
      throw damaged(sink, batch, "of format " + format + ", which this version cannot read", null);
    }
    JsonNode previous = node.path("previous");
    return new Entry(
        new DeltaRecord(
            sink,
            batch,
            node.path("plan").asText(),
            node.path("content").asText(),
            node.path("epoch").asText(),
            node.path("tableId").asText(),
            node.path("body").asText()),
        hash,
        previous.isMissingNode()
            ? Optional.empty()
            : Optional.of(
                new Previous(
                    previous.path("batch").asLong(),
                    HexFormat.fromHexDigitsToLong(previous.path("hash").asText()))));
  }

  /** Deletes the side files of all but the last batches. */
  void prune(String sink, int kept) throws IOException {
    List<String> files = list(directory(sink));
    TreeSet<String> batches = new TreeSet<>();
    files.forEach(file -> batches.add(batchOf(file)));
    if (batches.size() <= kept) {
      return;
    }
    String first = batches.descendingSet().stream().skip(kept - 1L).findFirst().orElseThrow();
    for (String file : files) {
      if (batchOf(file).compareTo(first) < 0) {
        storage.delete(directory(sink) + "/" + file);
      }
    }
  }

  private static String batchOf(String file) {
    return file.substring(0, Math.max(0, file.indexOf('-')));
  }

  /** Returns the sinks that have side files, whether or not a commit names them. */
  Set<String> sinks() {
    Set<String> sinks = new TreeSet<>();
    try {
      for (String sink : list(DIRECTORY)) {
        String directory = DIRECTORY + "/" + sink;
        for (String file : list(directory)) {
          if (file.endsWith(".json")) {
            byte[] bytes = storage.read(directory + "/" + file);
            sinks.add(JSON.readTree(bytes).path("sink").asText());
            break;
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Records must be readable in \"" + storage.path(DIRECTORY) + "\".", e);
    }
    return sinks;
  }

  private List<String> list(String directory) throws IOException {
    return storage.names(directory).stream().filter(name -> !name.startsWith(".")).toList();
  }

  private static String directory(String sink) {
    return DIRECTORY + "/" + PartitionValues.shorten(PartitionValues.escape(sink));
  }

  private static String file(String sink, long batch, long hash) {
    return directory(sink) + String.format(Locale.ROOT, "/%020d-%s.json", batch, hex(hash));
  }

  private static String hex(long hash) {
    return HexFormat.of().toHexDigits(hash);
  }

  /* Transaction versions are signed, and writers agree that they are not negative. */
  private static long hash(byte[] bytes) {
    return Fingerprint.of(bytes).high() >>> 1;
  }

  private DamagedRecordException damaged(String sink, long batch, String found, Throwable cause) {
    return CommitErrors.damaged(storage.path(""), sink, batch, found, cause);
  }
}
