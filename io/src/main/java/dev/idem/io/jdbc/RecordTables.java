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
package dev.idem.io.jdbc;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import dev.idem.io.jdbc.TableDescription.FullName;
import dev.idem.transforms.fingerprint.ContentSum;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/*
 * idem_record  a row a (table, sink): the last batch, open or closed. Who writes rows holds its
 *              lock shared, who opens or closes holds it alone: no attempt writes while another
 *              batch is opened, and none afterwards, since it reads that under the lock.
 * idem_shard   a row a shard of that batch, made when it is opened, updated in the transaction of
 *              the shard's rows. It stays until the next batch is opened, for its dead letters.
 * idem_batch   the last batches that were closed, to know them again.
 * idem_bucket  rows to lock: applications that write and delete rows of one table, each in a batch
 *              of its own, must not do so with the same keys at once. See MergeStatements.
 */
/** What a database remembers of the batches that its tables hold, in tables beside them. */
final class RecordTables {

  /** How many closed batches of a sink are remembered. */
  static final int KEPT = 100;

  /** Into how many buckets the keys of a table fall. */
  static final int BUCKETS = 64;

  private static final int NAME = 255;
  private static final Field<String> TARGET = of("target", String.class);
  private static final Field<String> SINK = of("sink", String.class);
  private static final Field<Long> BATCH = of("batch", Long.class);
  private static final Field<String> FINGERPRINT = of("fingerprint", String.class);
  private static final Field<String> EPOCH = of("epoch", String.class);
  private static final Field<Long> LEASE = of("lease", Long.class);
  private static final Field<Integer> SHARDS = of("shards", Integer.class);
  private static final Field<Integer> CLOSED = of("closed", Integer.class);
  private static final Field<String> CONTENT = of("content", String.class);
  private static final Field<Long> ROWS = of("written", Long.class);
  private static final Field<Long> DEAD = of("dead_letters", Long.class);
  private static final Field<String> BODY = of("body", String.class);
  private static final Field<Integer> SHARD = of("shard", Integer.class);
  private static final Field<Integer> DONE = of("done", Integer.class);
  private static final Field<Integer> BUCKET = of("bucket", Integer.class);

  private final DSLContext context;
  private final Dialect dialect;
  private final FullName target;
  private final Table<Record> records;
  private final Table<Record> shards;
  private final Table<Record> batches;
  private final Table<Record> buckets;

  RecordTables(DSLContext context, Dialect dialect, FullName target) {
    this.context = context;
    this.dialect = dialect;
    this.target = target;
    this.records = table(target.beside("idem_record"));
    this.shards = table(target.beside("idem_shard"));
    this.batches = table(target.beside("idem_batch"));
    this.buckets = table(target.beside("idem_bucket"));
  }

  private static <T> Field<T> of(String column, Class<T> type) {
    return field(name(column), type);
  }

  /**
   * What is remembered of the last batch.
   *
   * @param fingerprint null if it was not given
   * @param body what was told of the last batch that was closed
   */
  record Held(
      long batch,
      @Nullable String fingerprint,
      String epoch,
      long lease,
      int shards,
      boolean closed,
      @Nullable String body) {

    /** Returns whether an attempt is the one that the batch is open for. */
    boolean isOf(BatchName name) {
      return batch == name.batch()
          && lease == name.lease()
          && epoch.equals(name.epoch())
          && (fingerprint == null
              || name.fingerprint() == null
              || fingerprint.equals(name.fingerprint()));
    }
  }

  /**
   * What is remembered of a shard.
   *
   * @param letters the dead letters, encoded
   */
  record Shard(
      boolean done,
      @Nullable ContentSum content,
      long rows,
      long deadLetters,
      @Nullable String letters) {}

  /** What is remembered of a batch that was closed. */
  record Closed(@Nullable String fingerprint, @Nullable String content) {}

