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

import com.google.auto.value.AutoValue;
import dev.idem.io.delta.table.BatchNames;
import dev.idem.io.jdbc.JdbcSpec.Deletes;
import dev.idem.io.jdbc.JdbcSpec.Mode;
import dev.idem.transforms.changes.ApplyChanges;
import dev.idem.transforms.changes.TableMerge;
import dev.idem.transforms.external.IdempotentTarget;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.io.jdbc.JdbcIO;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.transforms.WithKeys;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.apache.beam.sdk.values.WindowingStrategy;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;

/**
 * A write of rows to a table of a database that hold once, however often they are written. Made by
 * {@link JdbcUpsertIO}.
 *
 * <p><b>Guarantee.</b> A batch is in the table at most once: all its rows but those that the
 * database refuses, which are {@linkplain JdbcWriteResult#deadLetters dead letters}. Readers see a
 * shard's rows at once, not a batch's. With {@code upsertNewer} the table holds of each key the row
 * of the greatest sequence, in whatever order batches come and whoever else writes so; at equal
 * sequence a delete beats a row, and otherwise the row that is there stays.
 *
 * <p><b>Replay.</b> Each shard of a batch is one transaction, with its rows and its mark in the
 * record. A crash before the commit, in the middle or after the statements, leaves nothing; the
 * replay writes the shard. A crash after the commit, or a commit whose answer is lost: the replay
 * finds the mark and writes nothing, but gives the shard's dead letters again. An attempt that is
 * repeated or runs twice at once waits for the record's lock and then finds the mark. An attempt of
 * an older batch that wakes up finds a later batch in the record and fails. The number of shards is
 * that of the first attempt, whatever later ones ask for.
 *
 * <p><b>Requirements.</b> A bounded input in the global window, and batch ids that grow. Rows whose
 * fields are columns of the table. For upserts a unique constraint over exactly the key columns; on
 * MySQL and MariaDB no further one. The right to create tables beside the target, or these, made
 * before: {@code idem_record}, {@code idem_shard}, {@code idem_batch}, {@code idem_bucket}, and for
 * deletes {@code <table>_tombstone}. No stable input, no state and no timers. For an unbounded
 * input see {@link #asTarget}.
 *
 * <p><b>State and cost.</b> One shuffle of the rows, packed; a worker holds 64 KiB a shard before
 * it, and a chunk of one shard after it. Rows get into a temporary table, on PostgreSQL by {@code
 * COPY}, and from there into the target by one statement a chunk. In the database: a row a sink, a
 * row a shard of the last batch, the last 100 batches, and the keys of deletes for as long as they
 * are retained.
 *
 * <p><b>Values.</b> Each becomes what its column holds; nothing is rounded. Instants are written in
 * UTC, into a column without a zone too; what of a second the column does not have is cut off. A
 * number with more digits behind the point than its column is a dead letter.
 *
 * <p><b>Errors.</b> {@link JdbcTargetException} if the table is not as required, or cannot be
 * written to after all attempts; {@link JdbcBatchRefusedException} if the record does not allow the
 * batch. Deadlocks, failed serialisation, timeouts and lost connections are tried again.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * JdbcWriteResult result =
 *     orders.apply(
 *         JdbcUpsertIO.upsertNewer(List.of("order_id"), "version")
 *             .by("orders")
 *             .withDatabase(JdbcDatabase.at("jdbc:postgresql://db.example.org/shop").as("writer"))
 *             .to("orders")
 *             .withBatch(day.toEpochDay()));
 * mails.apply(Wait.on(result.outcomes()));
 * }</pre>
 */
@SuppressWarnings("AutoValueImmutableFields") // The collections are copies that cannot change.
@AutoValue
public abstract class WriteJdbcRows extends PTransform<PCollection<Row>, JdbcWriteResult> {

  WriteJdbcRows() {}

  abstract Mode mode();

  abstract List<String> keys();

  abstract List<String> sequence();

  abstract @Nullable String applicationId();

  abstract String sinkName();

  abstract @Nullable String table();

  abstract @Nullable SerializableFunction<Void, DataSource> source();

  abstract @Nullable Long batch();

  abstract @Nullable String planFingerprint();

  abstract int shards();

  abstract Deletes deletes();

  abstract Set<String> ignored();

  abstract @Nullable ApplyChanges changes();

  abstract int chunkRows();

  abstract int attempts();

  abstract Duration leastPause();

