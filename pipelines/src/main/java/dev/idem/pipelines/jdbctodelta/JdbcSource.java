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
package dev.idem.pipelines.jdbctodelta;

import dev.idem.io.checkpoint.Plan;
import dev.idem.io.debezium.DebeziumDecoder;
import dev.idem.io.debezium.DebeziumTable;
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.event.EventCoder;
import dev.idem.pipelines.source.Source;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.io.jdbc.JdbcIO;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.WithTimestamps;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Instant;

/**
 * A table of a database, read once, as it is, in as many queries as it has partitions.
 *
 * <p><b>Order.</b> A row that is read is an upsert of all columns. It is before every change of the
 * database's log ({@link Loaded#before}), or at the place that its own columns say.
 *
 * <p><b>Replay.</b> Another attempt reads the database again and may find other rows: the source is
 * not {@link #isRepeatable repeatable}. What decides a query is in the plan: the partition column,
 * the bounds, the number of partitions. Nothing else needs to be the same. Take a stream from a
 * point of the log on, and rows that are read at any time after that point, each for itself. A row
 * that nobody has changed since the point is there at every attempt, with the same values, and in
 * the same partition. A row that was changed since is decided by the stream: its changes are behind
 * what is read, whatever that is, and a delete leaves a tombstone that keeps it out. So attempts
 * may differ in rows of the second kind alone, which end the same.
 *
 * <p><b>Requirements.</b> The point is before the first attempt is planned, as bounds are found
 * then. Tombstones are kept for longer than the load takes. The latest rows are kept, not their
 * history.
 *
 * <p><b>Cost.</b> One query for the number of rows and the bounds, then one connection for each
 * partition that is being read, with a transaction that reads what was committed, and {@code
 * fetchSize} rows in memory. Rows with null in the partition column are read by a query of their
 * own.
 */
final class JdbcSource implements Source {

  static final String COLUMN = "column";
  static final String LOWER = "lower";
  static final String UPPER = "upper";
  static final String PARTITIONS = "partitions";

  /** As Beam has it if it counts rows itself: so few that the database bears the connections. */
  private static final double ROWS_ROOT_A_PARTITION = 10;

  private final Database database;
  private final JdbcTable table;
  private final Loaded loaded;
  private final Reading reading;

  /**
   * What becomes of rows.
   *
   * @param columns those that are loaded
   * @param declared whether they were declared, not found
   * @param keys the columns that tell rows apart, if rows are before something
   * @param before the connector before whose changes all rows are; empty if columns order them
   */
  record Loaded(Schema columns, boolean declared, List<String> keys, String before) {

    /** Returns what makes changes of rows, null if they are the changes. */
    @Nullable DebeziumDecoder decoder(Schema schema) {
      return before.isEmpty()
          ? null
          : DebeziumDecoder.json(new DebeziumTable(schema, keys, before));
    }
  }

  /**
   * How rows are read.
   *
   * @param partitionColumn the column that divides the table, null to read it by one query
   * @param partitions by how many queries, 0 to choose by the number of rows
   * @param fetchSize how many rows a query has in memory
   */
  record Reading(@Nullable String partitionColumn, int partitions, int fetchSize) {}

  JdbcSource(Database database, JdbcTable table, Loaded loaded, Reading reading) {
    this.database = database;
    this.table = table;
    this.loaded = loaded;
    this.reading = reading;
  }

  Database database() {
    return database;
  }

  JdbcTable table() {
    return table;
  }

  Schema columns() {
    return loaded.columns();
  }

  @Nullable String partitionColumn() {
    return reading.partitionColumn();
  }

  PartitionBounds bounds(String column) {
    return new PartitionBounds(table.column("--partitionColumn", column).kind());
  }

  int partitions(long rows) {
    return reading.partitions() > 0
        ? reading.partitions()
        : (int) Math.max(1, Math.sqrt((double) rows) / ROWS_ROOT_A_PARTITION);
  }