  /** Makes the tables that are not there. */
  void create() {
    context
        .createTableIfNotExists(records)
        .column(TARGET, SQLDataType.VARCHAR(NAME).notNull())
        .column(SINK, SQLDataType.VARCHAR(NAME).notNull())
        .column(BATCH, SQLDataType.BIGINT.notNull())
        .column(FINGERPRINT, SQLDataType.VARCHAR(NAME).null_())
        .column(EPOCH, SQLDataType.VARCHAR(NAME).notNull())
        .column(LEASE, SQLDataType.BIGINT.notNull())
        .column(SHARDS, SQLDataType.INTEGER.notNull())
        .column(CLOSED, SQLDataType.INTEGER.notNull())
        .column(CONTENT, SQLDataType.VARCHAR(32).null_())
        .column(ROWS, SQLDataType.BIGINT.null_())
        .column(DEAD, SQLDataType.BIGINT.null_())
        .column(BODY, dialect.anyText().null_())
        .primaryKey(TARGET, SINK)
        .execute();
    context
        .createTableIfNotExists(shards)
        .column(TARGET, SQLDataType.VARCHAR(NAME).notNull())
        .column(SINK, SQLDataType.VARCHAR(NAME).notNull())
        .column(SHARD, SQLDataType.INTEGER.notNull())
        .column(BATCH, SQLDataType.BIGINT.notNull())
        .column(DONE, SQLDataType.INTEGER.notNull())
        .column(CONTENT, SQLDataType.VARCHAR(32).null_())
        .column(ROWS, SQLDataType.BIGINT.null_())
        .column(DEAD, SQLDataType.BIGINT.null_())
        .column(BODY, dialect.anyText().null_())
        .primaryKey(TARGET, SINK, SHARD)
        .execute();
    context
        .createTableIfNotExists(batches)
        .column(TARGET, SQLDataType.VARCHAR(NAME).notNull())
        .column(SINK, SQLDataType.VARCHAR(NAME).notNull())
        .column(BATCH, SQLDataType.BIGINT.notNull())
        .column(FINGERPRINT, SQLDataType.VARCHAR(NAME).null_())
        .column(CONTENT, SQLDataType.VARCHAR(32).null_())
        .column(ROWS, SQLDataType.BIGINT.null_())
        .column(DEAD, SQLDataType.BIGINT.null_())
        .primaryKey(TARGET, SINK, BATCH)
        .execute();
    context
        .createTableIfNotExists(buckets)
        .column(TARGET, SQLDataType.VARCHAR(NAME).notNull())
        .column(BUCKET, SQLDataType.INTEGER.notNull())
        .primaryKey(TARGET, BUCKET)
        .execute();
  }

  private Condition own(String sink) {
    return TARGET.eq(target.toString()).and(SINK.eq(sink));
  }

  private Condition shard(String sink, int shard) {
    return own(sink).and(SHARD.eq(shard));
  }

  /** Makes the rows to lock that are not there. */
  void createBuckets() {
    Condition ofTarget = TARGET.eq(target.toString());
    if (context.fetchCount(buckets, ofTarget) < BUCKETS) {
      for (int bucket = 0; bucket < BUCKETS; bucket++) {
        if (context.fetchCount(buckets, ofTarget.and(BUCKET.eq(bucket))) == 0) {
          context.insertInto(buckets, TARGET, BUCKET).values(target.toString(), bucket).execute();
        }
      }
    }
  }

  /** Locks buckets until the transaction ends, the first one first. */
  void lockBuckets(int from, int to) {
    context
        .select(BUCKET)
        .from(buckets)
        .where(TARGET.eq(target.toString()).and(BUCKET.between(from, to)))
        .orderBy(BUCKET)
        .forUpdate()
        .fetch();
  }

  /** Returns the record and holds its lock alone, so that nobody writes under it. */
  Optional<Held> lockAlone(String sink) {
    return context
        .select(BATCH, FINGERPRINT, EPOCH, LEASE, SHARDS, CLOSED, BODY)
        .from(records)
        .where(own(sink))
        .forUpdate()
        .fetchOptional(RecordTables::held);
  }

  /** Returns the record and holds its lock with others, so that nobody opens or closes a batch. */
  Optional<Held> lockShared(String sink) {
    var select =
        context
            .select(BATCH, FINGERPRINT, EPOCH, LEASE, SHARDS, CLOSED, BODY)
            .from(records)
            .where(own(sink));
    return (dialect.family() == Dialect.Family.STANDARD ? select.forUpdate() : select.forShare())
        .fetchOptional(RecordTables::held);
  }

  private static Held held(Record row) {
    return new Held(
        row.get(BATCH),
        row.get(FINGERPRINT),
        row.get(EPOCH),
        row.get(LEASE),
        row.get(SHARDS),
        row.get(CLOSED) == 1,
        row.get(BODY));
  }

  /** Returns what was told of the last closed batch of each sink that wrote the table. */
  Map<String, String> bodies() {
    return context
        .select(SINK, BODY)
        .from(records)
        .where(TARGET.eq(target.toString()).and(BODY.isNotNull()))
        .orderBy(SINK)
        .fetchMap(SINK, BODY);
  }

