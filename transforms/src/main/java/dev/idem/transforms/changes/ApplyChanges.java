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
package dev.idem.transforms.changes;

import dev.idem.transforms.NoOutput;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.annotations.Internal;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.transforms.windowing.DefaultTrigger;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollection.IsBounded;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.PInput;
import org.apache.beam.sdk.values.POutput;
import org.apache.beam.sdk.values.PValue;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.TupleTagList;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;

/**
 * A transform that applies changes to rows by key, in the order of their sequence, as AUTO CDC
 * does.
 *
 * <p><b>Guarantee.</b> The result is that of the changes applied one after the other in the order
 * of their sequence, in whatever order, in how many batches and how often they come. A change is
 * one of these:
 *
 * <ul>
 *   <li>an <i>upsert</i>: the key's row gets the columns that the change carries, by default all.
 *       Of a change that carries some only, {@link #ignoreNullUpdates} or {@link #columnsToUpdate}
 *       tell which; each of the others keeps what the latest change before that carried it gave it,
 *       so columns have sequences of their own, and so do the fields of structs;
 *   <li>a <i>delete</i>: the key has no row from then on, and what changes before it carried is
 *       forgotten;
 *   <li>a <i>truncate</i>: a delete of every key that there is before it.
 * </ul>
 *
 * <p><i>Ties.</i> At equal sequences of a key a delete beats an upsert. Of two upserts the one
 * whose columns have the greater canonical encoding ({@link
 * dev.idem.transforms.fingerprint.RowEncoding}, compared as unsigned bytes) wins; columns that a
 * change may leave out are compared one by one. The rule is arbitrary but the same every time; the
 * counter {@code ties} tells how often it was needed, and a further column in {@link #sequenceBy}
 * makes it needless.
 *
 * <p><i>History</i> (SCD type 2). Every version of a row is kept, with the sequence from which on
 * it is valid and the one from which on it is not. A late change splits the version it falls into.
 * Versions of a key do not overlap, and leave a gap only where the key was deleted. Successive
 * changes that leave all tracked columns as they are make one version.
 *
 * <p><i>Bounded input</i> (a batch): what comes out is the state after all changes of the input.
 * <i>Unbounded input</i>: every change is applied to what is remembered of its key, and what it
 * makes of the row comes out at once. A key is remembered for {@link #withRetention} after its
 * latest change. History, truncates and {@link #strict} need a bounded input.
 *
 * <p><b>Replay.</b> Changes that are applied again change nothing.
 *
 * <p><b>Requirements.</b> The input is in the global window. Key and sequence columns hold no
 * floating-point values; sequences hold numbers, timestamps, texts (compared by code point), bytes,
 * or logical types of those.
 *
 * <p><b>State and cost.</b> Bounded: one shuffle of the changes; a worker holds one shard of the
 * input at a time, so the number of shards follows its size. Unbounded: one row for each remembered
 * key, in buckets that are swept eight times a retention, as elements come; no timers, so a bucket
 * that none comes to keeps what it has. The distribution {@code rememberedKeysInBucket} shows their
 * sizes.
 *
 * <p><b>Errors.</b> Rules that do not fit the schema are an {@link IllegalArgumentException} when
 * the pipeline is built. A change without key or sequence goes to {@link Result#invalid()}.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * ApplyChanges.Result customers =
 *     changes.apply(
 *         ApplyChanges.keys("customer_id")
 *             .sequenceBy("sequence_num")
 *             .applyAsDeleteWhen(row -> "DELETE".equals(row.getString("operation")))
 *             .columnsExcept("operation", "sequence_num"));
 * customers.rows().apply(...);
 * }</pre>
 *
 * <p>The semantics are those of Databricks' <a
 * href="https://docs.databricks.com/aws/en/ldp/cdc">AUTO CDC</a>, which leaves ties open.
 */
public final class ApplyChanges extends PTransform<PCollection<Row>, ApplyChanges.Result> {
  private final transient ChangeRules rules;

