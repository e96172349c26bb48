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

import dev.idem.transforms.changes.TableMerge;
import dev.idem.transforms.external.DeadLetter;
import dev.idem.transforms.fingerprint.ContentSum;
import java.io.Serializable;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.annotations.Internal;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A table that a driver writes batch by batch: it opens a batch, lets a pipeline write it, and
 * closes it. Workers of the pipeline do not open it, so one that belongs to an earlier attempt
 * fails.
 */
@Internal
public final class JdbcSink {

  private final WriteJdbcRows write;
  private final JdbcSpec spec;
  private final String sink;

  private JdbcSink(WriteJdbcRows write, String sink) {
    this.write = write;
    this.spec = write.spec();
    this.sink = sink;
  }

  /**
   * Returns the sink of a write.
   *
   * @param sink application id and name of the sink
   */
  public static JdbcSink of(WriteJdbcRows write, String sink) {
    return new JdbcSink(write, sink);
  }

  /**
   * One attempt at a batch.
   *
   * @param batch the batch id
   * @param fingerprint of the batch's plan
   * @param epoch of the checkpoint's life
   * @param lease the number of the lease that the driver holds
   */
  public record Attempt(long batch, String fingerprint, String epoch, long lease)
      implements Serializable {}

  /**
   * A batch that was opened.
   *
   * @param shards how many shards it has: those of its first attempt
   * @param written whether the table has it whole
   */
  public record Opened(int shards, boolean written) implements Serializable {}

  /** Returns the table as the user named it. */
  public String table() {
    return spec.table();
  }

  /** Returns what changes come to, empty if rows are none. */
  public Optional<TableMerge> changes(Schema rows) {
    return Optional.ofNullable(write.spec(rows).merge());
  }

  /** Refuses rows that the table could not take; nothing is changed. */
  public void requireFit(Schema rows) throws InterruptedException {
    JdbcSpec ofRows = write.spec(rows);
    TableDescription table = TargetCheck.look(ofRows, new Transactions(ofRows));
    if (ofRows.merge() == null) {
      new RowMapping(rows, table, ofRows);
    } else {
      ChangeWrite.requireFit(ofRows, table);
    }
  }

  /** Returns what was told at the end of the last batch of each sink that wrote the table. */
  public Map<String, String> bodies() throws InterruptedException {
    Transactions transactions = new Transactions(spec);
    TableDescription table = TargetCheck.look(spec, transactions);
    return transactions.run(
        error -> false,
        connection -> {
          if (!TargetCheck.hasRecords(connection, table)) {
            return Map.of();
          }
          Dialect dialect = transactions.dialect();
          return new RecordTables(dialect.on(connection), dialect, table.name()).bodies();
        });
  }

  /**
   * Opens a batch, or finds that the table has it.
   *
   * @param shards how many are asked for
   */
  public Opened open(Attempt attempt, int shards) throws InterruptedException {
    return new JdbcBatch(spec, name(attempt), shards).open();
  }

  /**
   * Returns what writes the rows of a batch that is open.
   *
   * @param carriers the schema of what travels
   * @param field the field of it that holds the row
   */
  public PTransform<PCollection<Row>, PCollection<DeadLetter<Row>>> writing(
      Attempt attempt, Opened opened, Schema carriers, int field) {
    Carried carried = new Carried(carriers, field);
    return new Writing(
        JdbcBatchFactory.opened(write.spec(carried.rows()), name(attempt), opened), carried);
  }

  /**
   * Closes a batch.
   *
   * @param content the sum of its rows' fingerprints, which must be what was written
   * @param body what {@link #bodies} tells of it
   */
  public JdbcWriteOutcome close(Attempt attempt, ContentSum content, @Nullable String body)
      throws InterruptedException {
    return JdbcBatch.opened(spec, name(attempt), new Opened(1, false)).close(content, body);
  }

  private BatchName name(Attempt attempt) {
    return new BatchName(
        sink, attempt.batch(), attempt.fingerprint(), attempt.epoch(), attempt.lease());
  }

  /** Writes rows; what comes out are those that the table refuses. */
  private static final class Writing
      extends PTransform<PCollection<Row>, PCollection<DeadLetter<Row>>> {
    private final JdbcBatchFactory factory;
    private final Carried carried;

    Writing(JdbcBatchFactory factory, Carried carried) {
      this.factory = factory;
      this.carried = carried;
    }

    @Override
    public PCollection<DeadLetter<Row>> expand(PCollection<Row> carriers) {
      return carriers
          .apply("WriteRows", new WriteShards(factory, carried))
          .get(WriteShardFn.DEAD_LETTERS);
    }
  }
}
