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
package dev.idem.io.delta.merge;

import com.google.auto.value.AutoValue;
import dev.idem.io.delta.error.BatchRefusedException;
import dev.idem.io.delta.error.CommitConflictException;
import dev.idem.io.delta.error.ContentChangedException;
import dev.idem.io.delta.error.RowRefusedException;
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.error.UnusableTableException;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.schema.BeamTypes;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.schema.SchemaJson;
import dev.idem.io.delta.table.BatchNames;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.io.file.Storage;
import dev.idem.transforms.changes.ApplyChanges;
import dev.idem.transforms.changes.TableMerge;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.annotations.Internal;
import org.apache.beam.sdk.coders.SerializableCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;

/**
 * A merge of changes into a Delta table by key, in the order of their sequence: the rows that
 * {@link ApplyChanges} would make of all changes ever merged. Made by {@link
 * dev.idem.io.delta.DeltaLakeIO#mergeChanges}.
 *
 * <p><b>Guarantee.</b> After a batch the table holds what its changes and those of all batches
 * before come to, in whatever order, in how many batches and how often they came. A batch is one
 * commit; readers see all of it or none. It is built on the version that was read: if another
 * commit comes first, the merge is planned again for what that commit changed. A row that somebody
 * else appended counts as one of its key without a sequence, older than every change, if it was
 * committed before; if it comes later, the next merge of its key folds it in.
 *
 * <p><b>What is kept.</b> Rows have the columns {@code _idem_sequence} and, where changes may carry
 * a part of the row, {@code _idem_deleted_sequence} and {@code _idem_column_sequences}. What no row
 * can tell, deletes above all, is kept in a table beside it, {@code <table>_changes}, for {@link
 * #withRetention}. A change that comes later than that may be applied as if there had been no
 * delete; {@link MergeCounts#suspectedLate} counts keys of which that may be so. What is older goes
 * after a batch, in a commit of its own, and small files become one.
 *
 * <p><b>Replay.</b> A crash before the first commit leaves files that no commit names. One between
 * the commit beside and that of the table leaves changes beside that the replay leaves out of
 * account, since they are of its own batch, and does not commit again. After the commit the replay
 * finds the record of the batch and writes nothing. Several applications may merge into one table.
 *
 * <p><b>Requirements.</b> A bounded input in the global window, and a batch id that grows from
 * batch to batch of one application; without a plan fingerprint the content of the changes stands
 * for the plan. The table has the columns of the rows and no others; it is created if there is
 * none, and gets the columns {@code _idem_*} if it lacks them, in a commit of its own before. It
 * lets rows leave: it is not append-only and has no change data feed.
 *
 * <p><b>State and cost.</b> Changes are shuffled once and reduced to those that matter. Of the
 * table, files are read whose statistics and partition values do not exclude all keys of the batch:
 * of these the key and the sequence, other columns only where a change has the sequence of the row
 * or carries a part of it, and with history. Two small shuffles more bring rows and changes of a
 * key together. Under {@link MergeMode#COPY_ON_WRITE} files with rows that leave are written anew.
 * A worker holds the changes of one shard ({@link ApplyChanges#withShards}), 12 bytes for each key
 * of the batch, and the rows that were found of about 50,000 changes.
 *
 * <p><b>Errors.</b> {@link SchemaMismatchException} and {@link UnusableTableException} for a table
 * that does not fit, {@link RowRefusedException} for a value that its column does not take, {@link
 * BatchRefusedException} and {@link ContentChangedException} for a batch id that stands for another
 * batch, {@link CommitConflictException} if others came first each time.
 *
 * <pre>{@code
 * MergeResult result =
 *     changes.apply(
 *         DeltaLakeIO.mergeChanges("crm")
 *             .to("/data/customers")
 *             .applying(
 *                 ApplyChanges.keys("customer_id")
 *                     .sequenceBy("sequence_num")
 *                     .applyAsDeleteWhen(row -> "DELETE".equals(row.getString("operation")))
 *                     .columnsExcept("operation", "sequence_num"))
 *             .withBatch(day.toEpochDay()));
 * result.invalid().apply(ParDo.of(new KeepForReview()));
 * }</pre>
 */
@SuppressWarnings("AutoValueImmutableFields") // The collections are copies that cannot change.
@AutoValue
public abstract class MergeChanges extends PTransform<PCollection<Row>, MergeResult> {

  private static final Duration DEFAULT_RETENTION = Duration.standardDays(7);

