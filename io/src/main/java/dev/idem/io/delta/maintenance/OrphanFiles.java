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

import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.file.Storage;
import dev.idem.io.file.StoredFile;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/*
 * Left alone are names that begin with a dot or an underscore, directories of other tables, links,
 * and whatever is neither a data file nor a deletion vector by its name: it is not known to be this
 * table's. What merges need until they are done is looked for where they put it.
 */
/**
 * Finds the files below a table that could be data files or deletion vectors of it, or a merge's.
 */
final class OrphanFiles {

  private static final Pattern OF_A_TABLE =
      Pattern.compile("[^._].*\\.parquet|deletion_vector_.*\\.bin");

  private static final Pattern OF_A_MERGE = Pattern.compile("[0-9a-f-]{36}\\.[a-z]+");

  private final Storage storage;
  private final Instant before;
  private final SortedMap<String, Long> sizes = new TreeMap<>();

  private OrphanFiles(Storage storage, Instant before) {
    this.storage = storage;
    this.before = before;
  }

  /** Returns the names of the files that were changed before a time, with their sizes. */
  static SortedMap<String, Long> changedBefore(Instant time, Storage storage) throws IOException {
    OrphanFiles found = new OrphanFiles(storage, time);
    found.look("");
    found.lookAtMerges();
    return found.sizes;
  }

  private void look(String directory) throws IOException {
    for (StoredFile file : storage.list(directory, "")) {
      String name = directory + file.name();
      if (storage.local(name).map(Files::isSymbolicLink).orElse(false)) {
        continue;
      }
      if (file.directory()) {
        if (!isAnothers(name, file.name())) {
          look(name + "/");
        }
      } else {
        keep(name, file, OF_A_TABLE);
      }
    }
  }

  private void lookAtMerges() throws IOException {
    for (StoredFile file : storage.list(DeltaTable.MERGE_DIRECTORY, "")) {
      keep(DeltaTable.MERGE_DIRECTORY + file.name(), file, OF_A_MERGE);
    }
  }

  private void keep(String name, StoredFile file, Pattern wanted) {
    if (!file.directory()
        && wanted.matcher(file.name()).matches()
        && Instant.ofEpochMilli(file.modified()).isBefore(before)) {
      sizes.put(name, file.size());
    }
  }

  private boolean isAnothers(String path, String name) throws IOException {
    return name.startsWith("_")
        || name.startsWith(".")
        || storage.find(path + "/_delta_log").isPresent();
  }
}
