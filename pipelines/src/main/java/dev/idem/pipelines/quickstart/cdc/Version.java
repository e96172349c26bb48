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
package dev.idem.pipelines.quickstart.cdc;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A row of the table with the history.
 *
 * @param start the position in the log from which on it was so
 * @param end the position up to which it was so, null if it still is
 */
record Version(Account account, Position start, @Nullable Position end) {

  /** A position in the log: where the transaction before ended, and that of the change. */
  record Position(long commit, long change) implements Comparable<Position> {
    private static @Nullable Position of(@Nullable Row row) {
      return row == null ? null : new Position((long) row.getValue(0), (long) row.getValue(1));
    }

    @Override
    public int compareTo(Position other) {
      return Comparator.comparingLong(Position::commit)
          .thenComparingLong(Position::change)
          .compare(this, other);
    }
  }

  static Version of(Row row) {
    return new Version(
        Account.of(row),
        Position.of(row.getRow("__START_AT")),
        Position.of(row.getRow("__END_AT")));
  }

  boolean isOpen() {
    return end == null;
  }

  /** Returns how many versions begin before the one before them of their key ends, or end first. */
  static long overlapping(List<Version> versions) {
    Map<Long, List<Version>> byKey = new HashMap<>();
    for (Version version : versions) {
      byKey.computeIfAbsent(version.account().id(), id -> new ArrayList<>()).add(version);
    }
    long overlapping = 0;
    for (List<Version> history : byKey.values()) {
      history.sort(Comparator.comparing(Version::start));
      for (int i = 0; i < history.size(); i++) {
        Version version = history.get(i);
        boolean last = i == history.size() - 1;
        if (version.isOpen() ? !last : version.end().compareTo(version.start()) <= 0) {
          overlapping++;
        } else if (!last && version.end().compareTo(history.get(i + 1).start()) > 0) {
          overlapping++;
        }
      }
    }
    return overlapping;
  }
}