  MergeChanges() {}

  /** Returns the merge of an application; the rest has to be set. */
  public static MergeChanges of(String applicationId) {
    return new AutoValue_MergeChanges.Builder()
        .setApplicationId(BatchNames.applicationId(applicationId))
        .setSinkName("main")
        .setMode(MergeMode.AS_TABLE)
        .setRetention(DEFAULT_RETENTION)
        .setPartitionColumns(List.of())
        .setTargetFileSize(DataFileSpec.DEFAULT_TARGET_FILE_SIZE)
        .setHadoopConfiguration(Map.of())
        .setNanosecondsTruncated(false)
        .setEvolution(SchemaEvolution.NONE)
        .build();
  }

  abstract String applicationId();

  abstract @Nullable String path();

  abstract @Nullable ApplyChanges changes();

  abstract String sinkName();

  abstract @Nullable Long batch();

  abstract @Nullable String planFingerprint();

  abstract MergeMode mode();

  abstract Duration retention();

  abstract List<String> partitionColumns();

  abstract long targetFileSize();

  abstract Map<String, String> hadoopConfiguration();

  abstract boolean nanosecondsTruncated();

  abstract SchemaEvolution evolution();

  abstract Builder toBuilder();

  /** Returns the same merge by another application. */
  @Internal
  public MergeChanges by(String applicationId) {
    return toBuilder().setApplicationId(applicationId).build();
  }

  /** Returns where what a merge cannot tell by rows of a table is kept. */
  public static String besidePath(String tablePath) {
    return Storage.location("Table path", tablePath) + BesideTable.SUFFIX;
  }

  /** Sets the table: a local path, or a URI of a scheme that is supported. Required. */
  public MergeChanges to(String path) {
    return toBuilder().setPath(path).build();
  }

  /** Sets what the changes mean. Required. */
  public MergeChanges applying(ApplyChanges changes) {
    return toBuilder().setChanges(changes).build();
  }

  /** Names this sink among several of the application on one table. Default: {@code main}. */
  public MergeChanges withSink(String name) {
    return toBuilder().setSinkName(BatchNames.sinkName(name)).build();
  }

  /** Sets the batch id; the content of the changes stands for the plan. Required. */
  public MergeChanges withBatch(long id) {
    return toBuilder().setBatch(BatchNames.batch(id)).setPlanFingerprint(null).build();
  }

  /** Sets the batch id and the fingerprint of all that decides the batch's changes. */
  public MergeChanges withBatch(long id, String planFingerprint) {
    return withBatch(id).toBuilder()
        .setPlanFingerprint(BatchNames.planFingerprint(planFingerprint))
        .build();
  }

  /** Sets how rows leave the table. Default: {@link MergeMode#AS_TABLE}. */
  public MergeChanges withMode(MergeMode mode) {
    return toBuilder().setMode(mode).build();
  }

  /**
   * Sets for how long deletes, and other changes that no row tells of, are kept. Default: 7 days.
   * Choose more than the longest time that a change may come late.
   */
  public MergeChanges withRetention(Duration retention) {
    if (!retention.isLongerThan(Duration.ZERO)) {
      throw new IllegalArgumentException(
          "Retention must be positive, but was: "
              + retention
              + ". Choose more than the longest time that a change may come late.");
    }
    return toBuilder().setRetention(retention).build();
  }

  /** Sets the partition columns of a table that is created. Default: none. */
  public MergeChanges withPartitionColumns(String... columns) {
    return toBuilder().setPartitionColumns(List.of(columns)).build();
  }

  /** Sets about how many bytes a file may have before the next is begun. Default: 128 MiB. */
  public MergeChanges withTargetFileSize(long bytes) {
    return toBuilder().setTargetFileSize(bytes).build();
  }

  /** Sets settings for Parquet and its codecs. Default: none. */
  public MergeChanges withHadoopConfiguration(Map<String, String> configuration) {
    return toBuilder().setHadoopConfiguration(Map.copyOf(configuration)).build();
  }

  /** Takes timestamps of nanoseconds and truncates them to microseconds, towards the past. */
  public MergeChanges truncateNanoseconds() {
    return toBuilder().setNanosecondsTruncated(true).build();
  }

  /** Sets what may be changed of the table's schema for new columns. Default: nothing. */
  public MergeChanges evolving(SchemaEvolution changes) {
    return toBuilder().setEvolution(changes).build();
  }

