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
package dev.idem.io.debezium;

import dev.idem.io.debezium.DecodedEvent.Changes;
import dev.idem.io.debezium.DecodedEvent.Tombstone;
import dev.idem.transforms.changes.ApplyChanges;
import java.io.Serial;
import java.io.Serializable;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.Field;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Turns the change events of one table, as Debezium sends them, into changes that {@link
 * ApplyChanges} applies.
 *
 * <p><b>Rows.</b> All changes are rows of one {@link #schema()}: the table's columns, all nullable,
 * and after them
 *
 * <ul>
 *   <li>{@code __op}: {@code c} (insert), {@code r} (read by a snapshot), {@code u} (update),
 *       {@code d} (delete, which has the key alone) or {@code t} (truncate, which has no key
 *       either);
 *   <li>what orders the changes of a row, by the connector: {@code __commit_lsn} and {@code __lsn}
 *       of PostgreSQL, {@code __file} (the number of the binlog file), {@code __pos} and {@code
 *       __row} of MySQL and MariaDB, {@code __commit_lsn}, {@code __change_lsn} and {@code
 *       __event_serial_no} of SQL Server; or columns of the table, if they are named;
 *   <li>{@code __source_ts_ms}: when the source says it happened;
 *   <li>{@code __columns}: the columns that the event carries, null for all of them.
 * </ul>
 *
 * {@link #changes()} is the transform for them.
 *
 * <p><b>Order.</b> Rows that a snapshot read are before every change that was streamed after it,
 * also before those of transactions that were open when it was taken. In PostgreSQL the first
 * snapshot is before everything. If a connector is set up anew and takes another first snapshot
 * into the same topic, its rows therefore do not replace newer changes that were streamed before;
 * deletes in between are not known to anybody: empty the table and begin anew.
 *
 * <p><b>Columns that are not carried.</b> PostgreSQL does not send large values that an update left
 * alone (TOAST), and Debezium puts a placeholder in their place, which this class knows in texts,
 * bytes, arrays of texts, bytes, integers, dates and UUIDs, and in key-value pairs. Such a column
 * is left as it was; so is one that the event's own schema does not have, which is not null. Of
 * other types, such as large {@code numeric} values and arrays of floating-point numbers, Debezium
 * sends null, which nobody can tell from a null; where that may be, and where keys change, set
 * {@code REPLICA IDENTITY FULL}. An event that begins a row (an insert, or an update that moves it
 * to another key) and does not carry a value is refused unless {@link #acceptIncompleteRows}:
 * nobody knows the value.
 *
 * <p><b>Keys.</b> An update that moves a row to another key becomes two changes, a delete of the
 * old key and an upsert of the new one, at one sequence. Debezium itself sends two events if the
 * table's own key moves; if rows are told apart by other columns, it must send the row as it was:
 * {@code REPLICA IDENTITY FULL}, or what the database has for it. The same goes for deletes.
 *
 * <p><b>Types.</b> With a schema in the event, the meaning that Kafka Connect and Debezium give to
 * a value decides. Dates are dates; timestamps are timestamps without a zone, {@code
 * ZonedTimestamp} is an instant; decimals are exact, those of variable scale and such that no table
 * can hold are text; times are ISO 8601 text; other names ({@code Uuid}, {@code Json}, {@code
 * Enum}, {@code Bits}, geometries, durations) are what they are made of. Values also fit columns
 * that are declared otherwise, if nothing is lost. Without a schema the column's type decides, and
 * {@link #withUnit} and {@link #withDecimalsAsText} say what JSON does not.
 *
 * <p><b>Guarantee.</b> The same bytes give the same answer at every attempt. A record is changes, a
 * tombstone or refused with a reason; no bytes make this class throw. What is written in Avro needs
 * its registry, and waits for it or fails if that does not answer. Instances are immutable and may
 * be used by several threads.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * DebeziumInference inference = DebeziumInference.json();
 * sample.forEach(record -> inference.add(record.key(), record.value()));
 * DebeziumDecoder decoder = DebeziumDecoder.json(inference.table());
 * ...
 * if (decoder.decode(key, value) instanceof DecodedEvent.Changes changes) {
 *   changes.rows().forEach(output::output);
 * }
 * ...
 * rows.setRowSchema(decoder.schema()).apply(decoder.changes());
 * }</pre>
 */
public final class DebeziumDecoder implements Serializable {
  @Serial private static final long serialVersionUID = 1L;

  /** Holds what happened: {@code c}, {@code r}, {@code u}, {@code d} or {@code t}. */
  public static final String OP = "__op";

  /** Holds when the source says it happened, in milliseconds since 1970. */
  public static final String SOURCE_TIMESTAMP = "__source_ts_ms";

  /** Names the columns that a change carries; null for all. */
  public static final String COLUMNS = "__columns";

  /** What Debezium sends for a value that it did not get, if it is not told otherwise. */
  public static final String DEFAULT_UNAVAILABLE_VALUE = "__debezium_unavailable_value";

  private static final String DELETE = "d";
  private static final String TRUNCATE = "t";
  private static final String SNAPSHOT = "r";
  private static final Set<String> UPSERTS = Set.of("c", "u", SNAPSHOT);
  private static final Set<ChronoUnit> UNITS =
      EnumSet.of(ChronoUnit.SECONDS, ChronoUnit.MILLIS, ChronoUnit.MICROS, ChronoUnit.NANOS);

  private static final Tombstone TOMBSTONE = new Tombstone();

  /** What becomes of a column that the decoder's schema does not have. */
  public enum UnknownColumns {
    /** The event is refused. */
    DEAD_LETTER,
    /** The column is left out. */
    IGNORE,
    /** {@link DebeziumDecoder#decode} throws an {@link UnknownColumnException}. */
    FAIL
  }

  private final DecodeRules rules;
  private final Schema schema;
  private final @Nullable Connector connector;
  private final int[] keys;
  private final transient Map<String, Integer> positions;

  private DebeziumDecoder(DecodeRules rules) {
    this.rules = rules;
    Schema columns = rules.table().columns();
    this.connector = connector(rules);
    this.schema = schema(columns, connector);
    this.positions = new HashMap<>();
    columns.getFieldNames().forEach(name -> positions.put(name, columns.indexOf(name)));
    if (rules.table().keys().isEmpty()) {
      throw DebeziumErrors.noKeys();
    }
    rules.table().keys().forEach(key -> requireColumn("Key column", key));
    rules.sequenceBy().forEach(column -> requireColumn("Sequence column", column));
    this.keys = rules.table().keys().stream().mapToInt(positions::get).toArray();
  }

  private static @Nullable Connector connector(DecodeRules rules) {
    String name = rules.table().connector();
    return rules.sequenceBy().isEmpty()
        ? Connector.of(name).orElseThrow(() -> DebeziumErrors.unknownConnector(name))
        : null;
  }

  private static Schema schema(Schema columns, @Nullable Connector connector) {
    Schema.Builder schema = Schema.builder();
    columns.getFields().forEach(field -> schema.addField(field.withNullable(true)));
    List<Field> more = new ArrayList<>();
    more.add(Field.nullable(OP, FieldType.STRING));
    if (connector != null) {
      more.addAll(connector.fields());
    }
    more.add(Field.nullable(SOURCE_TIMESTAMP, FieldType.INT64));
    more.add(Field.nullable(COLUMNS, FieldType.array(FieldType.STRING)));
    for (Field field : more) {
      if (columns.hasField(field.getName())) {
        throw DebeziumErrors.taken(field.getName());
      }
      schema.addField(field);
    }
    return schema.build();
  }

  private void requireColumn(String thing, String column) {
    if (!positions.containsKey(column)) {
      throw DebeziumErrors.noColumn(thing, column, rules.table().columns());
    }
  }

  /**
   * Returns a decoder of events in JSON, with schemas ({@code schemas.enable}) or without.
   *
   * @param sequenceBy columns of the table that order changes, of events of any connector; none for
   *     positions in the source's log. Deletes must have those columns, too: the source must send
   *     rows as they were. Truncates cannot have them and are refused
   */
  public static DebeziumDecoder json(DebeziumTable table, String... sequenceBy) {
    return new DebeziumDecoder(DecodeRules.of(table, new JsonFormat(), List.of(sequenceBy)));
  }

  /**
   * Returns a decoder of events in Avro, as Confluent's converter writes them: a zero byte, the id
   * of the schema in a registry, the record. The same as {@link #json} apart from that.
   */
  public static DebeziumDecoder avro(
      DebeziumTable table, SchemaRegistry registry, String... sequenceBy) {
    return new DebeziumDecoder(
        DecodeRules.of(table, new AvroFormat(registry), List.of(sequenceBy)));
  }

  /**
   * Says what becomes of columns that the schema does not have; the default is that the event is
   * refused.
   */
  public DebeziumDecoder withUnknownColumns(UnknownColumns treatment) {
    return with(rules.toBuilder().setUnknownColumns(treatment));
  }

  /**
   * Says what the connector sends for a value that it did not get ({@code
   * unavailable.value.placeholder}).
   */
  public DebeziumDecoder withUnavailableValue(String placeholder) {
    return with(rules.toBuilder().setUnavailable(new UnavailableValue(placeholder)));
  }

  /**
   * Takes events that begin a row without a value that the source did not send; the column is null
   * then, until an event carries it. The default is to refuse them.
   */
  public DebeziumDecoder acceptIncompleteRows() {
    return with(rules.toBuilder().setIncompleteRows(true));
  }

  /**
   * Refuses events that empty the table, and leaves them out of {@link #changes()}: histories (SCD
   * type 2) and unbounded pipelines cannot apply them.
   */
  public DebeziumDecoder refuseTruncates() {
    return with(rules.toBuilder().setTruncates(false));
  }

  /**
   * Says in which unit timestamps are that come as numbers without a schema: milliseconds,
   * microseconds, nanoseconds or seconds. Without it they are refused.
   */
  public DebeziumDecoder withUnit(ChronoUnit unit) {
    if (!UNITS.contains(unit)) {
      throw DebeziumErrors.notAUnit(unit);
    }
    return with(rules.toBuilder().setUnit(unit));
  }

  /** Says that decimals without a schema are text ({@code decimal.handling.mode=string}). */
  public DebeziumDecoder withDecimalsAsText() {
    return with(rules.toBuilder().setDecimalsAsText(true));
  }

  /** Cuts timestamps that are finer than microseconds; the default is to refuse the event. */
  public DebeziumDecoder truncateNanoseconds() {
    return with(rules.toBuilder().setTruncateNanoseconds(true));
  }

  private static DebeziumDecoder with(DecodeRules.Builder changed) {
    return new DebeziumDecoder(changed.build());
  }

  /** Returns the schema of the changes. */
  public Schema schema() {
    return schema;
  }

  /** Returns the columns that order the changes of a row. */
  public List<String> sequenceBy() {
    return connector == null ? rules.sequenceBy() : connector.columns();
  }

  /**
   * Returns the columns that the changes have and their table does not, apart from {@link
   * #COLUMNS}, which no row takes.
   */
  public List<String> ownColumns() {
    List<String> own = new ArrayList<>(List.of(OP, SOURCE_TIMESTAMP));
    if (connector != null) {
      own.addAll(connector.columns());
    }
    return own;
  }

  /**
   * Returns the transform that applies the changes, with the table's columns in its rows. More may
   * be set on it, such as history, after {@link #refuseTruncates}.
   */
  public ApplyChanges changes() {
    ApplyChanges changes =
        ApplyChanges.keys(rules.table().keys().toArray(String[]::new))
            .sequenceBy(sequenceBy().toArray(String[]::new))
            .applyAsDeleteWhen(row -> DELETE.equals(row.getString(OP)))
            .columnsToUpdate(COLUMNS)
            .columnsExcept(ownColumns().toArray(String[]::new));
    return rules.truncates()
        ? changes.applyAsTruncateWhen(row -> TRUNCATE.equals(row.getString(OP)))
        : changes;
  }

  /**
   * Decodes one record.
   *
   * @throws UnknownColumnException for a column that is not in the schema, if that was asked for
   * @throws SchemaRegistryException if schemas cannot be read
   */
  public DecodedEvent decode(byte @Nullable [] key, byte @Nullable [] value) {
    if (value == null) {
      return TOMBSTONE;
    }
    try {
      Map<String, Object> event = rules.format().read(value);
      return event == null ? TOMBSTONE : changes(Envelope.of(event), key);
    } catch (BadEventException e) {
      return e.refused();
    }
  }

  /**
   * Returns the change that a row is which somebody else read from the table, as a first snapshot
   * reads it: an upsert of the whole row before every change of the source's log, {@code (0, 0)} in
   * PostgreSQL.
   *
   * <p>With the stream from a point of the log on, such rows come to the table if they are read
   * after that point, each at any time: what was committed before the point is read, unless it was
   * changed since; and what was changed since is in the stream, which wins.
   *
   * @param columns a row with the table's columns
   * @param timestamp when the row was read, in milliseconds since 1970
   */
  public Row firstSnapshot(Row columns, long timestamp) {
    Object[] values = new Object[schema.getFieldCount()];
    positions.forEach((name, position) -> values[position] = columns.getValue(name));
    List<Object> sequence = connector == null ? List.of() : connector.beforeEverything();
    return row(SNAPSHOT, values, new Common(sequence, timestamp, null), null);
  }

  private Changes changes(Envelope event, byte @Nullable [] key) throws BadEventException {
    Common common = common(event);
    List<Row> rows = new ArrayList<>(2);
    if (UPSERTS.contains(event.op())) {
      addUpsert(event, key, common, rows);
    } else if (event.op().equals(DELETE)) {
      rows.add(deleted(event, key, common));
    } else if (event.op().equals(TRUNCATE) && rules.truncates()) {
      rows.add(
          keyOnly(TRUNCATE, new Object[keys.length], new Object[schema.getFieldCount()], common));
    } else {
      throw BadEventException.parse(
          "op",
          rules.truncates()
              ? "What happened must be one of c, r, u, d and t."
              : "What happened must be one of c, r, u and d; truncates are refused.");
    }
    return new Changes(rows, common.position());
  }

  /**
   * What all changes of an event have.
   *
   * @param sequence the values of the connector's columns
   */
  private record Common(
      List<Object> sequence, @Nullable Long timestamp, @Nullable SourcePosition position) {}

  private Common common(Envelope event) throws BadEventException {
    Map<String, Object> source = event.source();
    Long timestamp = Connector.number(source, "ts_ms");
    if (connector == null) {
      return new Common(List.of(), timestamp, null);
    }
    String name = Connector.text(source, "connector");
    if (!name.equals(connector.label())) {
      throw BadEventException.parse(
          "source.connector", "An event must be one of connector " + connector.label() + ".");
    }
    boolean snapshot = event.op().equals(SNAPSHOT);
    List<Long> numbers = snapshot || timestamp == null ? null : connector.position(source);
    SourcePosition position = null;
    if (numbers != null) {
      String log = connector.log(source);
      String from = name + "/" + Connector.text(source, "name") + (log.isEmpty() ? "" : "/" + log);
      position = new SourcePosition(from, numbers, timestamp);
    }
    return new Common(connector.sequence(source, snapshot), timestamp, position);
  }

  private void addUpsert(Envelope event, byte @Nullable [] key, Common common, List<Row> rows)
      throws BadEventException {
    if (event.after() == null) {
      throw BadEventException.missing("after", "An event must have the row as it is.");
    }
    checkColumns(event.after());
    Object[] values = new Object[schema.getFieldCount()];
    List<String> carried = carry(event.after(), values);
    Object[] found = new Object[keys.length];
    Map<String, Object> keyStruct = null;
    for (int i = 0; i < keys.length; i++) {
      if (values[keys[i]] == null) {
        keyStruct = keyStruct == null ? readKey(key) : keyStruct;
        values[keys[i]] = value(keyStruct, keys[i]);
      }
      found[i] = requireKey(values[keys[i]], keys[i]);
    }
    Object[] old = event.before() == null ? null : wholeKey(event.before());
    boolean moved = old != null && !Arrays.deepEquals(old, found);
    if (moved) {
      rows.add(keyOnly(DELETE, old, values, common));
    }
    if (moved || !event.op().equals("u")) {
      requireComplete(event.after());
    }
    int columns = positions.size();
    rows.add(row(event.op(), values, common, carried.size() == columns ? null : carried));
  }

  private void checkColumns(Map<String, Object> struct) throws BadEventException {
    if (rules.unknownColumns() == UnknownColumns.IGNORE) {
      return;
    }
    for (String column : struct.keySet()) {
      if (!positions.containsKey(column)) {
        if (rules.unknownColumns() == UnknownColumns.FAIL) {
          throw new UnknownColumnException(column);
        }
        throw BadEventException.parse(column, "A column must be one of the schema's.");
      }
    }
  }

  /** Puts what a row carries into values, and returns the names of those columns. */
  private List<String> carry(Map<String, Object> after, Object[] values) throws BadEventException {
    List<String> carried = new ArrayList<>(positions.size());
    for (int i = 0; i < positions.size(); i++) {
      String column = schema.getField(i).getName();
      if (after.containsKey(column) && !isUnavailable(after.get(column), i)) {
        values[i] = value(after, i);
        carried.add(column);
      }
    }
    return carried;
  }

  private boolean isUnavailable(@Nullable Object value, int column) {
    return value != null && rules.unavailable().matches(value, schema.getField(column).getType());
  }

  private void requireComplete(Map<String, Object> after) throws BadEventException {
    if (rules.incompleteRows()) {
      return;
    }
    for (int i = 0; i < positions.size(); i++) {
      String column = schema.getField(i).getName();
      if (isUnavailable(after.get(column), i)) {
        throw BadEventException.missing(
            column,
            "An event that begins a row must carry every value. Let the source send whole rows, in"
                + " PostgreSQL by REPLICA IDENTITY FULL, or accept incomplete rows.");
      }
    }
  }

  private @Nullable Object value(Map<String, Object> struct, int column) throws BadEventException {
    Field field = schema.getField(column);
    try {
      return ColumnValue.fit(struct.get(field.getName()), field.getType(), rules);
    } catch (BadEventException e) {
      throw e.in(field.getName());
    }
  }

  private Map<String, Object> readKey(byte @Nullable [] key) throws BadEventException {
    Map<String, Object> struct = key == null ? null : rules.format().read(key);
    return struct == null ? Map.of() : struct;
  }

  /** Returns the key of a row as it was, null if not all of it is known. */
  private Object @Nullable [] wholeKey(Map<String, Object> before) throws BadEventException {
    Object[] found = new Object[keys.length];
    for (int i = 0; i < keys.length; i++) {
      found[i] = value(before, keys[i]);
      if (found[i] == null) {
        return null;
      }
    }
    return found;
  }

  private Row deleted(Envelope event, byte @Nullable [] key, Common common)
      throws BadEventException {
    Object[] values = new Object[schema.getFieldCount()];
    for (String column : rules.sequenceBy()) {
      int position = positions.get(column);
      values[position] = event.before() == null ? null : value(event.before(), position);
    }
    return keyOnly(DELETE, deletedKey(event, key), values, common);
  }

  private Object[] deletedKey(Envelope event, byte @Nullable [] key) throws BadEventException {
    Object[] old = event.before() == null ? null : wholeKey(event.before());
    if (old != null) {
      return old;
    }
    Map<String, Object> struct = readKey(key);
    Object[] found = new Object[keys.length];
    for (int i = 0; i < keys.length; i++) {
      found[i] = requireKey(value(struct, keys[i]), keys[i]);
    }
    return found;
  }

  private Object requireKey(@Nullable Object value, int column) throws BadEventException {
    if (value == null) {
      throw BadEventException.nullKey(
          schema.getField(column).getName(),
          "A key column must have a value, in the row or in the record's key.");
    }
    return value;
  }

  /**
   * Returns a delete or a truncate.
   *
   * @param sequence values that have those columns of the table that order changes
   */
  private Row keyOnly(String op, Object[] key, Object[] sequence, Common common) {
    Object[] values = new Object[schema.getFieldCount()];
    for (String column : rules.sequenceBy()) {
      values[positions.get(column)] = sequence[positions.get(column)];
    }
    for (int i = 0; i < keys.length; i++) {
      values[keys[i]] = key[i];
    }
    return row(op, values, common, null);
  }

  private Row row(String op, Object[] values, Common common, @Nullable List<String> carried) {
    int next = positions.size();
    values[next++] = op;
    for (Object part : common.sequence()) {
      values[next++] = part;
    }
    values[next++] = common.timestamp();
    values[next] = carried;
    return Row.withSchema(schema).attachValues(Collections.unmodifiableList(Arrays.asList(values)));
  }

  @Override
  public String toString() {
    return "DebeziumDecoder{keys=%s, sequenceBy=%s}".formatted(rules.table().keys(), sequenceBy());
  }

  @Serial
  private Object readResolve() {
    return new DebeziumDecoder(rules);
  }
}