  private ApplyChanges(ChangeRules rules) {
    this.rules = rules;
  }

  /** Applies changes to the rows that one or more columns identify. */
  public static ApplyChanges keys(String... columns) {
    if (columns.length == 0) {
      throw ChangesErrors.noKeys();
    }
    return new ApplyChanges(ChangeRules.of(List.of(columns)));
  }

  /**
   * Sets what orders the changes of a key: one column, or several of which the first that differs
   * decides. Needed.
   */
  public ApplyChanges sequenceBy(String... columns) {
    return with(rules.toBuilder().setSequenceBy(List.of(columns)));
  }

  /** Sets which changes are deletes; default none. */
  public ApplyChanges applyAsDeleteWhen(SerializableFunction<Row, Boolean> condition) {
    return with(rules.toBuilder().setDeleteWhen(condition));
  }

  /**
   * Sets which changes are truncates; default none. A truncate needs a sequence and no key. It
   * cannot be told from a delete if both conditions hold, and is then a truncate.
   */
  public ApplyChanges applyAsTruncateWhen(SerializableFunction<Row, Boolean> condition) {
    return with(rules.toBuilder().setTruncateWhen(condition));
  }

  /** Sets the columns of the rows; default all of the changes. The key must be among them. */
  public ApplyChanges columns(String... columns) {
    return with(rules.toBuilder().setColumns(ColumnChoice.of(columns)));
  }

  /** Leaves columns out of the rows, such as the operation or the sequence. */
  public ApplyChanges columnsExcept(String... columns) {
    return with(rules.toBuilder().setColumns(ColumnChoice.allBut(columns)));
  }

  /** Takes every null for a column, or field of a struct, that the change does not carry. */
  public ApplyChanges ignoreNullUpdates() {
    return with(rules.toBuilder().setIgnoredNulls(ColumnChoice.ALL));
  }

  /** Takes nulls in some columns, fields of structs included, for not carried. */
  public ApplyChanges ignoreNullUpdatesOn(String... columns) {
    return with(rules.toBuilder().setIgnoredNulls(ColumnChoice.of(columns)));
  }

  /** Takes nulls for not carried in all columns but some. */
  public ApplyChanges ignoreNullUpdatesExcept(String... columns) {
    return with(rules.toBuilder().setIgnoredNulls(ColumnChoice.allBut(columns)));
  }

  /**
   * Sets the column in which each change names the columns it carries, an array of texts; fields of
   * structs are named with dots. So a change can set a column to null and leave another one alone.
   * A change with null in it carries all. The column itself is not part of the rows.
   */
  public ApplyChanges columnsToUpdate(String column) {
    return with(rules.toBuilder().setMaskColumn(column));
  }

  /** Keeps the history of every row instead of its latest state alone. */
  public ApplyChanges storedAsScdType2() {
    return with(rules.toBuilder().setHistory(true));
  }

  /**
   * Sets the columns whose changes make a new version; default all. Others are updated in the
   * version that is valid then.
   */
  public ApplyChanges trackHistoryOn(String... columns) {
    return with(rules.toBuilder().setTracked(ColumnChoice.of(columns)));
  }

  /** Sets the columns whose changes make no new version. */
  public ApplyChanges trackHistoryExcept(String... columns) {
    return with(rules.toBuilder().setTracked(ColumnChoice.allBut(columns)));
  }

  /**
   * Names the columns that tell from which sequence on, and up to which one, a version is valid;
   * default {@code __START_AT} and {@code __END_AT}. They hold the value of the sequence column, or
   * a struct if there are several.
   */
  public ApplyChanges historyColumns(String start, String end) {
    return with(rules.toBuilder().setStartColumn(start).setEndColumn(end));
  }

  /**
   * Fails the pipeline with an {@link InvalidChangesException} if a change is invalid, before any
   * is applied; default is an output of their own.
   */
  public ApplyChanges strict() {
    return with(rules.toBuilder().setStrict(true));
  }

