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

import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.delta.kernel.LogEntry;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * A RESTORE that took back what a sink committed: transaction ids stay while rows go. Only the
 * entries since that commit are read.
 *
 * @param commit the version of the sink's last commit
 * @param restore the version of the RESTORE
 */
record TakenBack(long commit, long restore) {

  static Optional<TakenBack> find(KernelTable table, KernelSnapshot snapshot, String sink) {
    Optional<Long> recorded = snapshot.transaction(sink);
    if (recorded.isEmpty() && lanesOf(sink).isEmpty()) {
      return Optional.empty();
    }
    TreeMap<Long, OptionalLong> restores = new TreeMap<>();
    long version = snapshot.version();
    for (; version >= 0; version--) {
      Optional<LogEntry> entry = table.entry(version);
      if (entry.isEmpty() || isBy(sink, recorded, entry.get())) {
        break;
      }
      if (entry.get().operation().equals("RESTORE")) {
        restores.put(version, restoredVersion(entry.get()));
      }
    }
    // The commit is at this version, or before it if clean-up removed its entry.
    long commit = Math.max(version, 0);
    // After a RESTORE the rows are those of its version, whatever came between the two.
    Map.Entry<Long, OptionalLong> last = restores.lastEntry();
    while (last != null) {
      OptionalLong to = last.getValue();
      // One by time may have gone anywhere.
      if (to.isEmpty() || to.getAsLong() < commit) {
        return Optional.of(new TakenBack(commit, last.getKey()));
      }
      last = restores.floorEntry(Math.min(to.getAsLong(), last.getKey() - 1));
    }
    return Optional.empty();
  }

  private static boolean isBy(String sink, Optional<Long> recorded, LogEntry entry) {
    return lanesOf(sink)
        .map(lanes -> entry.transactions().keySet().stream().anyMatch(id -> id.startsWith(lanes)))
        .orElseGet(() -> recorded.equals(Optional.ofNullable(entry.transactions().get(sink))));
  }

  /* What a RESTORE took back of one lane is missing whichever lane is asked. */
  private static Optional<String> lanesOf(String sink) {
    int lane = sink.indexOf('#');
    return lane < 0 ? Optional.empty() : Optional.of(sink.substring(0, lane + 1));
  }

  static void refuse(String path, KernelTable table, KernelSnapshot snapshot, String sink) {
    find(table, snapshot, sink)
        .ifPresent(
            found -> {
              throw CommitErrors.restored(path, sink, found.commit(), found.restore());
            });
  }

  private static OptionalLong restoredVersion(LogEntry entry) {
    String version = entry.parameters().getOrDefault("version", "");
    return version.matches("\\d+")
        ? OptionalLong.of(Long.parseLong(version))
        : OptionalLong.empty();
  }
}