  /** Returns what is remembered of a batch that was closed. */
  Optional<Closed> closed(String sink, long batch) {
    return context
        .select(FINGERPRINT, CONTENT)
        .from(batches)
        .where(own(sink).and(BATCH.eq(batch)))
        .fetchOptional(row -> new Closed(row.get(FINGERPRINT), row.get(CONTENT)));
  }

  /** Enters a batch as open, with its shards; the caller holds the lock, if there is a row. */
  void open(BatchName batch, boolean known, int shardCount) {
    if (known) {
      context
          .update(records)
          .set(BATCH, batch.batch())
          .set(FINGERPRINT, batch.fingerprint())
          .set(EPOCH, batch.epoch())
          .set(LEASE, batch.lease())
          .set(SHARDS, shardCount)
          .set(CLOSED, 0)
          .setNull(CONTENT)
          .setNull(ROWS)
          .setNull(DEAD)
          .where(own(batch.sink()))
          .execute();
    } else {
      context
          .insertInto(records, TARGET, SINK, BATCH, FINGERPRINT, EPOCH, LEASE, SHARDS, CLOSED)
          .values(
              target.toString(),
              batch.sink(),
              batch.batch(),
              batch.fingerprint(),
              batch.epoch(),
              batch.lease(),
              shardCount,
              0)
          .execute();
    }
    context.deleteFrom(shards).where(own(batch.sink())).execute();
    var insert = context.insertInto(shards, TARGET, SINK, SHARD, BATCH, DONE);
    for (int shard = 0; shard < shardCount; shard++) {
      insert = insert.values(target.toString(), batch.sink(), shard, batch.batch(), 0);
    }
    insert.execute();
  }

  /** Lets the attempt of a later lease go on with a batch. */
  void takeOver(BatchName batch) {
    context
        .update(records)
        .set(EPOCH, batch.epoch())
        .set(LEASE, batch.lease())
        .where(own(batch.sink()))
        .execute();
  }

  /** Returns what is remembered of a shard, and holds its lock. */
  Shard lockShard(String sink, int shard) {
    return context
        .select(DONE, CONTENT, ROWS, DEAD, BODY)
        .from(shards)
        .where(shard(sink, shard))
        .forUpdate()
        .fetchSingle(RecordTables::shard);
  }

  /** Returns the shards in their order. */
  List<Shard> shards(String sink) {
    return context
        .select(DONE, CONTENT, ROWS, DEAD, BODY)
        .from(shards)
        .where(own(sink))
        .orderBy(SHARD)
        .fetch(RecordTables::shard);
  }

  private static Shard shard(Record row) {
    String content = row.get(CONTENT);
    return new Shard(
        row.get(DONE) == 1,
        content == null ? null : ContentSum.parse(content),
        row.get(ROWS) == null ? 0 : row.get(ROWS),
        row.get(DEAD) == null ? 0 : row.get(DEAD),
        row.get(BODY));
  }

  /** Enters a shard as written. */
  void done(
      String sink, int shard, ContentSum content, long rows, long dead, @Nullable String letters) {
    context
        .update(shards)
        .set(DONE, 1)
        .set(CONTENT, content.toString())
        .set(ROWS, rows)
        .set(DEAD, dead)
        .set(BODY, letters)
        .where(shard(sink, shard))
        .execute();
  }

  /** Enters the shards that got no rows. */
  void restIsEmpty(String sink) {
    context
        .update(shards)
        .set(DONE, 1)
        .set(CONTENT, ContentSum.EMPTY.toString())
        .set(ROWS, 0L)
        .set(DEAD, 0L)
        .where(own(sink).and(DONE.eq(0)))
        .execute();
  }

  /** Enters the batch as closed. */
  void close(BatchName batch, ContentSum content, long rows, long dead, @Nullable String body) {
    context
        .update(records)
        .set(CLOSED, 1)
        .set(CONTENT, content.toString())
        .set(ROWS, rows)
        .set(DEAD, dead)
        .set(BODY, body)
        .where(own(batch.sink()))
        .execute();
    context
        .insertInto(batches, TARGET, SINK, BATCH, FINGERPRINT, CONTENT, ROWS, DEAD)
        .values(
            target.toString(),
            batch.sink(),
            batch.batch(),
            batch.fingerprint(),
            content.toString(),
            rows,
            dead)
        .execute();
    context
        .select(BATCH)
        .from(batches)
        .where(own(batch.sink()))
        .orderBy(BATCH.desc())
        .limit(KEPT, 1)
        .fetchOptional(BATCH)
        .ifPresent(
            oldest ->
                context
                    .deleteFrom(batches)
                    .where(own(batch.sink()).and(BATCH.le(oldest)))
                    .execute());
  }
}