  /**
   * Sets for how long an unbounded pipeline remembers a key after the event time of its latest
   * change; needed there. A change that comes later than that, of a key that is not remembered, is
   * not applied but handed out in {@link Result#late()}: nobody knows whether it is the newest.
   */
  public ApplyChanges withRetention(Duration retention) {
    if (!retention.isLongerThan(Duration.ZERO)) {
      throw ChangesErrors.notPositive(retention);
    }
    return with(rules.toBuilder().setRetention(retention));
  }

  /**
   * Sets the number of buckets that the keys of an unbounded input are spread over, a power of two;
   * default 1024. At most a few hundred keys a bucket are best, since runners copy or encode a
   * bucket as a whole. It cannot be changed in a running pipeline.
   */
  public ApplyChanges withBuckets(int buckets) {
    if (buckets < 1 || Integer.bitCount(buckets) != 1) {
      throw ChangesErrors.notPowerOfTwo("Buckets", buckets);
    }
    return with(rules.toBuilder().setBuckets(buckets));
  }

  /** Sets the number of shards of a bounded input, a power of two; default 16. */
  public ApplyChanges withShards(int shards) {
    if (shards < 1 || Integer.bitCount(shards) != 1) {
      throw ChangesErrors.notPowerOfTwo("Shards", shards);
    }
    return with(rules.toBuilder().setShards(shards));
  }

  /** Returns what changes mean by these rules, as text that is the same at every start. */
  @Internal
  public String rules() {
    return rules.text();
  }

  private static ApplyChanges with(ChangeRules.Builder changed) {
    return new ApplyChanges(changed.build());
  }

  /** Returns what the rules mean for changes of a schema. */
  ChangeLayout layout(Schema schema) {
    return new ChangeLayout(rules, schema);
  }

  @Override
  public Result expand(PCollection<Row> input) {
    WindowFn<?, ?> windowFn = input.getWindowingStrategy().getWindowFn();
    if (!(windowFn instanceof GlobalWindows)) {
      throw ChangesErrors.windowed(ChangesErrors.INPUT, windowFn.getClass().getSimpleName());
    }
    if (!input.hasSchema()) {
      throw ChangesErrors.noSchema(ChangesErrors.INPUT);
    }
    ChangeLayout layout = layout(input.getSchema());
    boolean bounded = input.isBounded() == IsBounded.BOUNDED;
    PCollectionTuple checked =
        input.apply(
            "AssignShards",
            ParDo.of(new AssignShardFn(layout, bounded ? rules.shards() : rules.buckets()))
                .withOutputTags(
                    NoOutput.TAG, TupleTagList.of(AssignShardFn.VALID).and(AssignShardFn.INVALID)));
    KvCoder<Integer, Row> coder = KvCoder.of(VarIntCoder.of(), RowCoder.of(layout.input()));
    PCollection<KV<Integer, Row>> valid = checked.get(AssignShardFn.VALID).setCoder(coder);
    PCollection<InvalidChange> invalid =
        checked.get(AssignShardFn.INVALID).setCoder(InvalidChangeCoder.of(layout.input()));
    return bounded ? applyBatch(valid, invalid, layout) : applyOneByOne(valid, invalid, layout);
  }

  private Result applyBatch(
      PCollection<KV<Integer, Row>> valid,
      PCollection<InvalidChange> invalid,
      ChangeLayout layout) {
    PCollection<KV<Integer, Row>> accepted =
        rules.strict()
            ? valid.apply("RefuseInvalid", new RefuseInvalid(invalid)).setCoder(valid.getCoder())
            : valid;
    PCollectionTuple applied =
        accepted
            .apply("FireOnce", fireOnce())
            .apply("GroupByShard", GroupByKey.create())
            .apply(
                "ApplyShards",
                ParDo.of(new ApplyShardFn(layout))
                    .withOutputTags(
                        NoOutput.TAG,
                        TupleTagList.of(ApplyShardFn.ROWS).and(ApplyShardFn.DELETES)));
    return new Result(applied, layout, invalid, null);
  }

