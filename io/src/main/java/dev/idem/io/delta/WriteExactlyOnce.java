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
import dev.idem.io.delta.error.RestoredTableException;
import dev.idem.io.delta.error.RowRefusedException;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.PartitionFilter;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.BatchNames;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.io.file.Storage;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;

/**
 * A write of rows to a Delta table that hold once, however often they are written: a bounded input
 * is one batch, an unbounded input one batch a window. Made by {@link
 * DeltaLakeIO#writeExactlyOnce}.
 *
 * <p><b>Guarantee.</b> <i>Bounded input:</i> the batch id is in the table at most once. Readers see
 * all rows of the batch or none. <i>Unbounded input:</i> a window is committed when the watermark
 * has passed its end, at most once, in one commit, whatever the order of the windows. A row that is
 * not in such a commit is in {@link WriteResult#rejected}, with the reason: it came after its
 * window was committed; its window is in the table with other rows; its window is older than all
 * that are remembered. <i>Both:</i> rows that break a rule of a column fail the pipeline before
 * anything is committed; send them elsewhere first.
 *
 * <p><b>Replay.</b> A crash while files are written leaves files that no commit names. A crash
 * before the commit does the same. After the commit the replay finds the record of the batch or
 * window: with the same content it adds nothing and is reported as already committed. With other
 * content a batch fails, and the rows of a window are rejected. A worker that writes twice, or two
 * attempts at once, make files of which one set is committed. Rejected rows come again when they
 * are replayed: what they are written to must bear that.
 *
 * <p><b>Requirements.</b> A table that all workers reach. No stable input is needed. <i>Bounded
 * input:</i> the global window, and a batch id that grows from batch to batch of one application;
 * without a plan fingerprint the content of the rows stands for the plan, so two different batches
 * under one id are refused, not merged. <i>Unbounded input:</i> fixed windows; another window
 * function is refused by name, and so are windows of another size or offset than the application
 * had before. The trigger and the accumulation mode of the input are replaced. To add nothing twice
 * and lose nothing over a restart, the source must give the same rows again with the same
 * timestamps, from the first window on that is not in the table; windows before it may come again.
 * A function that gives other rows at a replay makes windows with other content.
 *
 * <p><b>Lateness.</b> A row that comes when the watermark has passed the end of its window is
 * rejected as late, for as long as the allowed lateness of the input lasts, and for 64 windows at
 * least. Beam drops rows later than that, and counts them in its metric {@code
 * droppedDueToLateness}. Rejected rows have the end of their window as timestamp, behind the
 * watermark; give them new ones before they are grouped by window again.
 *
 * <p><b>Runners.</b> Direct never retries a bundle; after a failure the next start replays. Spark
 * in streaming mode keeps no stable input and may compute a window again from other rows: the table
 * then holds the rows of one attempt, once, and the rows of the other are rejected, also those that
 * the table holds. There a window may be reported as already committed by the same run.
 *
 * <p><b>State and cost.</b> <i>Bounded input:</i> workers write files in bundles; one small shuffle
 * brings their names to one worker, which commits. In the table: two transaction ids, and the
 * records of the last 100 batches. <i>Unbounded input:</i> rows are shuffled once; the runner holds
 * the rows of a window until its end, and one worker writes them. Windows are written beside each
 * other, so their size decides the delay and the memory, not the throughput. In the table: a
 * version a window, 130 transaction ids, and side files of at most 20 MB, which remember the last
 * 16,384 windows by 256 in each of 64 lanes. Windows without rows leave nothing.
 *
 * <p><b>Errors.</b> Those of {@link DeltaTable#commit}, {@link RowRefusedException}, and {@link
 * RestoredTableException} if rows of earlier batches or windows were taken out by a RESTORE.
 *
 * <p>A batch:
 *
 * <pre>{@code
 * WriteResult result =
 *     orders.apply(
 *         DeltaLakeIO.writeExactlyOnce("orders")
 *             .to("/data/orders")
 *             .withBatch(day.toEpochDay(), source.fingerprint()));
 * mails.apply(Wait.on(result.outcomes()));
 * }</pre>
 *
 * <p>An unbounded input:
 *
 * <pre>{@code
 * WriteResult result =
 *     orders
 *         .apply(Window.into(FixedWindows.of(Duration.standardMinutes(1))))
 *         .apply(DeltaLakeIO.writeExactlyOnce("orders").to("/data/orders"));
 * result.rejected().apply(ParDo.of(new KeepForReview()));
 * }</pre>
 */
