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
package dev.idem.pipelines.source;

import dev.idem.io.checkpoint.Plan;
import dev.idem.io.delta.changes.TableChanges;
import dev.idem.pipelines.failure.JobRefusedException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.schemas.Schema;

/**
 * The driver's view of a table whose versions a job reads. A table is one partition; the offset
 * behind a version is the next version. Offset 0 is before the table as it is, and never a commit.
 */
final class DeltaSession implements Source.Session {

  private static final String TABLE = "table";

  private final DeltaSource source;
  private final StartingVersion start;
  private final TableChanges changes;

  DeltaSession(DeltaSource source, StartingVersion start) {
    this.source = source;
    this.start = start;
    this.changes = source.changes();
  }

  @Override
  public Map<String, String> identity() {
    return Map.of(TABLE, changes.tableId());
  }

  @Override
  public List<Source.Position> limits() {
    return at(changes.lastVersion() + 1);
  }

  private List<Source.Position> at(long offset) {
    return List.of(new Source.Position(source.tableId(), 0, offset, -1));
  }

  @Override
  public List<Source.Position> starts(List<Source.Position> limits) {
    return switch (start.kind()) {
      case SNAPSHOT -> at(0);
      case LATEST -> limits;
      case VERSION -> {
        requireEntry(start.version());
        yield at(start.version());
      }
      case TIME -> {
        long first = changes.firstVersionSince(start.time()).orElse(limits.get(0).offset());
        yield at(Math.max(1, first));
      }
    };
  }

  @Override
  public boolean startsMove() {
    return start.kind() == StartingVersion.Kind.LATEST;
  }

  @Override
  public List<Source.Position> earliest(List<Source.Position> partitions) {
    // What the table is at a version needs no entries of earlier ones.
    boolean whole = !partitions.isEmpty() && partitions.get(0).offset() == 0;
    return partitions.isEmpty() ? List.of() : at(whole ? 0 : changes.earliestVersion());
  }

  private void requireEntry(long version) {
    long earliest = changes.earliestVersion();
    if (version < earliest) {
      throw SourceErrors.startingVersionGone(source.path(), version, earliest);
    }
  }

  @Override
  public JobRefusedException historyGone(Source.Position start, long first) {
    return SourceErrors.historyGone("table " + source.path(), "version", start.offset(), first);
  }

  @Override
  public JobRefusedException outOfRetention(Source.Position earliest, long wanted) {
    return SourceErrors.versionsGone(source.path(), wanted, earliest.offset());
  }

  @Override
  public List<Plan.Range> next(List<Plan.Range> unread, long maxRecords) {
    Plan.Range range = unread.get(0);
    return range.start() == 0 || range.size() == 0
        ? unread
        : List.of(range.endingAt(changes.end(range.start(), range.end() - 1, maxRecords) + 1));
  }

  @Override
  public long records(List<Plan.Range> ranges) {
    Plan.Range range = ranges.get(0);
    if (range.size() == 0) {
      return 0;
    }
    return range.start() == 0
        ? changes.rowsAt(range.end() - 1)
        : changes.rows(range.start(), range.end() - 1);
  }

  @Override
  public Map<String, String> notes(List<Plan.Range> ranges) {
    Plan.Range range = ranges.get(0);
    long ignored =
        range.start() == 0 || range.size() == 0
            ? 0
            : changes.ignored(range.start(), range.end() - 1);
    return ignored == 0
        ? Map.of()
        : Map.of("commits that take rows out, left out", Long.toString(ignored));
  }

  @Override
  public void verify(Plan last, List<Source.Position> limits) {
    String planned = last.source().get(TABLE);
    if (!source.tableId().equals(planned)) {
      throw SourceErrors.otherTable(source.path(), planned, source.tableId());
    }
    Plan.Range range = last.ranges().get(0);
    if (limits.get(0).offset() < range.end()) {
      throw SourceErrors.tableShorter(source.path(), range.end() - 1, limits.get(0).offset() - 1);
    }
  }

  @Override
  public Optional<Schema> schema(List<Plan.Range> first, List<Source.Position> limits) {
    return Optional.of(changes.schema(first.get(0).end() - 1));
  }

  @Override
  public Optional<Schema> changedSchema(List<Plan.Range> ranges, Schema before) {
    Schema now = changes.schema(ranges.get(0).end() - 1);
    return now.equals(before) ? Optional.empty() : Optional.of(now);
  }

  @Override
  public void close() {}
}
