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
import dev.idem.io.delta.DeltaLakeIO;
import dev.idem.io.delta.changes.OnChanges;
import dev.idem.io.delta.changes.ReadChanges;
import dev.idem.io.delta.changes.TableChanges;
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.event.EventCoder;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A Delta Lake table, read version by version: what each commit adds is read once.
 *
 * <p>The offsets of a batch are versions. The first batch reads the table as it is, in one go; from
 * then on a batch reads whole versions, at least one. Commits that only move rows, as a compaction
 * does, add nothing. A commit that takes rows out stops the job, by its version, unless {@link
 * #onChanges} says otherwise. The table must keep its log's entries and its removed files for
 * longer than the job may be behind; versions that are gone stop it as Kafka's retention does.
 *
 * <p>The source's name is the table's id: a table that is moved stays the same source, and one that
 * is created anew at its path is another.
 */
public final class DeltaSource implements Source {

  private final String path;
  private final Map<String, String> hadoopConfiguration;
  private final OnChanges onChanges;
  private final StartingVersion start;
  private final @Nullable String eventTimeColumn;
  private @Nullable String tableId;

  private DeltaSource(
      String path,
      Map<String, String> hadoopConfiguration,
      OnChanges onChanges,
      StartingVersion start,
      @Nullable String eventTimeColumn) {
    this.path = path;
    this.hadoopConfiguration = hadoopConfiguration;
    this.onChanges = onChanges;
    this.start = start;
    this.eventTimeColumn = eventTimeColumn;
  }

  /**
   * Returns a source that reads a table as it is and then what is added to it.
   *
   * @param path a local path or a {@code file:} URI
   */
  public static DeltaSource table(String path) {
    return new DeltaSource(path, Map.of(), OnChanges.FAIL, StartingVersion.parse("snapshot"), null);
  }

  /** Says what becomes of commits that take rows out; the default is to fail. */
  public DeltaSource onChanges(OnChanges treatment) {
    return new DeltaSource(path, hadoopConfiguration, treatment, start, eventTimeColumn);
  }

  /**
   * Says where the first batch begins: {@code snapshot} (the default) reads the table as it is;
   * {@code latest}, a version from 1 on, or {@code timestamp:} with an ISO 8601 instant read only
   * what is committed from there on. Later batches begin where the last one ended.
   */
  public DeltaSource withStartingVersion(String version) {
    return new DeltaSource(
        path, hadoopConfiguration, onChanges, StartingVersion.parse(version), eventTimeColumn);
  }

  /**
   * Takes the event time from a column: a timestamp, ISO 8601 text with an offset, or whole
   * milliseconds. The default is the time of the commit.
   */
  public DeltaSource withEventTime(String column) {
    return new DeltaSource(path, hadoopConfiguration, onChanges, start, column);
  }

  /** Passes settings to Hadoop's file systems. */
  public DeltaSource withHadoopConfiguration(Map<String, String> configuration) {
    return new DeltaSource(path, Map.copyOf(configuration), onChanges, start, eventTimeColumn);
  }

  TableChanges changes() {
    return TableChanges.of(path, onChanges, hadoopConfiguration);
  }

  String path() {
    return path;
  }

  /** The table is asked once: a job reads one and the same. */
  String tableId() {
    if (tableId == null) {
      tableId = changes().tableId();
    }
    return tableId;
  }

  @Override
  public List<String> names() {
    return List.of(tableId());
  }

  @Override
  public Map<String, String> boundOptions() {
    return Map.of("format", "delta", "eventTime", eventTimeColumn == null ? "" : eventTimeColumn);
  }

  @Override
  public Map<String, String> contentOptions() {
    return Map.of("onChanges", onChanges.name().toLowerCase(Locale.ROOT));
  }

  @Override
  public Session connect() {
    return new DeltaSession(this, start);
  }

  @Override
  public @Nullable Schema givenSchema() {
    return null;
  }

  @Override
  public Schema rowSchema(Schema decoded) {
    return isFeed() ? ReadChanges.withFeedColumns(decoded) : decoded;
  }

  private boolean isFeed() {
    return onChanges == OnChanges.CDF;
  }

  @Override
  public String describe(Plan.Range range) {
    if (range.size() == 0) {
      return "table " + path + ": nothing";
    }
    return range.start() == 0
        ? "table %s: as it is at version %d".formatted(path, range.end() - 1)
        : "table %s: versions %d to %d".formatted(path, range.start(), range.end() - 1);
  }

  @Override
  public PCollection<Event> read(Pipeline pipeline, Plan plan, Schema decoded) {
    Plan.Range range = plan.ranges().get(0);
    Schema rows = rowSchema(decoded);
    ReadChanges read =
        DeltaLakeIO.readChanges()
            .from(path)
            .onChanges(onChanges)
            .withHadoopConfiguration(hadoopConfiguration);
    read =
        range.start() == 0
            ? read.upToVersion(range.end() - 1)
            : read.betweenVersions(range.start(), range.end() - 1);
    return pipeline.apply(
        "ReadVersions",
        read.map(
            new DecodeChange(tableId(), rows, isFeed(), eventTimeColumn), EventCoder.of(rows)));
  }

  @Override
  public DoFn<Row, Event> decodingAgain(Plan plan, Schema decoded) {
    return new DecodeDeadRow(rowSchema(decoded), eventTimeColumn);
  }
}