  abstract Duration mostPause();

  abstract Duration timeout();

  abstract Builder toBuilder();

  static WriteJdbcRows of(Mode mode, List<String> keys, List<String> sequence) {
    if (mode == Mode.UPSERT || mode == Mode.UPSERT_NEWER) {
      requireColumns("Keys", keys);
    }
    if (mode == Mode.UPSERT_NEWER) {
      requireColumns("Sequence", sequence);
    }
    return new AutoValue_WriteJdbcRows.Builder()
        .setMode(mode)
        .setKeys(List.copyOf(keys))
        .setSequence(List.copyOf(sequence))
        .setSinkName("main")
        .setShards(16)
        .setDeletes(new Deletes.None())
        .setIgnored(Set.of())
        .setChunkRows(50_000)
        .setAttempts(8)
        .setLeastPause(Duration.millis(100))
        .setMostPause(Duration.standardSeconds(30))
        .setTimeout(Duration.standardMinutes(5))
        .build();
  }

  private static void requireColumns(String thing, List<String> columns) {
    if (columns.isEmpty()) {
      throw JdbcWriteErrors.noColumns(thing);
    }
    Set<String> seen = new HashSet<>();
    for (String column : columns) {
      if (!seen.add(column)) {
        throw JdbcWriteErrors.twice(thing, column);
      }
    }
  }

  /** Names the application to the table; it stays the same over restarts. Required. */
  public WriteJdbcRows by(String applicationId) {
    return toBuilder().setApplicationId(BatchNames.applicationId(applicationId)).build();
  }

  /** Names this sink among several of the application on one table. Default: {@code main}. */
  public WriteJdbcRows withSink(String name) {
    return toBuilder().setSinkName(BatchNames.sinkName(name)).build();
  }

  /** Sets the table: {@code table}, or {@code schema.table}. Required. */
  public WriteJdbcRows to(String table) {
    return toBuilder().setTable(table).build();
  }

  /** Sets the database. Required, unless a data source is given. */
  public WriteJdbcRows withDatabase(JdbcDatabase database) {
    return toBuilder().setSource(database).build();
  }

  /**
   * Sets what gives connections, as Beam's JdbcIO takes it. A password that is part of it is part
   * of the pipeline; {@link #withDatabase} keeps it out.
   */
  public WriteJdbcRows withDataSource(JdbcIO.DataSourceConfiguration configuration) {
    SerializableFunction<Void, DataSource> provider =
        JdbcIO.DataSourceProviderFromDataSourceConfiguration.of(configuration);
    return toBuilder().setSource(provider).build();
  }

  /** Sets what gives connections on a worker; it may be called there many times. */
  public WriteJdbcRows withDataSourceProvider(SerializableFunction<Void, DataSource> provider) {
    return toBuilder().setSource(provider).build();
  }

  /** Sets the batch id; the hash of the rows stands for the plan. Required. */
  public WriteJdbcRows withBatch(long id) {
    return toBuilder().setBatch(BatchNames.batch(id)).setPlanFingerprint(null).build();
  }

  /** Sets the batch id and the fingerprint of all that decides the batch's rows. */
  public WriteJdbcRows withBatch(long id, String planFingerprint) {
    return withBatch(id).toBuilder()
        .setPlanFingerprint(BatchNames.planFingerprint(planFingerprint))
        .build();
  }

  /**
   * Sets how many shards a batch has: so many transactions, and so many connections at most. A
   * batch that was begun keeps the number it has. Default: 16.
   */
  public WriteJdbcRows withShards(int shards) {
    if (shards < 1) {
      throw JdbcWriteErrors.notPositive("Shards", shards);
    }
    return toBuilder().setShards(shards).build();
  }

  /**
   * Takes rows with this value, as text, in this field as deletes: the row of their key leaves the
   * table. With {@code upsertNewer} a row that is newer stays, and the key stays for 7 days in
   * {@code <table>_tombstone}, so that an older row that comes late stays out. The field need not
   * be a column of the table; a delete needs key and sequence only.
   */
  public WriteJdbcRows deletingWhen(String field, String value) {
    return deletingWhen(field, value, Duration.standardDays(7));
  }

  /** Takes rows as deletes and keeps their keys for another time than 7 days. */
  public WriteJdbcRows deletingWhen(String field, String value, Duration retention) {
    if (mode() == Mode.APPEND || mode() == Mode.CHANGES) {
      throw JdbcWriteErrors.deletesWithoutKeys();
    }
    return toBuilder()
        .setDeletes(new Deletes.Tombstones(field, value, millis(positive("Retention", retention))))
        .build();
  }

