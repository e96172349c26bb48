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
import dev.idem.io.delta.error.RowRefusedException;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.delta.table.SchemaEvolution;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A plain append of rows to a Delta table; made by {@link DeltaLakeIO#writeAtLeastOnce}.
 *
 * <p><b>Guarantee.</b> The rows are in the table at least once when the pipeline has ended, and
 * readers see all rows of one run or none. <b>A replay adds the same rows again</b>, and nothing in
 * the table tells them apart.
 *
 * <p><b>Replay.</b> A crash before the commit leaves files that no commit names, and the replay
 * writes the rows. A crash after the commit makes the replay write them a second time.
 *
 * <p><b>Requirements.</b> Bounded input in the global window, and a table that all workers reach.
 *
 * <p><b>State and cost.</b> Nothing is recorded in the table. Otherwise as {@link
 * WriteExactlyOnce}.
 *
 * <p><b>Errors.</b> Those of {@link DeltaTable#commit} that are not about batches, and {@link
 * RowRefusedException}.
 *
 * <pre>{@code
 * rows.apply(DeltaLakeIO.writeAtLeastOnce().to("/data/clicks"));
 * }</pre>
 */
@SuppressWarnings("AutoValueImmutableFields") // The collections are copies that cannot change.
@AutoValue
public abstract class WriteAtLeastOnce extends PTransform<PCollection<Row>, WriteResult> {

  WriteAtLeastOnce() {}

  static WriteAtLeastOnce of() {
    return new AutoValue_WriteAtLeastOnce.Builder()
        .setPartitionColumns(List.of())
        .setTargetFileSize(DataFileSpec.DEFAULT_TARGET_FILE_SIZE)
        .setHadoopConfiguration(Map.of())
        .setNanosecondsTruncated(false)
        .build();
  }

  abstract @Nullable String path();

  abstract List<String> partitionColumns();

  abstract @Nullable String tableSchema();

  abstract long targetFileSize();

  abstract Map<String, String> hadoopConfiguration();

  abstract boolean nanosecondsTruncated();

  abstract Builder toBuilder();

  /** Sets the table: a local path, or a URI of a scheme that is supported. Required. */
  public WriteAtLeastOnce to(String path) {
    return toBuilder().setPath(path).build();
  }

  /** Sets the partition columns, in order. Default: none. An existing table must have the same. */
  public WriteAtLeastOnce withPartitionColumns(String... columns) {
    return toBuilder().setPartitionColumns(List.of(columns)).build();
  }

  /**
   * Sets the table's schema as Delta schema JSON; needed for decimals without a precision. Default:
   * made from the rows' schema.
   */
  public WriteAtLeastOnce withTableSchema(String deltaSchemaJson) {
    DeltaSchemas.parse(deltaSchemaJson);
    return toBuilder().setTableSchema(deltaSchemaJson).build();
  }

  /** Sets about how many bytes a file may have before the next is begun. Default: 128 MiB. */
  public WriteAtLeastOnce withTargetFileSize(long bytes) {
    return toBuilder().setTargetFileSize(bytes).build();
  }

  /** Sets settings for Parquet and its codecs. Default: none. */
  public WriteAtLeastOnce withHadoopConfiguration(Map<String, String> configuration) {
    return toBuilder().setHadoopConfiguration(Map.copyOf(configuration)).build();
  }

  /**
   * Takes timestamps of nanoseconds and truncates them to microseconds, towards the past. Default:
   * they are refused.
   */
  public WriteAtLeastOnce truncateNanoseconds() {
    return toBuilder().setNanosecondsTruncated(true).build();
  }

  @Override
  public WriteResult expand(PCollection<Row> rows) {
    StagedFiles.requireBatch(rows);
    DataFileSpec spec =
        StagedFiles.spec(
            rows,
            path(),
            tableSchema(),
            partitionColumns(),
            targetFileSize(),
            hadoopConfiguration(),
            nanosecondsTruncated(),
            SchemaEvolution.NONE);
    PCollection<DeltaWriteOutcome> outcomes =
        rows.apply("StageFiles", new StagedFiles(spec))
            .apply(
                "AppendFiles",
                ParDo.of(new CommitStep(spec, null, -1, null, null, SchemaEvolution.NONE, null)))
            .setCoder(DeltaWriteOutcome.coder());
    return WriteResult.of(rows.getPipeline(), outcomes);
  }

  /** Leaves out the configuration, which may hold credentials. */
  @Override
  public final String toString() {
    return "DeltaLakeIO.writeAtLeastOnce()";
  }

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder setPath(@Nullable String value);

    abstract Builder setPartitionColumns(List<String> value);

    abstract Builder setTableSchema(@Nullable String value);

    abstract Builder setTargetFileSize(long value);

    abstract Builder setHadoopConfiguration(Map<String, String> value);

    abstract Builder setNanosecondsTruncated(boolean value);

    abstract WriteAtLeastOnce build();
  }
}
