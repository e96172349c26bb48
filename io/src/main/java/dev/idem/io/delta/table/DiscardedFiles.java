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

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.delta.kernel.LogEntry;
import dev.idem.io.file.Storage;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Deletes files that were written for a table, and that it does not hold. */
final class DiscardedFiles {

  private final Storage storage;
  private final KernelTable table;

  DiscardedFiles(Storage storage, KernelTable table) {
    this.storage = storage;
    this.table = table;
  }

  private Optional<KernelSnapshot> load() {
    return TableChecks.load(table, storage.path(""));
  }

  /** Deletes those of the files that are in no version; see {@link DeltaTable#discard}. */
  int discard(List<DataFile> files) {
    if (files.isEmpty()) {
      return 0;
    }
    Set<String> kept;
    try {
      // A rewrite may have removed what the batch added, and older versions still have it.
      kept = load().isPresent() ? table.keptFiles() : Set.of();
    } catch (IOException e) {
      throw TableErrors.notCleaned(storage.path(""), e);
    }
    return LogFiles.delete(
        storage,
        files.stream()
            .map(DataFile::path)
            .filter(file -> !kept.contains(LogFiles.name(file)))
            .toList());
  }

  /** Deletes what a batch removed; see {@link DeltaTable#discardRemoved}. */
  int discardRemoved(String sink, long batch) {
    Optional<KernelSnapshot> snapshot = load();
    boolean recorded = snapshot.flatMap(s -> s.transaction(sink)).orElse(-1L) >= batch;
    for (long version = recorded ? snapshot.get().version() : -1; version >= 0; version--) {
      Optional<LogEntry> entry = table.entry(version);
      if (entry.isEmpty()) {
        return 0;
      }
      if (entry.get().transactions().getOrDefault(sink, -1L) == batch) {
        return entry.get().removed().isEmpty()
            ? 0
            : LogFiles.delete(storage, notHeld(entry.get().removed()));
      }
    }
    return 0;
  }

  private List<String> notHeld(List<String> files) {
    Set<String> held = new HashSet<>();
    load().ifPresent(snapshot -> snapshot.forEachFile(file -> held.add(file.path())));
    return files.stream().filter(file -> !held.contains(file)).toList();
  }
}