  /**
   * Takes rows with this value, as text, in this field as deletes: the row of their key stays in
   * the table with its sequence and a mark in another column, and all else as it was.
   */
  public WriteJdbcRows softDeletingWhen(String field, String value, String markColumn) {
    if (mode() != Mode.UPSERT_NEWER) {
      throw JdbcWriteErrors.softWithoutSequence();
    }
    return toBuilder().setDeletes(new Deletes.Soft(field, value, markColumn)).build();
  }

  /** Leaves fields of the rows out that the table has no column for. Default: none. */
  public WriteJdbcRows ignoringFields(String... fields) {
    return toBuilder().setIgnored(Set.of(fields)).build();
  }

  /**
   * Sets how many rows are written by one set of statements at most; a worker holds so many.
   * Default: 50,000.
   */
  public WriteJdbcRows withBatchSize(int rows) {
    if (rows < 1) {
      throw JdbcWriteErrors.notPositive("Batch size", rows);
    }
    return toBuilder().setChunkRows(rows).build();
  }

  /**
   * Sets how often a transaction is tried that fails with an error that may pass. Default: 8
   * attempts, with pauses from 100 milliseconds, each twice the one before, to 30 seconds.
   */
  public WriteJdbcRows withRetries(int attempts, Duration leastPause, Duration mostPause) {
    if (attempts < 1) {
      throw JdbcWriteErrors.notPositive("Attempts", attempts);
    }
    positive("First pause", leastPause);
    positive("Longest pause", mostPause.minus(leastPause));
    return toBuilder()
        .setAttempts(attempts)
        .setLeastPause(leastPause)
        .setMostPause(mostPause)
        .build();
  }

  /**
   * Sets how long a statement or the wait for a lock may take, and for how long the server bears a
   * client that says nothing in a transaction. Default: 5 minutes.
   */
  public WriteJdbcRows withTimeout(Duration timeout) {
    return toBuilder().setTimeout(positive("Timeout", timeout)).build();
  }

  private static Duration positive(String thing, Duration duration) {
    if (duration.getMillis() < 1) {
      throw JdbcWriteErrors.notPositive(thing, duration);
    }
    return duration;
  }

  private static java.time.Duration millis(Duration duration) {
    return java.time.Duration.ofMillis(duration.getMillis());
  }

  /**
   * Returns the table as a target of {@link dev.idem.transforms.external.WriteIdempotently}, for
   * rows of an unbounded input too: each batch of rows is one transaction, and nothing is
   * remembered but the rows. Only {@code upsertNewer} bears that.
   */
  public IdempotentTarget<Row> asTarget(Schema schema) {
    if (mode() != Mode.UPSERT_NEWER) {
      throw JdbcWriteErrors.unboundedMode(mode().toString());
    }
    requireFields(schema);
    return new JdbcRowTarget(spec(), schema);
  }

  /** Returns where rows are written, as text: no two targets of a job are at one place. */
  public String place() {
    JdbcSpec spec = spec();
    String database =
        spec.source() instanceof JdbcDatabase known ? known.url() : spec.source().toString();
    return database + " " + spec.table();
  }

  WriteJdbcRows merging(ApplyChanges changes) {
    return toBuilder().setChanges(changes).build();
  }

  /** Returns what rows mean to the table, as text. */
  public String rules() {
    ApplyChanges merged = changes();
    return merged != null
        ? merged.rules()
        : mode() + " keys " + keys() + " sequence " + sequence() + " deletes " + deletes();
  }

  JdbcSpec spec() {
    if (table() == null) {
      throw JdbcWriteErrors.missing("a table", "to(table)");
    }
    if (source() == null) {
      throw JdbcWriteErrors.missing("a database", "withDatabase(database)");
    }
    return new JdbcSpec(
        source(),
        table(),
        mode(),
        keys(),
        sequence(),
        deletes(),
        ignored(),
        null,
        chunkRows(),
        attempts(),
        millis(leastPause()),
        millis(mostPause()),
        millis(timeout()));
  }

