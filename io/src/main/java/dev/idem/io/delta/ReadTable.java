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
import dev.idem.io.delta.file.PartitionFilter;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.delta.schema.BeamTypes;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.SchemaJson;
import dev.idem.io.delta.table.TableErrors;
import dev.idem.io.delta.table.TableVersion;
import dev.idem.io.file.Storage;
import io.delta.kernel.exceptions.KernelException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Reshuffle;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.apache.beam.sdk.values.PBegin;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A read of the rows of one version of a Delta table; made by {@link DeltaLakeIO#read}.
 *
 * <p><b>Guarantee.</b> Every row of that version once, and none of another: rows that deletion
 * vectors take out are left out, and commits during the read change nothing. The version is settled
 * when the transform is applied, so the pipeline reads the same at every attempt.
 *
 * <p><b>Replay.</b> A file that is read again gives the same rows. It is there as long as VACUUM
 * leaves it: a week unless the table says otherwise.
 *
 * <p><b>Requirements.</b> A table that all workers reach, and no reader feature that Delta Kernel
 * does not know. Tables with column mapping are read by their columns' names.
 *
 * <p><b>State and cost.</b> One element a file is shuffled; a file is read by one worker, and only
 * the chosen columns of it. With {@link #wherePartition} files of other partitions are not opened.
 *
 * <p><b>Errors.</b> {@link IllegalArgumentException} when it is applied, for a table, version,
 * time, column or partition value that there is not.
 *
 * <pre>{@code
 * PCollection<Row> paid =
 *     pipeline.apply(
 *         DeltaLakeIO.read()
 *             .from("/data/orders")
 *             .asOf(Instant.parse("2026-01-01T00:00:00Z"))
 *             .wherePartition("status", "paid")
 *             .withColumns("order_id", "amount"));
 * }</pre>
 */
@SuppressWarnings("AutoValueImmutableFields") // The collections are copies that cannot change.
@AutoValue
public abstract class ReadTable extends PTransform<PBegin, PCollection<Row>> {

  ReadTable() {}

  static ReadTable of() {
    return new AutoValue_ReadTable.Builder()
        .setColumns(List.of())
        .setPartitions(PartitionPredicate.everything())
        .setHadoopConfiguration(Map.of())
        .build();
  }

  abstract @Nullable String path();

  abstract @Nullable Long version();

  abstract @Nullable Instant time();

  abstract List<String> columns();

  abstract PartitionPredicate partitions();

  abstract Map<String, String> hadoopConfiguration();

  abstract Builder toBuilder();

  /** Sets the table: a local path, or a URI of a scheme that is supported. Required. */
  public ReadTable from(String path) {
    return toBuilder().setPath(path).build();
  }

  /** Reads a version. Default: the last one when the transform is applied. */
  public ReadTable withVersion(long version) {
    return toBuilder().setVersion(version).setTime(null).build();
  }

  /** Reads the last version that was committed at a time or before. */
  public ReadTable asOf(Instant time) {
    return toBuilder().setTime(time).setVersion(null).build();
  }

  /** Reads these columns only, in this order. Default: all. */
  public ReadTable withColumns(String... names) {
    return toBuilder().setColumns(List.of(names)).build();
  }

  /**
   * Reads only rows in which a partition column has one of these values, as Beam rows have them;
   * null is one. Conditions on several columns must all hold.
   */
  public ReadTable wherePartition(String column, @Nullable Object... values) {
    return toBuilder()
        .setPartitions(partitions().and(PartitionPredicate.in(column, values)))
        .build();
  }

  /** Sets settings for Parquet and its codecs. Default: none. */
  public ReadTable withHadoopConfiguration(Map<String, String> configuration) {
    return toBuilder().setHadoopConfiguration(Map.copyOf(configuration)).build();
  }

  @Override
  public PCollection<Row> expand(PBegin begin) {
    if (path() == null) {
      throw new IllegalArgumentException(
          "Read of Delta must have a table, but was: none. Call from(path).");
    }
    Storage storage = Storage.at("Table path", path(), hadoopConfiguration());
    KernelSnapshot snapshot = snapshot(storage);
    List<DeltaColumn> all = SchemaJson.read(snapshot.schemaJson());
    List<DeltaColumn> chosen = columns().isEmpty() ? all : choose(all);
    PartitionFilter filter =
        PartitionFilter.of(storage.path(""), all, snapshot.partitionColumns(), partitions());
    TableVersion version =
        new TableVersion(
            storage.path(""),
            snapshot.version(),
            chosen.stream().map(DeltaColumn::name).toList(),
            hadoopConfiguration());
    Schema schema = BeamTypes.schema(chosen);
    return begin
        .apply("Version", Create.of(snapshot.version()))
        .apply("ListFiles", ParDo.of(new ListFilesFn(version, filter)))
        .setCoder(StringUtf8Coder.of())
        .apply("Distribute", Reshuffle.viaRandomKey())
        .apply("ReadFiles", ParDo.of(new ReadFilesFn(version, chosen)))
        .setRowSchema(schema);
  }

  private KernelSnapshot snapshot(Storage storage) {
    KernelTable table = KernelTable.at(storage, hadoopConfiguration(), Clock.systemUTC());
    Optional<KernelSnapshot> found;
    try {
      if (version() != null) {
        found = table.load(version());
      } else {
        found = time() == null ? table.load() : table.load(time());
      }
    } catch (KernelException e) {
      throw new IllegalArgumentException(
          "Version to read must be one that the log of table \""
              + storage.path("")
              + "\" reaches, but was: "
              + (version() == null ? "the one of " + time() : version())
              + ". Read a version that DESCRIBE HISTORY shows.",
          e);
    }
    return found.orElseThrow(() -> TableErrors.noTableToRead(storage.path("")));
  }

  private List<DeltaColumn> choose(List<DeltaColumn> all) {
    List<DeltaColumn> chosen = new ArrayList<>();
    for (String name : columns()) {
      chosen.add(
          all.stream()
              .filter(column -> column.name().equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "Column to read must be one of "
                              + all.stream().map(DeltaColumn::name).toList()
                              + ", but was: \""
                              + name
                              + "\".")));
    }
    return chosen;
  }

  /** Leaves out the configuration, which may hold credentials. */
  @Override
  public void populateDisplayData(DisplayData.Builder builder) {
    builder
        .addIfNotNull(DisplayData.item("table", path()))
        .addIfNotNull(DisplayData.item("version", version()));
  }

  /** Leaves out the configuration, which may hold credentials. */
  @Override
  public final String toString() {
    return "DeltaLakeIO.read(" + path() + ")";
  }

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder setPath(@Nullable String value);

    abstract Builder setVersion(@Nullable Long value);

    abstract Builder setTime(@Nullable Instant value);

    abstract Builder setColumns(List<String> value);

    abstract Builder setPartitions(PartitionPredicate value);

    abstract Builder setHadoopConfiguration(Map<String, String> value);

    abstract ReadTable build();
  }
}
