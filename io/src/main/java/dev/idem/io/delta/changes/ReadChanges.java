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
package dev.idem.io.delta.changes;

import com.google.auto.value.AutoValue;
import dev.idem.io.delta.error.TableChangedException;
import dev.idem.io.delta.error.VersionGoneException;
import dev.idem.io.delta.schema.BeamTypes;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.table.TableVersion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.coders.SerializableCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Reshuffle;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.apache.beam.sdk.values.PBegin;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TimestampedValue;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A read of what versions of a Delta table changed; made by {@link
 * dev.idem.io.delta.DeltaLakeIO#readChanges}.
 *
 * <p><b>Guarantee.</b> Every row that the versions added, once. Commits that only move rows, as a
 * compaction does, add none. What becomes of a commit that takes rows out is said by {@link
 * #onChanges}.
 *
 * <p><b>Replay.</b> The same versions give the same rows, however often they are read, as long as
 * the log has the versions and VACUUM leaves their files: a month and a week unless the table says
 * otherwise.
 *
 * <p><b>Requirements.</b> A table on a local disk that all workers share, and no reader feature
 * that Delta Kernel does not know. Rows have the columns of the last version that is read; columns
 * that were added since are null in older rows.
 *
 * <p><b>State and cost.</b> The log's entries are read by one worker, one after the other; one
 * element a file is shuffled, and a file is read by one worker. Where the change data feed has to
 * be told from two deletion vectors of a file, that file is read twice.
 *
 * <p><b>Errors.</b> When it is applied, {@link IllegalArgumentException} for a table or versions
 * that there are not. When it runs, {@link TableChangedException} and {@link VersionGoneException}.
 *
 * <pre>{@code
 * PCollection<Row> changes =
 *     pipeline.apply(
 *         DeltaLakeIO.readChanges()
 *             .from("/data/orders")
 *             .betweenVersions(12, 15)
 *             .onChanges(OnChanges.CDF));
 * }</pre>
 */
@SuppressWarnings("AutoValueImmutableFields") // The collections are copies that cannot change.
@AutoValue
public abstract class ReadChanges extends PTransform<PBegin, PCollection<Row>> {

  /** The columns that follow a table's own if the change data feed is read. */
  private static final Schema FEED =
      Schema.builder()
          .addStringField("_change_type")
          .addInt64Field("_commit_version")
          .addField("_commit_timestamp", FieldType.logicalType(new MicrosInstant()))
          .build();

  ReadChanges() {}

  /** Returns a read that lacks its table and its versions. */
  public static ReadChanges of() {
    return new AutoValue_ReadChanges.Builder()
        .setFirst(0)
        .setLast(-1)
        .setWhole(false)
        .setOnChanges(OnChanges.FAIL)
        .setHadoopConfiguration(Map.of())
        .build();
  }

  abstract @Nullable String path();

  abstract long first();

  abstract long last();

  abstract boolean whole();

  abstract OnChanges onChanges();

  abstract Map<String, String> hadoopConfiguration();

  abstract Builder toBuilder();

  /** Sets the table: a local path or {@code file:} URI. Required. */
  public ReadChanges from(String path) {
    return toBuilder().setPath(path).build();
  }

  /** Reads what versions changed, the first and the last included. */
  public ReadChanges betweenVersions(long first, long last) {
    if (first < 0 || last < first) {
      throw new IllegalArgumentException(
          "Versions must be a first one from 0 on and a last one that is not below it, but was: "
              + first
              + " and "
              + last
              + ".");
    }
    return toBuilder().setFirst(first).setLast(last).setWhole(false).build();
  }

  /** Reads all rows that a version holds, as if it had added them. */
  public ReadChanges upToVersion(long version) {
    return betweenVersions(0, version).toBuilder().setWhole(true).build();
  }

  /** Sets what to make of commits that take rows out. Default: {@link OnChanges#FAIL}. */
  public ReadChanges onChanges(OnChanges treatment) {
    return toBuilder().setOnChanges(treatment).build();
  }

  /** Sets settings for Parquet and its codecs. Default: none. */
  public ReadChanges withHadoopConfiguration(Map<String, String> configuration) {
    return toBuilder().setHadoopConfiguration(Map.copyOf(configuration)).build();
  }

  /** Returns the schema of a table's rows with the columns of its change data feed behind them. */
  public static Schema withFeedColumns(Schema table) {
    return Schema.builder().addFields(table.getFields()).addFields(FEED.getFields()).build();
  }

  /**
   * Returns a change's row with the columns of the change data feed behind its own.
   *
   * @param schema the schema that {@link #withFeedColumns(Schema)} gives
   */
  public static Row withFeedColumns(TableChange change, Schema schema) {
    List<Object> values = new ArrayList<>(change.row().getValues());
    values.addAll(Arrays.asList(change.type(), change.version(), change.time()));
    return Row.withSchema(schema).attachValues(values);
  }

  /**
   * Returns this read as one of what {@code function} makes of each change.
   *
   * @param function must be deterministic; gives the element and its event time
   * @param coder encodes the elements
   * @param <T> the type of the elements
   */
  public <T> PTransform<PBegin, PCollection<T>> map(
      SerializableFunction<TableChange, TimestampedValue<T>> function, Coder<T> coder) {
    return new Mapped<>(this, function, coder);
  }

  @Override
  public PCollection<Row> expand(PBegin begin) {
    Schema table = BeamTypes.schema(columns());
    Schema schema = onChanges() == OnChanges.CDF ? withFeedColumns(table) : table;
    boolean feed = onChanges() == OnChanges.CDF;
    return expand(
            begin,
            change ->
                TimestampedValue.of(
                    feed ? withFeedColumns(change, schema) : change.row(), time(change.time())),
            RowCoder.of(schema))
        .setRowSchema(schema);
  }

  private static org.joda.time.Instant time(Instant time) {
    return org.joda.time.Instant.ofEpochMilli(time.toEpochMilli());
  }

  private List<DeltaColumn> columns() {
    if (path() == null || last() < 0) {
      throw new IllegalArgumentException(
          "Read of changes must have a table and versions, but was: "
              + (path() == null ? "no table. Call from(path)." : "no versions. Name them."));
    }
    return changes().columns(last());
  }

  private TableChanges changes() {
    return TableChanges.of(path(), onChanges(), hadoopConfiguration());
  }

  private <T> PCollection<T> expand(
      PBegin begin,
      SerializableFunction<TableChange, TimestampedValue<T>> function,
      Coder<T> coder) {
    List<DeltaColumn> columns = columns();
    TableVersion version =
        new TableVersion(
            changes().path(),
            last(),
            columns.stream().map(DeltaColumn::name).toList(),
            hadoopConfiguration());
    return begin
        .apply("Versions", Create.of(first()))
        .apply("ListFiles", ParDo.of(new ListChangesFn(version, first(), whole(), onChanges())))
        .setCoder(SerializableCoder.of(ChangedFile.class))
        .apply("Distribute", Reshuffle.viaRandomKey())
        .apply("ReadFiles", ParDo.of(new ReadChangesFn<>(version, columns, function)))
        .setCoder(coder);
  }

  private static final class Mapped<T> extends PTransform<PBegin, PCollection<T>> {
    private static final long serialVersionUID = 1L;

    private final ReadChanges read;
    private final SerializableFunction<TableChange, TimestampedValue<T>> function;
    private final Coder<T> coder;

    Mapped(
        ReadChanges read,
        SerializableFunction<TableChange, TimestampedValue<T>> function,
        Coder<T> coder) {
      this.read = read;
      this.function = function;
      this.coder = coder;
    }

    @Override
    public PCollection<T> expand(PBegin begin) {
      return read.expand(begin, function, coder);
    }

    @Override
    public void populateDisplayData(DisplayData.Builder builder) {
      read.populateDisplayData(builder);
    }
  }

  /** Leaves out the configuration, which may hold credentials. */
  @Override
  public void populateDisplayData(DisplayData.Builder builder) {
    builder
        .addIfNotNull(DisplayData.item("table", path()))
        .add(DisplayData.item("firstVersion", first()))
        .add(DisplayData.item("lastVersion", last()));
  }

  /** Leaves out the configuration, which may hold credentials. */
  @Override
  public final String toString() {
    return "DeltaLakeIO.readChanges(" + path() + ")";
  }

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder setPath(@Nullable String value);

    abstract Builder setFirst(long value);

    abstract Builder setLast(long value);

    abstract Builder setWhole(boolean value);

    abstract Builder setOnChanges(OnChanges value);

    abstract Builder setHadoopConfiguration(Map<String, String> value);

    abstract ReadChanges build();
  }
}