  /** Returns what is written of rows of a schema. */
  JdbcSpec spec(Schema rows) {
    JdbcSpec spec = spec();
    ApplyChanges merged = changes();
    if (merged == null) {
      return spec;
    }
    TableMerge merge = TableMerge.of(merged, rows);
    if (merge.hasHistory()) {
      throw JdbcWriteErrors.history();
    }
    return spec.merging(merge);
  }

  void requireFields(Schema schema) {
    List<String> fields = schema.getFieldNames();
    for (String key : keys()) {
      if (!fields.contains(key)) {
        throw JdbcWriteErrors.noField("Key", key, fields);
      }
    }
    for (String column : sequence()) {
      if (!fields.contains(column)) {
        throw JdbcWriteErrors.noField("Sequence", column, fields);
      }
    }
    String delete = deletes().column();
    if (delete != null && !fields.contains(delete)) {
      throw JdbcWriteErrors.noField("Delete field", delete, fields);
    }
  }

  @Override
  public JdbcWriteResult expand(PCollection<Row> rows) {
    if (applicationId() == null) {
      throw JdbcWriteErrors.missing("an application id", "by(applicationId)");
    }
    if (rows.isBounded() == PCollection.IsBounded.UNBOUNDED) {
      throw JdbcWriteErrors.unbounded();
    }
    if (batch() == null) {
      throw JdbcWriteErrors.missing("a batch id", "withBatch(id)");
    }
    Schema schema = rows.getSchema();
    requireFields(schema);
    JdbcBatchFactory factory =
        JdbcBatchFactory.opening(
            spec(schema),
            new BatchName(applicationId() + "/" + sinkName(), batch(), planFingerprint(), "", 0),
            shards());
    PCollectionTuple written =
        inGlobalWindow(rows).apply("WriteRows", new WriteShards(factory, Carried.asIs(schema)));
    PCollection<String> none =
        rows.getPipeline()
            .apply("NoRows", Create.of(WriteShardFn.NOTHING).withCoder(StringUtf8Coder.of()));
    PCollection<JdbcWriteOutcome> outcomes =
        PCollectionList.of(written.get(WriteShardFn.CONTENT))
            .and(none)
            .apply("AllShards", Flatten.pCollections())
            .apply(
                "KeyByBatch",
                WithKeys.<Integer, String>of(0).withKeyType(TypeDescriptors.integers()))
            .apply("GroupBatch", GroupByKey.create())
            .apply("CloseBatch", ParDo.of(new CloseBatchFn(factory)))
            .setCoder(JdbcWriteOutcome.coder());
    return new JdbcWriteResult(
        rows.getPipeline(), outcomes, written.get(WriteShardFn.DEAD_LETTERS));
  }

  private static PCollection<Row> inGlobalWindow(PCollection<Row> rows) {
    boolean already = rows.getWindowingStrategy().equals(WindowingStrategy.globalDefault());
    return already ? rows : rows.apply("Rewindow", Window.into(new GlobalWindows()));
  }

  /** Leaves out the data source, which may hold credentials. */
  @Override
  public void populateDisplayData(DisplayData.Builder builder) {
    builder
        .addIfNotNull(DisplayData.item("applicationId", applicationId()))
        .add(DisplayData.item("sink", sinkName()))
        .addIfNotNull(DisplayData.item("table", table()))
        .addIfNotNull(DisplayData.item("batch", batch()));
  }

  /** Leaves out the data source, which may hold credentials. */
  @Override
  public final String toString() {
    return "JdbcUpsertIO." + mode() + "(" + applicationId() + "/" + sinkName() + ")";
  }

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder setMode(Mode value);

    abstract Builder setKeys(List<String> value);

    abstract Builder setSequence(List<String> value);

    abstract Builder setApplicationId(@Nullable String value);

    abstract Builder setSinkName(String value);

    abstract Builder setTable(@Nullable String value);

    abstract Builder setSource(@Nullable SerializableFunction<Void, DataSource> value);

    abstract Builder setBatch(@Nullable Long value);

    abstract Builder setPlanFingerprint(@Nullable String value);

    abstract Builder setShards(int value);

    abstract Builder setDeletes(Deletes value);

    abstract Builder setIgnored(Set<String> value);

    abstract Builder setChanges(@Nullable ApplyChanges value);

    abstract Builder setChunkRows(int value);

    abstract Builder setAttempts(int value);

    abstract Builder setLeastPause(Duration value);

    abstract Builder setMostPause(Duration value);

    abstract Builder setTimeout(Duration value);

    abstract WriteJdbcRows build();
  }
}