  @Override
  public MergeResult expand(PCollection<Row> input) {
    check(input);
    TableMerge given = TableMerge.of(changes(), input.getSchema());
    MergeSpec spec = spec(given);
    PCollectionTuple merged = input.apply("Merge", new MergeSteps(given, spec));
    PCollection<MergeOutcome> outcomes =
        merged
            .get(MergeSteps.STEPS)
            .apply("Commit", ParDo.of(new CommitMergeFn(spec)))
            .setCoder(SerializableCoder.of(MergeOutcome.class));
    return new MergeResult(outcomes, merged.get(ReadChangeFn.INVALID));
  }

  private void check(PCollection<Row> input) {
    if (path() == null) {
      throw MergeErrors.missing("a table", "to(path)");
    }
    if (changes() == null) {
      throw MergeErrors.missing("rules of the changes", "applying(ApplyChanges)");
    }
    if (batch() == null) {
      throw MergeErrors.missing("a batch id", "withBatch(id)");
    }
    if (!input.hasSchema()) {
      throw MergeErrors.missing("an input with a schema", "setRowSchema");
    }
    if (input.isBounded() != PCollection.IsBounded.BOUNDED) {
      throw MergeErrors.unbounded(input.isBounded());
    }
    if (!(input.getWindowingStrategy().getWindowFn() instanceof GlobalWindows)) {
      throw MergeErrors.windowed(input.getWindowingStrategy().getWindowFn());
    }
  }

  /** Returns what the changes mean, as text. */
  @Internal
  public String rules() {
    return changes().rules();
  }

  /** Refuses changes of a schema that the table, or a new one, could not take. */
  @Internal
  public void requireFit(Schema input) {
    spec(TableMerge.of(changes(), input));
  }

  MergeSpec spec(TableMerge given) {
    return spec(given, MergeSpec.Staging.in(path()));
  }

  MergeSpec spec(TableMerge given, MergeSpec.Staging staging) {
    DataFileSpec rows =
        new DataFileSpec(
            path(),
            DeltaSchemas.toJson(given.rowSchema(), nanosecondsTruncated()),
            partitionColumns(),
            targetFileSize(),
            hadoopConfiguration(),
            nanosecondsTruncated());
    DeltaTable table =
        DeltaTable.at(rows.tablePath(), hadoopConfiguration())
            .evolving(MergeSpec.evolution(evolution()));
    DataFileSpec fitted = MergeSpec.fitted(table, rows, evolution());
    String changes = DeltaSchemas.toJson(given.changeSchema(), nanosecondsTruncated());
    TableMerge stored = given.storedAs(BeamTypes.schema(SchemaJson.read(changes)));
    return new MergeSpec(
        stored,
        fitted,
        new DataFileSpec(
            besidePath(fitted.tablePath()),
            BesideTable.deltaSchema(stored),
            List.of(),
            targetFileSize(),
            hadoopConfiguration(),
            false),
        applicationId() + "/" + sinkName(),
        batch(),
        planFingerprint(),
        mode(),
        java.time.Duration.ofMillis(retention().getMillis()),
        given.shards(),
        evolution(),
        staging);
  }

  /** Leaves out the configuration, which may hold credentials. */
  @Override
  public void populateDisplayData(DisplayData.Builder builder) {
    builder
        .add(DisplayData.item("applicationId", applicationId()))
        .add(DisplayData.item("sink", sinkName()))
        .add(DisplayData.item("mode", mode().toString()))
        .addIfNotNull(DisplayData.item("table", path()))
        .addIfNotNull(DisplayData.item("batch", batch()));
  }

  /** Leaves out the configuration, which may hold credentials. */
  @Override
  public final String toString() {
    return "DeltaLakeIO.mergeChanges(" + applicationId() + ", " + path() + ")";
  }

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder setApplicationId(String value);

    abstract Builder setPath(String value);

    abstract Builder setChanges(ApplyChanges value);

    abstract Builder setSinkName(String value);

    abstract Builder setBatch(Long value);

    abstract Builder setPlanFingerprint(@Nullable String value);

    abstract Builder setMode(MergeMode value);

    abstract Builder setRetention(Duration value);

    abstract Builder setPartitionColumns(List<String> value);

    abstract Builder setTargetFileSize(long value);

    abstract Builder setHadoopConfiguration(Map<String, String> value);

    abstract Builder setNanosecondsTruncated(boolean value);

    abstract Builder setEvolution(SchemaEvolution value);

    abstract MergeChanges build();
  }
}
