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
package dev.idem.io.delta;

import com.google.auto.value.AutoValue;
import dev.idem.io.file.Storage;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A write of one batch of rows to a Delta table, whose rows appear once however often the batch is
 * run; made by {@link DeltaLakeIO#writeExactlyOnce}.
 *
 * <p><b>Guarantee.</b> The batch id is in the table at most once. Readers see all rows of the batch
 * or none. Rows that break a rule of a column fail the pipeline before anything is committed; send
 * them elsewhere first.
 *
 * <p><b>Replay.</b> A crash while files are written leaves files that no commit names. A crash
 * before the commit does the same. After the commit the replay finds the record of the batch: with
 * the same plan and content it adds nothing, with other content it fails. A worker that writes
 * twice, or two attempts at once, make files of which one set is committed.
 *
 * <p><b>Requirements.</b> Bounded input in the global window. A table on a local disk that all
 * workers share. No stable input is needed. The batch id grows from batch to batch of one
 * application; without a plan fingerprint the content of the rows stands for the plan, so two
 * different batches under one id are refused, not merged.
 *
 * <p><b>State and cost.</b> Workers write files in bundles; one small shuffle brings their names to
 * one worker, which commits. In the table: two transaction ids, and the records of the last 100
 * batches.
 *
 * <p><b>Errors.</b> Those of {@link DeltaTable#commit}, {@link RowRefusedException}, and {@link
 * RestoredTableException} if rows of earlier batches were taken out by a RESTORE.
 *
 * <pre>{@code
 * WriteResult result =
 *     orders.apply(
 *         DeltaLakeIO.writeExactlyOnce("orders")
 *             .to("/data/orders")
 *             .withBatch(day.toEpochDay(), source.fingerprint()));
 * mails.apply(Wait.on(result.outcomes()));
 * }</pre>
 */
@SuppressWarnings("AutoValueImmutableFields") // The collections are copies that cannot change.
@AutoValue
public abstract class WriteExactlyOnce extends PTransform<PCollection<Row>, WriteResult> {

  WriteExactlyOnce() {}

  static WriteExactlyOnce of(String applicationId) {
    if (applicationId.isBlank() || applicationId.contains("#")) {
      throw new IllegalArgumentException(
          "Application id must be text without \"#\", but was: \""
              + applicationId
              + "\". Choose a name that stays the same over restarts.");
    }
    return new AutoValue_WriteExactlyOnce.Builder()
        .setApplicationId(applicationId)
        .setSinkName("main")
        .setPartitionColumns(List.of())
        .setTargetFileSize(DataFileSpec.DEFAULT_TARGET_FILE_SIZE)
        .setHadoopConfiguration(Map.of())
        .setNanosecondsTruncated(false)
        .build();
  }

  abstract String applicationId();

  abstract @Nullable String path();

  abstract String sinkName();

  abstract @Nullable Long batch();

  abstract @Nullable String planFingerprint();

  abstract List<String> partitionColumns();

  abstract @Nullable String tableSchema();

  abstract long targetFileSize();

  abstract Map<String, String> hadoopConfiguration();

  abstract boolean nanosecondsTruncated();

  abstract @Nullable PartitionPredicate overwritten();

  abstract Builder toBuilder();

  /** Sets the table: a local path or {@code file:} URI. Required. */
  public WriteExactlyOnce to(String path) {
    return toBuilder().setPath(path).build();
  }

  /** Names this sink among several of the application on one table. Default: {@code main}. */
  public WriteExactlyOnce withSink(String name) {
    if (name.isBlank() || name.contains("#")) {
      throw new IllegalArgumentException(
          "Sink name must be text without \"#\", but was: \"" + name + "\". Name the sink.");
    }
    return toBuilder().setSinkName(name).build();
  }

  /** Sets the batch id; the hash of the rows stands for the plan. A batch id is required. */
  public WriteExactlyOnce withBatch(long id) {
    if (id < 0) {
      throw new IllegalArgumentException(
          "Batch id must not be negative, but was: " + id + ". Count from 0.");
    }
    return toBuilder().setBatch(id).setPlanFingerprint(null).build();
  }

  /** Sets the batch id and the fingerprint of all that decides the batch's rows. */
  public WriteExactlyOnce withBatch(long id, String planFingerprint) {
    if (planFingerprint.isBlank()) {
      throw new IllegalArgumentException(
          "Plan fingerprint must not be blank, but was: \"\". Leave it out to use the content.");
    }
    return withBatch(id).toBuilder().setPlanFingerprint(planFingerprint).build();
  }

  /**
   * Replaces partitions by the batch: in its one commit they lose the rows that they hold by then,
   * whoever wrote them, and get the batch's. A row of another partition fails the pipeline, and
   * nothing is committed. Default: the batch is appended.
   *
   * <p>The batch replaces once. Run again it finds its record and touches nothing, also if others
   * have appended to the partitions since. A batch id that the table has with another plan is
   * refused: after the count of batches was lost, batch 0 does not replace what another batch 0
   * wrote.
   */
  public WriteExactlyOnce overwriting(PartitionPredicate partitions) {
    return toBuilder().setOverwritten(partitions).build();
  }

  /** Sets the partition columns, in order. Default: none. An existing table must have the same. */
  public WriteExactlyOnce withPartitionColumns(String... columns) {
    return toBuilder().setPartitionColumns(List.of(columns)).build();
  }

  /**
   * Sets the table's schema as Delta schema JSON; needed for decimals without a precision. Default:
   * made from the rows' schema.
   */
  public WriteExactlyOnce withTableSchema(String deltaSchemaJson) {
    DeltaSchemas.parse(deltaSchemaJson);
    return toBuilder().setTableSchema(deltaSchemaJson).build();
  }

  /**
   * Sets about how many bytes a file may have before the next is begun. Default: 128 MiB. Smaller
   * files are skipped more precisely by readers, larger ones are fewer to open.
   */
  public WriteExactlyOnce withTargetFileSize(long bytes) {
    return toBuilder().setTargetFileSize(bytes).build();
  }

  /** Sets settings for Parquet and its codecs. Default: none. */
  public WriteExactlyOnce withHadoopConfiguration(Map<String, String> configuration) {
    return toBuilder().setHadoopConfiguration(Map.copyOf(configuration)).build();
  }

  /**
   * Takes timestamps of nanoseconds and truncates them to microseconds, towards the past. Default:
   * they are refused.
   */
  public WriteExactlyOnce truncateNanoseconds() {
    return toBuilder().setNanosecondsTruncated(true).build();
  }

  @Override
  public WriteResult expand(PCollection<Row> rows) {
    if (batch() == null) {
      throw new IllegalArgumentException(
          "Write to Delta must have a batch id, but was: none. Call withBatch(id).");
    }
    DataFileSpec spec =
        StagedFiles.spec(
            rows,
            path(),
            tableSchema(),
            partitionColumns(),
            targetFileSize(),
            hadoopConfiguration(),
            nanosecondsTruncated());
    PartitionPredicate replaced = overwritten();
    if (replaced != null) {
      PartitionFilter.of(
          Storage.location("Table path", spec.tablePath()),
          spec.schema().columns(),
          spec.partitionColumns(),
          replaced);
      DeltaTable.at(spec.tablePath(), hadoopConfiguration()).requireOverwrite(replaced);
    }
    CommitStep commit =
        new CommitStep(
            spec, applicationId() + "/" + sinkName(), batch(), planFingerprint(), replaced);
    PCollection<DeltaWriteOutcome> outcomes =
        rows.apply("StageFiles", new StagedFiles(spec))
            .apply("CommitBatch", ParDo.of(commit))
            .setCoder(DeltaWriteOutcome.coder());
    return WriteResult.of(rows.getPipeline(), outcomes);
  }

  /** Leaves out the configuration, which may hold credentials. */
  @Override
  public void populateDisplayData(DisplayData.Builder builder) {
    builder
        .add(DisplayData.item("applicationId", applicationId()))
        .add(DisplayData.item("sink", sinkName()))
        .addIfNotNull(DisplayData.item("table", path()))
        .addIfNotNull(DisplayData.item("batch", batch()));
    PartitionPredicate replaced = overwritten();
    if (replaced != null) {
      builder.add(DisplayData.item("overwriting", replaced.toString()));
    }
  }

  /** Leaves out the configuration, which may hold credentials. */
  @Override
  public final String toString() {
    return "DeltaLakeIO.writeExactlyOnce(" + applicationId() + "/" + sinkName() + ")";
  }

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder setApplicationId(String value);

    abstract Builder setPath(@Nullable String value);

    abstract Builder setSinkName(String value);

    abstract Builder setBatch(@Nullable Long value);

    abstract Builder setPlanFingerprint(@Nullable String value);

    abstract Builder setOverwritten(@Nullable PartitionPredicate value);

    abstract Builder setPartitionColumns(List<String> value);

    abstract Builder setTableSchema(@Nullable String value);

    abstract Builder setTargetFileSize(long value);

    abstract Builder setHadoopConfiguration(Map<String, String> value);

    abstract Builder setNanosecondsTruncated(boolean value);

    abstract WriteExactlyOnce build();
  }
}