  private Result applyOneByOne(
      PCollection<KV<Integer, Row>> valid,
      PCollection<InvalidChange> invalid,
      ChangeLayout layout) {
    if (rules.retention() == null) {
      throw ChangesErrors.noRetention();
    }
    if (rules.history()) {
      throw ChangesErrors.boundedOnly("changes with history (SCD type 2)");
    }
    if (rules.truncateWhen() != null) {
      throw ChangesErrors.boundedOnly("truncates, which reach keys that are not remembered");
    }
    if (rules.strict()) {
      throw ChangesErrors.boundedOnly("strict changes, all of which must be seen first");
    }
    PCollectionTuple applied =
        valid.apply(
            "ApplyInBuckets",
            ParDo.of(new ApplyInBucketFn(layout, rules.retention()))
                .withOutputTags(
                    NoOutput.TAG,
                    TupleTagList.of(ApplyInBucketFn.ROWS)
                        .and(ApplyInBucketFn.DELETES)
                        .and(ApplyInBucketFn.LATE)));
    return new Result(
        applied, layout, invalid, applied.get(ApplyInBucketFn.LATE).setRowSchema(layout.input()));
  }

  /** A trigger of the input would split a shard into several groups that know nothing of others. */
  private static Window<KV<Integer, Row>> fireOnce() {
    return Window.<KV<Integer, Row>>into(new GlobalWindows())
        .triggering(DefaultTrigger.of())
        .withAllowedLateness(Duration.ZERO)
        .discardingFiredPanes();
  }

  /** The outputs of {@link ApplyChanges}. */
  public static final class Result implements POutput {
    private final PCollection<Row> rows;
    private final PCollection<Row> deletes;
    private final PCollection<InvalidChange> invalid;
    private final @Nullable PCollection<Row> late;

    private Result(
        PCollectionTuple applied,
        ChangeLayout layout,
        PCollection<InvalidChange> invalid,
        @Nullable PCollection<Row> late) {
      this.rows = applied.get(ApplyShardFn.ROWS).setRowSchema(layout.outputSchema());
      this.deletes = applied.get(ApplyShardFn.DELETES).setRowSchema(layout.deleteSchema());
      this.invalid = invalid;
      this.late = late;
    }

    /**
     * Returns the rows that there are after all changes: one of each key that was not deleted, or
     * all versions of every key, with their start and end. Of an unbounded input, the row of a key
     * whenever a change makes another one of it; keep the sequence in the row, and let the newer
     * one win wherever it is written.
     */
    public PCollection<Row> rows() {
      return rows;
    }

    /**
     * Returns key and sequence of the keys that were deleted last; nothing with history. Of an
     * unbounded input, of a key whenever a change deletes it.
     */
    public PCollection<Row> deletes() {
      return deletes;
    }

    /** Returns the changes that have no key, no sequence, or name a column that does not exist. */
    public PCollection<InvalidChange> invalid() {
      return invalid;
    }

    /**
     * Returns the changes of an unbounded input that came too late: their keys may have been
     * forgotten.
     *
     * @throws IllegalStateException for a bounded input, which forgets nothing
     */
    public PCollection<Row> late() {
      if (late == null) {
        throw new IllegalStateException(
            "Late changes must be those of an unbounded input, but was: bounded. Leave late() out.");
      }
      return late;
    }

    @Override
    public Pipeline getPipeline() {
      return rows.getPipeline();
    }

    @Override
    public Map<TupleTag<?>, PValue> expand() {
      Map<TupleTag<?>, PValue> outputs = new HashMap<>();
      outputs.put(ApplyShardFn.ROWS, rows);
      outputs.put(ApplyShardFn.DELETES, deletes);
      outputs.put(AssignShardFn.INVALID, invalid);
      if (late != null) {
        outputs.put(ApplyInBucketFn.LATE, late);
      }
      return outputs;
    }

    @Override
    public void finishSpecifyingOutput(
        String transformName, PInput input, PTransform<?, ?> transform) {
      // Coders are set and nothing is left to be named.
    }
  }
}
