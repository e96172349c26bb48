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

import dev.idem.io.jdbc.JdbcSink.Opened;
import dev.idem.io.jdbc.JdbcSpec.Mode;
import dev.idem.io.jdbc.RecordTables.Held;
import dev.idem.transforms.changes.TableMerge;
import dev.idem.transforms.fingerprint.ContentSum;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * A batch is opened, its shards are written, it is closed; each step is one transaction that first
 * locks the batch's record and reads there what came before it:
 *
 *   a crash before a shard's commit   its rows and its mark go together
 *   a crash after it, a lost answer   the next attempt finds the mark and writes nothing
 *   an attempt of an older batch,     finds a later batch, or a later lease, in the record, and
 *   or one that lost its lease        fails; while it holds the record's lock nobody opens a batch
 *   another number of shards          the record's number counts, from the first attempt on
 *
 * A row that the database refuses is searched for by halves, each under a savepoint, and becomes a
 * dead letter, which is kept with the mark.
 */
/** A batch as it is written to a table, by any number of workers. */
final class JdbcBatch {

  private final JdbcSpec spec;
  private final BatchName name;
  private final int requestedShards;
  private final Transactions transactions;
  private @Nullable TableDescription table;
  private @Nullable Opened opened;

  /** A batch that any worker opens. */
  JdbcBatch(JdbcSpec spec, BatchName name, int requestedShards) {
    this.spec = spec;
    this.name = name;
    this.requestedShards = requestedShards;
    this.transactions = new Transactions(spec);
  }

  /** A batch that was opened elsewhere; nobody here opens it again. */
  static JdbcBatch opened(JdbcSpec spec, BatchName name, Opened opened) {
    JdbcBatch batch = new JdbcBatch(spec, name, opened.shards());
    batch.opened = opened;
    return batch;
  }

  /**
   * Opens the batch if no attempt has; every worker may call it, at any time.
   *
   * @throws JdbcBatchRefusedException if the record does not allow it
   */
  Opened open() throws InterruptedException {
    if (opened == null) {
      TableDescription target = describe();
      opened =
          transactions.run(
              TargetCheck::existsAlready, connection -> open(records(connection, target)));
    }
    return opened;
  }

  private Opened open(RecordTables records) {
    Optional<Held> known = records.lockAlone(name.sink());
    if (known.isEmpty()) {
      records.open(name, false, requestedShards);
      return new Opened(requestedShards, false);
    }
    Held held = known.get();
    if (held.batch() == name.batch()) {
      return same(records, held);
    }
    if (held.batch() > name.batch()) {
      return earlier(records, held);
    }
    if (!held.closed()) {
      throw JdbcWriteErrors.otherBatch(
          name, held.batch(), true, "follow a batch that is complete", "Run that one again first");
    }
    records.open(name, true, requestedShards);
    return new Opened(requestedShards, false);
  }

  private Opened same(RecordTables records, Held held) {
    if (name.fingerprint() != null
        && held.fingerprint() != null
        && !name.fingerprint().equals(held.fingerprint())) {
      boolean untouched =
          !held.closed()
              && records.shards(name.sink()).stream().noneMatch(RecordTables.Shard::done);
      if (!untouched) {
        throw JdbcWriteErrors.otherBatch(
            name,
            held.batch(),
            !held.closed(),
            "have the plan under which it was begun, " + held.fingerprint(),
            "Give what is planned now, " + name.fingerprint() + ", a batch id of its own");
      }
      records.open(name, true, requestedShards);
      return new Opened(requestedShards, false);
    }
    if (!held.closed()) {
      requireLatest(held);
      records.takeOver(name);
    }
    return new Opened(held.shards(), held.closed());
  }

  private Opened earlier(RecordTables records, Held held) {
    Optional<RecordTables.Closed> closed = records.closed(name.sink(), name.batch());
    boolean same =
        closed.isPresent()
            && (name.fingerprint() == null
                || closed.get().fingerprint() == null
                || name.fingerprint().equals(closed.get().fingerprint()));
    if (!same) {
      throw JdbcWriteErrors.otherBatch(
          name,
          held.batch(),
          !held.closed(),
          closed.isPresent()
              ? "have the plan that it had"
              : "be the next one, or one of the last " + RecordTables.KEPT,
          "Batch ids grow; give the rows a later one");
    }
    return new Opened(requestedShards, true);
  }

  private void requireLatest(Held held) {
    boolean overtaken = held.epoch().equals(name.epoch()) && held.lease() > name.lease();
    if (overtaken) {
      throw overtaken(held);
    }
  }

  private JdbcBatchRefusedException overtaken(Held held) {
    return JdbcWriteErrors.overtaken(
        name,
        "batch "
            + held.batch()
            + ", epoch \""
            + held.epoch()
            + "\", lease "
            + held.lease()
            + ", plan "
            + held.fingerprint());
  }