  @Override
  public List<String> names() {
    return List.of(table.name());
  }

  @Override
  public Map<String, String> boundOptions() {
    return Map.of("format", "jdbc", "from", table.from(), "before", loaded.before());
  }

  @Override
  public Map<String, String> contentOptions() {
    return Map.of();
  }

  @Override
  public @Nullable Schema givenSchema() {
    return loaded.declared() ? loaded.columns() : null;
  }

  @Override
  public Session connect() {
    return new JdbcSession(this);
  }

  @Override
  public boolean isRepeatable() {
    return false;
  }

  @Override
  public Schema rowSchema(Schema decoded) {
    DebeziumDecoder decoder = loaded.decoder(decoded);
    return decoder == null ? decoded : decoder.schema();
  }

  @Override
  public String describe(Plan.Range range) {
    return "table %s: %s".formatted(table.name(), range.size() == 0 ? "nothing" : "as it is");
  }

  @Override
  public PCollection<Event> read(Pipeline pipeline, Plan plan, Schema decoded) {
    EventCoder coder = EventCoder.of(rowSchema(decoded));
    if (plan.size() == 0) {
      return pipeline.apply("ReadNothing", Create.empty(coder));
    }
    Map<String, String> by = new TreeMap<>();
    plan.options()
        .forEach(
            (name, value) -> {
              if (name.startsWith(READ_BY)) {
                by.put(name.substring(READ_BY.length()), value);
              }
            });
    long time = plan.clock().toEpochMilli();
    ReadRow toEvent =
        new ReadRow(table.name(), table.columns(decoded), decoded, loaded.decoder(decoded), time);
    String column = by.get(COLUMN);
    List<String> wanted = new ArrayList<>(decoded.getFieldNames());
    if (column != null && !wanted.contains(column)) {
      wanted.add(column);
    }
    String select = table.select(wanted);
    PCollectionList<Event> parts = PCollectionList.empty(pipeline);
    if (by.containsKey(LOWER)) {
      parts = parts.and(pipeline.apply("ReadPartitions", partitions(select, by, toEvent, coder)));
    }
    if (column == null || table.column("--partitionColumn", column).nullable()) {
      String where = column == null ? "" : " where " + table.sql(column) + " is null";
      parts =
          parts.and(
              pipeline.apply("ReadRest", whole("select * from " + select + where, toEvent, coder)));
    }
    if (parts.size() == 0) {
      return pipeline.apply("ReadEmptyTable", Create.empty(coder));
    }
    Instant read = Instant.ofEpochMilli(time);
    return parts
        .apply("AllRows", Flatten.pCollections())
        .apply("AtPlansTime", WithTimestamps.of(event -> read));
  }

  @SuppressWarnings("deprecation") // Events have no coder that Beam could find out.
  private JdbcIO.ReadWithPartitions<Event, BigInteger> partitions(
      String select, Map<String, String> by, ReadRow toEvent, EventCoder coder) {
    return JdbcIO.<Event, BigInteger>readWithPartitions(bounds(by.get(COLUMN)))
        .withDataSourceProviderFn(database)
        .withTable(select)
        .withPartitionColumn(table.sql(by.get(COLUMN)))
        .withLowerBound(new BigInteger(by.get(LOWER)))
        .withUpperBound(new BigInteger(by.get(UPPER)))
        .withNumPartitions(Integer.parseInt(by.get(PARTITIONS)))
        .withFetchSize(reading.fetchSize())
        .withRowMapper(toEvent)
        .withCoder(coder);
  }

  @SuppressWarnings("deprecation") // Events have no coder that Beam could find out.
  private JdbcIO.Read<Event> whole(String query, ReadRow toEvent, EventCoder coder) {
    return JdbcIO.<Event>read()
        .withDataSourceProviderFn(database)
        .withQuery(query)
        .withFetchSize(reading.fetchSize())
        .withOutputParallelization(false)
        .withRowMapper(toEvent)
        .withCoder(coder);
  }
}
