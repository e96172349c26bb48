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

import com.google.auto.value.AutoValue;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.PartitionPredicate;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One batch of one sink, ready to be committed to a Delta table. */
// The collections are copies that cannot change; Guava's types are not part of this library's API.
@SuppressWarnings("AutoValueImmutableFields")
@AutoValue
public abstract class DeltaCommit {

  private static final int KEPT_RECORDS = 100;

  /* The last record of a lane tells all; the others are for those who read while it is replaced. */
  private static final int KEPT_RECORDS_OF_LANE = 16;

  DeltaCommit() {}

  /**
   * Returns a commit without files.
   *
   * @param sink the sink id, {@code application/sink}; the same on every run
   * @param batch the batch id, from 0
   * @param plan the fingerprint of all that decides the batch
   * @param content the hash of the batch's rows
   * @param schemaJson the Delta schema that the files have; the table gets it if it is created
   */
  public static DeltaCommit of(
      String sink, long batch, String plan, String content, String schemaJson) {
    if (sink.isBlank() || sink.indexOf('#') >= 0) {
      throw new IllegalArgumentException(
          "Sink id must be text without \"#\", but was: \""
              + sink
              + "\". Name it"
              + " application/sink.");
    }
    if (batch < 0) {
      throw new IllegalArgumentException(
          "Batch id must not be negative, but was: " + batch + ". Count from 0.");
    }
    requireText("Plan fingerprint", plan);
    requireText("Content hash", content);
    return new AutoValue_DeltaCommit.Builder()
        .setSink(sink)
        .setBatch(batch)
        .setPlan(plan)
        .setContent(content)
        .setSchemaJson(schemaJson)
        .setPartitionColumns(List.of())
        .setTableProperties(Map.of())
        .setEpoch("")
        .setBody("{}")
        .setStrict(false)
        .setOverwritten(Optional.empty())
        .setKeptRecords(KEPT_RECORDS)
        .setAdded(List.of())
        .setRemoved(List.of())
        .setRewrittenFrom(List.of())
        .setRewrittenTo(List.of())
        .setParameters(Map.of())
        .setMetrics(Map.of())
        .build();
  }

  private static void requireText(String what, String value) {
    if (value.isBlank()) {
      throw new IllegalArgumentException(
          what
              + " must not be blank, but was: \""
              + value
              + "\". Without it a replay could not be"
              + " told from another batch.");
    }
  }

  abstract String sink();

  abstract long batch();

  abstract String plan();

  abstract String content();

  abstract String schemaJson();

  abstract List<String> partitionColumns();

  abstract Map<String, String> tableProperties();

  abstract String epoch();

  abstract String body();

  abstract boolean strict();

  abstract Optional<PartitionPredicate> overwritten();

  abstract int keptRecords();

  abstract List<DataFile> added();

  abstract List<DataFile> removed();

  abstract List<DataFile> rewrittenFrom();

  abstract List<DataFile> rewrittenTo();

  abstract Map<String, String> parameters();

  abstract Map<String, String> metrics();

  abstract Builder toBuilder();

  /** Sets the partition columns, in order; those of the table must be the same. Default: none. */
  public DeltaCommit withPartitionColumns(List<String> columns) {
    return toBuilder().setPartitionColumns(List.copyOf(columns)).build();
  }

  /** Sets properties that the table gets if it is created. Default: none. */
  public DeltaCommit withTableProperties(Map<String, String> properties) {
    return toBuilder().setTableProperties(Map.copyOf(properties)).build();
  }

  /** Sets the epoch of the checkpoint, kept in the record. Default: empty. */
  public DeltaCommit withEpoch(String epoch) {
    return toBuilder().setEpoch(epoch).build();
  }

  /** Sets what the record keeps for {@link DeltaRecord#body}, as JSON. Default: {@code {}}. */
  public DeltaCommit withBody(String body) {
    return toBuilder().setBody(body).build();
  }

  /**
   * Asks for the batch to be the next one of the sink, or 0 if there is none, and for the one
   * before not to be taken back by a RESTORE. Use it with a checkpoint; without one, gaps are
   * allowed, which is the default.
   */
  public DeltaCommit withoutGaps() {
    return toBuilder().setStrict(true).build();
  }

  /**
   * Replaces partitions: what they hold when the batch is committed leaves the table in the same
   * commit, also what others have added since the batch was written. Files of other partitions are
   * refused. A batch that the table holds already replaces nothing. Default: nothing is replaced.
   */
  public DeltaCommit overwriting(PartitionPredicate partitions) {
    return toBuilder().setOverwritten(Optional.of(partitions)).build();
  }

  /** Returns this commit as one of a lane of its sink, with a count and records of its own. */
  public DeltaCommit inLane(String lane) {
    return toBuilder().setSink(laneSink(sink(), lane)).setKeptRecords(KEPT_RECORDS_OF_LANE).build();
  }

  /** Returns the sink that the batches of a lane are recorded under. */
  public static String laneSink(String sink, String lane) {
    return sink + "#" + lane;
  }

  /** Sets the files with the batch's rows. Default: none, which still records the batch. */
  public DeltaCommit withFiles(List<DataFile> files) {
    return toBuilder().setAdded(List.copyOf(files)).build();
  }

  /** Sets files whose rows leave the table. Default: none. */
  public DeltaCommit withRemovedFiles(List<DataFile> files) {
    return toBuilder().setRemoved(List.copyOf(files)).build();
  }

  /** Sets files that are replaced by others with the same rows. Default: none. */
  public DeltaCommit withRewrittenFiles(List<DataFile> from, List<DataFile> to) {
    return toBuilder().setRewrittenFrom(List.copyOf(from)).setRewrittenTo(List.copyOf(to)).build();
  }

  /** Sets parameters for the table's history, beside those of the batch itself. */
  public DeltaCommit withParameters(Map<String, String> parameters) {
    return toBuilder().setParameters(Map.copyOf(parameters)).build();
  }

  /** Sets metrics for the table's history, beside those of the files. */
  public DeltaCommit withMetrics(Map<String, String> metrics) {
    return toBuilder().setMetrics(Map.copyOf(metrics)).build();
  }

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder setSink(String value);

    abstract Builder setBatch(long value);

    abstract Builder setPlan(String value);

    abstract Builder setContent(String value);

    abstract Builder setSchemaJson(String value);

    abstract Builder setPartitionColumns(List<String> value);

    abstract Builder setTableProperties(Map<String, String> value);

    abstract Builder setEpoch(String value);

    abstract Builder setBody(String value);

    abstract Builder setStrict(boolean value);

    abstract Builder setOverwritten(Optional<PartitionPredicate> value);

    abstract Builder setKeptRecords(int value);

    abstract Builder setAdded(List<DataFile> value);

    abstract Builder setRemoved(List<DataFile> value);

    abstract Builder setRewrittenFrom(List<DataFile> value);

    abstract Builder setRewrittenTo(List<DataFile> value);

    abstract Builder setParameters(Map<String, String> value);

    abstract Builder setMetrics(Map<String, String> value);

    abstract DeltaCommit build();
  }
}