@SuppressWarnings("AutoValueImmutableFields") // The collections are copies that cannot change.
@AutoValue
public abstract class WriteExactlyOnce extends PTransform<PCollection<Row>, WriteResult> {

  WriteExactlyOnce() {}

  static WriteExactlyOnce of(String applicationId) {
    return new AutoValue_WriteExactlyOnce.Builder()
        .setApplicationId(BatchNames.applicationId(applicationId))
        .setSinkName("main")
        .setPartitionColumns(List.of())
        .setTargetFileSize(DataFileSpec.DEFAULT_TARGET_FILE_SIZE)
        .setHadoopConfiguration(Map.of())
        .setNanosecondsTruncated(false)
        .setEvolution(SchemaEvolution.NONE)
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

  abstract SchemaEvolution evolution();

  abstract @Nullable PartitionPredicate overwritten();

  abstract @Nullable Duration transactionRetention();

  abstract Builder toBuilder();

  /** Sets the table: a local path, or a URI of a scheme that is supported. Required. */
  public WriteExactlyOnce to(String path) {
    return toBuilder().setPath(path).build();
  }

  /** Names this sink among several of the application on one table. Default: {@code main}. */
  public WriteExactlyOnce withSink(String name) {
    return toBuilder().setSinkName(BatchNames.sinkName(name)).build();
  }

  /**
   * Sets the batch id; the hash of the rows stands for the plan. Required for a bounded input,
   * refused for an unbounded one.
   */
  public WriteExactlyOnce withBatch(long id) {
    return toBuilder().setBatch(BatchNames.batch(id)).setPlanFingerprint(null).build();
  }

  /** Sets the batch id and the fingerprint of all that decides the batch's rows. */
  public WriteExactlyOnce withBatch(long id, String planFingerprint) {
    return withBatch(id).toBuilder()
        .setPlanFingerprint(BatchNames.planFingerprint(planFingerprint))
        .build();
  }

  /**
   * Replaces partitions by the batch: in its one commit they lose the rows that they hold by then,
   * whoever wrote them, and get the batch's. A row of another partition fails the pipeline, and
   * nothing is committed. Default: the batch is appended.
   *
   * <p>The batch replaces once. Run again it finds its record and touches nothing, also if others
   * have appended to the partitions since. A batch id that the table has with another plan is
   * refused: after the count of batches was lost, batch 0 does not replace what another batch 0
   * wrote. Only a bounded input replaces.
   */
  public WriteExactlyOnce overwriting(PartitionPredicate partitions) {
    return toBuilder().setOverwritten(partitions).build();
  }

  /**
   * Changes the table's schema, in the batch's one commit, where its rows need that and it may be
   * changed so: columns that the table does not have are added at its end and are null in older
   * rows; types become wider. Rows that need more are refused with every difference, and nothing is
   * committed. A batch that is run again finds its record and changes nothing. A table that does
   * not exist gets the schema of the rows. Only a bounded input changes a schema. Default: {@link
   * SchemaEvolution#NONE}.
   */
  public WriteExactlyOnce evolving(SchemaEvolution changes) {
    return toBuilder().setEvolution(changes).build();
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

  /**
   * Takes a table that has {@code delta.setTransactionRetentionDuration}, if it is {@code atLeast}:
   * Spark then forgets the last batch id of an application that wrote nothing for so long, and a
   * replay after that adds its rows again. Choose more than the longest time after which a batch
   * may be run again. Default: a table with the property is refused.
   */
  public WriteExactlyOnce acceptTransactionRetention(Duration atLeast) {
    if (atLeast.getMillis() <= 0) {
      throw new IllegalArgumentException(
          "Accepted transaction retention must be positive, but was: "
              + atLeast
              + ". Choose more than the longest time after which a batch may be run again.");
    }
    return toBuilder().setTransactionRetention(atLeast).build();
  }

  @Override
  public WriteResult expand(PCollection<Row> rows) {
    return rows.isBounded() == PCollection.IsBounded.BOUNDED
        ? commitBatch(rows)
        : commitWindows(rows);
  }

  private WriteResult commitBatch(PCollection<Row> rows) {
    if (batch() == null) {
      throw new IllegalArgumentException(
          "Write of a bounded input to Delta must have a batch id, but was: none. Call"
              + " withBatch(id).");
    }
    StagedFiles.requireBatch(rows);
    DataFileSpec spec = spec(rows);
    PartitionPredicate replaced = overwritten();
    if (replaced != null) {
      PartitionFilter.of(
          Storage.location("Table path", spec.tablePath()),
          spec.schema().columns(),
          spec.partitionColumns(),
          replaced);
      DeltaTable.at(spec.tablePath(), hadoopConfiguration()).requireOverwrite(replaced);
    }
    Duration retention = transactionRetention();
    CommitStep commit =
        new CommitStep(
            spec,
            sink(),
            batch(),
            planFingerprint(),
            replaced,
            evolution(),
            retention == null ? null : java.time.Duration.ofMillis(retention.getMillis()));
    PCollection<DeltaWriteOutcome> outcomes =
        rows.apply("StageFiles", new StagedFiles(spec))
            .apply("CommitBatch", ParDo.of(commit))
            .setCoder(DeltaWriteOutcome.coder());
    return WriteResult.of(rows.getPipeline(), outcomes);
  }

  private WriteResult commitWindows(PCollection<Row> rows) {
    if (batch() != null) {
      throw new IllegalArgumentException(
          "Write of an unbounded input to Delta must have no batch id, but was: "
              + batch()
              + ". Its windows have numbers; leave out withBatch.");
    }
    if (overwritten() != null) {
      throw new IllegalArgumentException(
          "Write of an unbounded input to Delta must replace no partitions, but was: "
              + overwritten()
              + ". Its windows are added; leave out overwriting.");
    }
    if (evolution() != SchemaEvolution.NONE) {
      throw new IllegalArgumentException(
          "Write of an unbounded input to Delta must leave the table's schema as it is, but was:"
              + " evolving "
              + evolution()
              + ". Change the schema before the pipeline starts; leave out evolving.");
    }
    if (transactionRetention() != null) {
      throw new IllegalArgumentException(
          "Write of an unbounded input to Delta must go to a table that keeps transaction ids for"
              + " ever, but was: accepted from "
              + transactionRetention()
              + ". Leave out acceptTransactionRetention.");
    }
    LaneWindows.of(rows.getWindowingStrategy().getWindowFn());
    return rows.apply("CommitWindows", new CommitWindows(spec(rows), sink()));
  }

  private String sink() {
    return applicationId() + "/" + sinkName();
  }

  private DataFileSpec spec(PCollection<Row> rows) {
    return StagedFiles.spec(
        rows,
        path(),
        tableSchema(),
        partitionColumns(),
        targetFileSize(),
        hadoopConfiguration(),
        nanosecondsTruncated(),
        evolution());
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

    abstract Builder setEvolution(SchemaEvolution value);

    abstract Builder setOverwritten(@Nullable PartitionPredicate value);

    abstract Builder setPartitionColumns(List<String> value);

    abstract Builder setTableSchema(@Nullable String value);

    abstract Builder setTargetFileSize(long value);

    abstract Builder setHadoopConfiguration(Map<String, String> value);

    abstract Builder setNanosecondsTruncated(boolean value);

    abstract Builder setTransactionRetention(@Nullable Duration value);

    abstract WriteExactlyOnce build();
  }
}