  /** Writes the rows of a shard, or finds that it is written. */
  ShardResult write(int shard, Iterable<Row> carriers, Carried carried)
      throws InterruptedException {
    TableDescription target = describe();
    RowMapping mapping = spec.merge() == null ? new RowMapping(carried.rows(), target, spec) : null;
    Opened batch = open();
    if (batch.written()) {
      return written(shard, carriers, carried, target);
    }
    return transactions.run(
        error -> spec.merge() != null && TargetCheck.existsAlready(error),
        connection -> {
          // Before any lock: where making a table ends a transaction, locks would go with it.
          ShardWrite write =
              mapping == null
                  ? new ChangeWrite(
                      connection,
                      transactions.dialect(),
                      spec,
                      target,
                      spec.merge(),
                      key -> Shards.of(key, batch.shards()) == shard)
                  : new RowWrite(connection, transactions.dialect(), spec, target, mapping);
          RecordTables records = records(connection, target);
          Held held = records.lockShared(name.sink()).orElseThrow();
          if (!held.isOf(name)) {
            throw overtaken(held);
          }
          RecordTables.Shard kept = records.lockShard(name.sink(), shard);
          if (kept.done()) {
            return kept(shard, kept, carriers, carried);
          }
          if (spec.hasTombstones()) {
            records.lockBuckets(
                Shards.firstBucket(shard, batch.shards()),
                Shards.lastBucket(shard, batch.shards()));
          }
          ShardContent content = new ShardContent(shard, carried);
          for (Row carrier : spec.mode() == Mode.UPSERT ? carried.inOrder(carriers) : carriers) {
            Row row = carried.row(carrier);
            content.add(row);
            write.add(carrier, row);
          }
          write.finish();
          records.done(
              name.sink(),
              shard,
              content.sum(),
              write.written(),
              write.letters().size(),
              Letters.toText(write.letters(), carried.schema()));
          return new ShardResult(shard, write.written(), write.letters(), content.sum(), false);
        });
  }

  /** A batch that is closed: its shards are known as long as no other batch was opened. */
  private ShardResult written(
      int shard, Iterable<Row> carriers, Carried carried, TableDescription target)
      throws InterruptedException {
    return transactions.run(
        error -> false,
        connection -> {
          RecordTables records = records(connection, target);
          Held held = records.lockShared(name.sink()).orElseThrow();
          if (held.batch() != name.batch() || shard >= held.shards()) {
            ContentSum content = content(shard, carriers, carried);
            return new ShardResult(shard, 0, List.of(), content, true);
          }
          return kept(shard, records.lockShard(name.sink(), shard), carriers, carried);
        });
  }

  /** Returns what came of a shard that an earlier attempt wrote; it must have had these rows. */
  private ShardResult kept(
      int shard, RecordTables.Shard kept, Iterable<Row> carriers, Carried carried) {
    ContentSum content = content(shard, carriers, carried);
    if (!content.equals(kept.content())) {
      throw JdbcWriteErrors.changedContent(
          name, "shard " + shard, String.valueOf(kept.content()), content.toString());
    }
    return new ShardResult(
        shard, kept.rows(), Letters.parse(kept.letters(), carried.schema()), content, true);
  }

  private ContentSum content(int shard, Iterable<Row> carriers, Carried carried) {
    ShardContent content = new ShardContent(shard, carried);
    carriers.forEach(carrier -> content.add(carried.row(carrier)));
    return content.sum();
  }

  /** Adds up the rows of a shard. */
  private final class ShardContent {
    private final int shard;
    private final RowEncoding encoding;
    private ContentSum sum = ContentSum.EMPTY;

    ShardContent(int shard, Carried carried) {
      this.shard = shard;
      this.encoding = RowEncoding.of(carried.rows());
    }

    void add(Row row) {
      // A truncate is in every shard, and counts once.
      if (shard == 0 || !isTruncate(row)) {
        sum = sum.plus(encoding.fingerprint(row));
      }
    }

    ContentSum sum() {
      return sum;
    }
  }

  private boolean isTruncate(Row row) {
    TableMerge merge = spec.merge();
    return merge != null && merge.invalid(row).isEmpty() && merge.isTruncate(merge.change(row));
  }

  /**
   * Closes the batch once all its shards are written; shards that are not are those without rows.
   *
   * @param content the sum of all rows' fingerprints
   */
  JdbcWriteOutcome close(ContentSum content, @Nullable String body) throws InterruptedException {
    TableDescription target = describe();
    Opened batch = open();
    return transactions.run(
        error -> false,
        connection -> {
          RecordTables records = records(connection, target);
          Held held = records.lockAlone(name.sink()).orElseThrow();
          if (batch.written() || (held.closed() && held.batch() == name.batch())) {
            String before = records.closed(name.sink(), name.batch()).orElseThrow().content();
            if (!content.toString().equals(before)) {
              throw JdbcWriteErrors.changedContent(
                  name, "all shards", String.valueOf(before), content.toString());
            }
            return JdbcWriteOutcome.alreadyWritten(name);
          }
          if (!held.isOf(name)) {
            throw overtaken(held);
          }
          records.restIsEmpty(name.sink());
          List<RecordTables.Shard> shards = records.shards(name.sink());
          ContentSum sum = ContentSum.EMPTY;
          long rows = 0;
          long letters = 0;
          for (RecordTables.Shard shard : shards) {
            sum = sum.plus(shard.content());
            rows += shard.rows();
            letters += shard.deadLetters();
          }
          if (!sum.equals(content)) {
            throw JdbcWriteErrors.changedContent(
                name, "all shards", sum.toString(), content.toString());
          }
          records.close(name, sum, rows, letters, body);
          new MergeStatements(transactions.dialect(), spec, target, target.columns())
              .forgetTombstones(transactions.dialect().on(connection));
          transactions.dialect().forceCommit(connection);
          return new JdbcWriteOutcome(name.sink(), name.batch(), rows, letters, false);
        });
  }

  private RecordTables records(Connection connection, TableDescription target)
      throws InterruptedException {
    Dialect dialect = transactions.dialect();
    return new RecordTables(dialect.on(connection), dialect, target.name());
  }

  /**
   * Reads what the table is, checks that it can be written so, and makes what is kept beside it.
   */
  private TableDescription describe() throws InterruptedException {
    if (table == null) {
      table = TargetCheck.of(spec, transactions);
    }
    return table;
  }
}
