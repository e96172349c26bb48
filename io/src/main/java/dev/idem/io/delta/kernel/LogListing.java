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
import dev.idem.io.file.StoredFile;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;

/*
 * A local directory gives its names in no order, so the few since the last checkpoint cost as much as
 * all of a log that keeps its entries for a month. Entries have numbers without gaps: once all names
 * from a checkpoint on have been listed, what follows is found by asking for the next number.
 */
/** Lists a log on a local disk at a cost that does not grow with the log. */
final class LogListing {

  private static final String LOG = "/_delta_log/";
  private static final String CHECKPOINT = ".checkpoint.parquet";
  private static final String CHECKSUM = ".crc";

  private final Storage storage;
  private final TreeMap<String, StoredFile> known = new TreeMap<>();
  private String directory = "";

  LogListing(Storage storage) {
    this.storage = storage;
  }

  /** Returns the files of a directory whose names are {@code from} or after it, sorted by name. */
  synchronized List<StoredFile> list(String listed, String from) throws IOException {
    if (!listed.endsWith(LOG) || !from.matches("\\d{20}\\..*") || storage.local("").isEmpty()) {
      return storage.list(listed, from);
    }
    String version = from.substring(0, from.indexOf('.'));
    if (!listed.equals(directory) || !holdsCheckpoint(listed, version) || !holdsLast(listed)) {
      known.clear();
      directory = listed;
      storage.list(listed, from).forEach(file -> known.put(file.name(), file));
      // Names after the last number are of files that are not entries.
      known.tailMap(version(Long.MAX_VALUE), true).clear();
      return List.copyOf(known.values());
    }
    known.headMap(from).clear();
    if (!known.containsKey(version + CHECKSUM)) {
      find(listed, version + CHECKSUM);
    }
    long next = lastEntry() + 1;
    for (; find(listed, version(next) + ".json").isPresent(); next++) {
      find(listed, version(next) + CHECKPOINT);
    }
    return List.copyOf(known.values());
  }

  /** Returns whether the files known are those from this version's checkpoint on. */
  private boolean holdsCheckpoint(String listed, String version) throws IOException {
    StoredFile before = known.get(version + CHECKPOINT);
    if (before == null && !known.containsKey(version + ".json")) {
      return false;
    }
    // A table that was made anew under this path has other files of these names.
    Optional<StoredFile> now = find(listed, version + CHECKPOINT);
    return now.isPresent() && (before == null || before.equals(now.get()));
  }

  /** Returns false for a log that an older copy was put in place of. */
  private boolean holdsLast(String listed) throws IOException {
    StoredFile last = known.get(version(lastEntry()) + ".json");
    return last == null || storage.find(listed + last.name()).equals(Optional.of(last));
  }

  private long lastEntry() {
    return known.keySet().stream()
        .filter(name -> name.matches("\\d{20}\\.json"))
        .mapToLong(name -> Long.parseLong(name.substring(0, name.indexOf('.'))))
        .max()
        .orElse(Long.parseLong(known.firstKey().substring(0, known.firstKey().indexOf('.'))));
  }

  private Optional<StoredFile> find(String listed, String name) throws IOException {
    Optional<StoredFile> found = storage.find(listed + name);
    found.ifPresent(file -> known.put(name, file));
    return found;
  }

  private static String version(long number) {
    return String.format(Locale.ROOT, "%020d", number);
  }
}
