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

import dev.idem.transforms.changes.DiffShardFn.Side;
import dev.idem.transforms.fingerprint.KeyTypes;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.util.List;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.join.CoGroupByKey;
import org.apache.beam.sdk.transforms.join.KeyedPCollectionTuple;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollection.IsBounded;
import org.apache.beam.sdk.values.Row;

/**
 * A transform of a full snapshot of a table to the changes that lead there from the snapshot before
 * it: what {@link ApplyChanges} needs where a source tells what there is and not what happened.
 *
 * <p><b>Guarantee.</b> For each key one change or none: an upsert, with the row of the next
 * snapshot, if the key is new or any column has another value; a delete, with the row of the
 * snapshot before, if the next one does not have the key. Values are equal if their canonical
 * encodings are ({@link RowEncoding}): 1.0 is 1.00, and null is null only. Applied to the table of
 * the first snapshot the changes give that of the next one.
 *
 * <p><b>Replay.</b> The same snapshots and the same sequence give the same changes.
 *
 * <p><b>Requirements.</b> Both snapshots are bounded, in the global window, and have the same
 * schema. Keys are not null, hold no floating-point values and are unique in each snapshot. The
 * sequence grows from snapshot to snapshot. An empty next snapshot deletes every row: whoever reads
 * one that may be incomplete must check it before.
 *
 * <p><b>State and cost.</b> One shuffle of both snapshots; a worker holds one shard of both.
 *
 * <p><b>Errors.</b> Columns and inputs that cannot work are an {@link IllegalArgumentException}
 * when the pipeline is built. A null key, or a key that is there twice with different rows, fails
 * the pipeline with a {@link BadSnapshotException} that names it: no row would be safe from being
 * taken for deleted.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * PCollection<Row> changes =
 *     today.apply(DiffSnapshots.keys("customer_id").since(yesterday).as("day", 20_423L));
 * changes.apply(
 *     ApplyChanges.keys("customer_id")
 *         .sequenceBy("day")
 *         .applyAsDeleteWhen(DiffSnapshots::isDelete)
 *         .columnsExcept(DiffSnapshots.OPERATION, "day"));
 * }</pre>
 */
public final class DiffSnapshots extends PTransform<PCollection<Row>, PCollection<Row>> {

  /** The column of a change that says what it is: {@code UPSERT} or {@code DELETE}. */
  public static final String OPERATION = "operation";

  static final String UPSERT = "UPSERT";
  static final String DELETE = "DELETE";

  private static final int DEFAULT_SHARDS = 16;

  private final transient List<String> keys;
  private final transient PCollection<Row> before;
  private final transient String sequenceColumn;
  private final transient long sequence;
  private final transient int shards;

  private DiffSnapshots(
      List<String> keys,
      PCollection<Row> before,
      String sequenceColumn,
      long sequence,
      int shards) {
    this.keys = keys;
    this.before = before;
    this.sequenceColumn = sequenceColumn;
    this.sequence = sequence;
    this.shards = shards;
  }

  /** Tells rows apart by one or more columns. */
  public static DiffSnapshots keys(String... columns) {
    if (columns.length == 0) {
      throw ChangesErrors.noKeys();
    }
    return new DiffSnapshots(List.of(columns), null, "sequence", 0, DEFAULT_SHARDS);
  }

  /** Sets the snapshot before. Needed. */
  public DiffSnapshots since(PCollection<Row> snapshot) {
    return new DiffSnapshots(keys, snapshot, sequenceColumn, sequence, shards);
  }

  /**
   * Sets the column that the changes get as their sequence, and its value for this snapshot: its
   * number or time. Needed for more than one snapshot; default {@code sequence} and 0.
   */
  public DiffSnapshots as(String column, long value) {
    return new DiffSnapshots(keys, before, column, value, shards);
  }

  /** Sets the number of shards, a power of two; default 16. */
  public DiffSnapshots withShards(int number) {
    if (number < 1 || Integer.bitCount(number) != 1) {
      throw ChangesErrors.notPowerOfTwo("Shards", number);
    }
    return new DiffSnapshots(keys, before, sequenceColumn, sequence, number);
  }

  /** Returns whether a change that this transform made is a delete. */
  public static boolean isDelete(Row change) {
    return DELETE.equals(change.getString(OPERATION));
  }

  @Override
  public PCollection<Row> expand(PCollection<Row> next) {
    if (before == null) {
      throw ChangesErrors.noSnapshotBefore();
    }
    check("Snapshot", next);
    check("Snapshot before", before);
    Schema schema = next.getSchema();
    if (!schema.equals(before.getSchema())) {
      throw ChangesErrors.otherSnapshotSchema(before.getSchema(), schema);
    }
    for (String key : keys) {
      if (!schema.hasField(key)) {
        throw ChangesErrors.missingColumn("Key column", key, schema);
      }
      KeyTypes.floatingPoint(schema, key)
          .ifPresent(
              path -> {
                throw ChangesErrors.floatingPointKey(path);
              });
    }
    for (String added : List.of(OPERATION, sequenceColumn)) {
      if (schema.hasField(added)) {
        throw ChangesErrors.columnTaken(added);
      }
    }
    Schema changes =
        Schema.builder()
            .addFields(schema.getFields())
            .addStringField(OPERATION)
            .addField(sequenceColumn, FieldType.INT64)
            .build();
    return KeyedPCollectionTuple.of(Side.BEFORE, byShard("Before", before))
        .and(Side.NEXT, byShard("Next", next))
        .apply("GroupByShard", CoGroupByKey.create())
        .apply("DiffShards", ParDo.of(new DiffShardFn(schema, keys, changes, sequence)))
        .setRowSchema(changes);
  }

  private static void check(String thing, PCollection<Row> snapshot) {
    WindowFn<?, ?> windowFn = snapshot.getWindowingStrategy().getWindowFn();
    if (!(windowFn instanceof GlobalWindows)) {
      throw ChangesErrors.windowed(thing, windowFn.getClass().getSimpleName());
    }
    if (snapshot.isBounded() == IsBounded.UNBOUNDED) {
      throw ChangesErrors.unbounded(thing);
    }
    if (!snapshot.hasSchema()) {
      throw ChangesErrors.noSchema(thing);
    }
  }

  private PCollection<KV<Integer, Row>> byShard(String name, PCollection<Row> rows) {
    Schema schema = rows.getSchema();
    return rows.apply(
            "AssignShards" + name, ParDo.of(new DiffShardFn.AssignFn(schema, keys, shards)))
        .setCoder(KvCoder.of(VarIntCoder.of(), RowCoder.of(schema)));
  }
}
