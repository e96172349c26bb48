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

import dev.idem.transforms.fingerprint.Fingerprint;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.Serial;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.beam.sdk.annotations.Internal;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * How {@link ApplyChanges} is done to a table, by whoever reads and writes it.
 *
 * <p>Changes of the input become <i>change rows</i> ({@link #change}), which are of one schema
 * whatever they do. The table holds rows of {@link #rowSchema}: the columns, and what guards them
 * or, with history, from when to when they were valid. Beside the table are change rows that its
 * rows do not tell of: tombstones, truncates, changes without a version of their own.
 *
 * <p>Values are compared as the table stores them, so that what was read back is equal to what was
 * written: merge with {@link #storedAs}.
 */
@Internal
public final class TableMerge implements Serializable {
  @Serial private static final long serialVersionUID = 1;

  private final ChangeLayout layout;
  private final transient Schema beside;
  private final transient RowEncoding keyOfChange;
  private final transient RowEncoding keyOfBeside;
  private final transient RowEncoding keyOfRow;
  private final transient RowEncoding sequenceOfChange;
  private final transient RowEncoding sequenceOfRow;

  private TableMerge(ChangeLayout layout) {
    this.layout = layout;
    this.beside = besideOf(changeSchema());
    List<String> sequence = List.of(ChangeRows.SEQUENCE);
    this.keyOfChange = RowEncoding.of(changeSchema(), keys());
    this.keyOfBeside = RowEncoding.of(beside, keys());
    this.keyOfRow = RowEncoding.of(rowSchema(), keys());
    this.sequenceOfChange = RowEncoding.of(changeSchema(), sequence);
    this.sequenceOfRow = hasHistory() ? null : RowEncoding.of(rowSchema(), sequence);
  }

  /**
   * Returns the merge of changes of a schema.
   *
   * @throws IllegalArgumentException if the rules do not fit the schema
   */
  public static TableMerge of(ApplyChanges changes, Schema input) {
    return new TableMerge(changes.layout(input));
  }

  /**
   * Returns the same merge of change rows in other types.
   *
   * @param changes {@link #changeSchema} as the table gives it back
   */
  public TableMerge storedAs(Schema changes) {
    return new TableMerge(layout.storedAs(changes));
  }

  /** Returns the key columns. */
  public List<String> keys() {
    return layout.keys();
  }

  /** Returns whether the table holds the history of its rows (SCD type 2). */
  public boolean hasHistory() {
    return layout.hasHistory();
  }

  /** Returns the number of shards that the changes of a batch are divided into. */
  public int shards() {
    return layout.shards();
  }

  /** Returns whether any change is an error, instead of being handed out. */
  public boolean isStrict() {
    return layout.isStrict();
  }

  /** Returns the schema of changes as rows. */
  public Schema changeSchema() {
    return layout.changeRows().schema();
  }

  /**
   * Returns the schema of what is kept beside the table: all of a change with history, else key and
   * sequence of deletes.
   */
  public Schema besideSchema() {
    return beside;
  }

  /** Returns a change row as it is kept beside the table. */
  public Row beside(Row change) {
    return Row.withSchema(beside).attachValues(pick(change, beside.getFieldNames()));
  }

  private static List<Object> pick(Row row, List<String> names) {
    List<Object> values = new ArrayList<>();
    names.forEach(name -> values.add(row.getValue(name)));
    return values;
  }

  private Schema besideOf(Schema changes) {
    return hasHistory()
        ? changes
        : Schema.builder()
            .addFields(
                changes.getFields().stream()
                    .filter(field -> keys().contains(field.getName()) || isOurs(field.getName()))
                    .toList())
            .build();
  }

  private static boolean isOurs(String column) {
    return column.equals(ChangeRows.SEQUENCE) || column.equals(ChangeRows.DELETED);
  }

  /** Returns the schema of the table's rows. */
  public Schema rowSchema() {
    return hasHistory() ? layout.historyRows().schema() : layout.guarded().schema();
  }

  /** Returns what is wrong with a change of the input, if anything is. */
  public Optional<InvalidChange> invalid(Row input) {
    return layout.invalid(input);
  }

  /** Returns a change of the input, which is not invalid, as a row. */
  public Row change(Row input) {
    return layout.isTruncate(input)
        ? layout.changeRows().truncate(layout.sequence(input))
        : layout.changeRows().toRow(layout.key(input), layout.change(input));
  }

  /** Returns whether a change row is a delete of all keys. */
  public boolean isTruncate(Row change) {
    return layout.changeRows().isTruncate(change);
  }

  /**
   * Returns the mark that changes at the sequence of one, or before it, are no longer all kept
   * beside the table.
   */
  public Row forgotten(Row change) {
    return beside(layout.changeRows().mark(sequence(change)));
  }

  /** Returns whether a row beside the table is a mark of what is no longer kept, not a change. */
  public boolean isForgotten(Row change) {
    return layout.changeRows().isMark(change);
  }

  /** Returns the later of two change rows, either of which may be missing. */
  public @Nullable Row later(@Nullable Row left, @Nullable Row right) {
    return left == null || (right != null && isLater(right, left)) ? right : left;
  }

  /** Returns whether a change row has a later sequence than another one. */
  public boolean isLater(Row change, Row other) {
    return layout.order().compare(sequence(change), sequence(other)) > 0;
  }

  private Row sequence(Row change) {
    return layout.changeRows().sequence(change);
  }

  /** Returns the fingerprint of the key of a change row. */
  public Fingerprint keyOfChange(Row change) {
    return keyOfChange.fingerprint(change);
  }

  /** Returns the fingerprint of the key of a change that is kept beside the table. */
  public Fingerprint keyOfBeside(Row change) {
    return keyOfBeside.fingerprint(change);
  }

  /** Returns the fingerprint of the key of a row of the table. */
  public Fingerprint keyOfRow(Row row) {
    return keyOfRow.fingerprint(row);
  }

  /**
   * Returns whether key and sequence of a row of the table, {@link #guardColumns}, decide about
   * changes at other sequences; its other columns may be null in {@link #merge} then.
   */
  public boolean guardSuffices() {
    return !hasHistory() && layout.carriesWholeRows();
  }

  /** Returns the columns that {@link #guardSuffices} tells of. */
  public List<String> guardColumns() {
    return Stream.concat(keys().stream(), Stream.of(ChangeRows.SEQUENCE)).toList();
  }

  /** Returns a hash of the sequence of a change row. */
  public int sequenceHashOfChange(Row change) {
    return hash(sequenceOfChange.fingerprint(change));
  }

  /** Returns a hash of the sequence of a guarded row, the same as that of a change at it. */
  public int sequenceHashOfRow(Row row) {
    return hash(sequenceOfRow.fingerprint(row));
  }

  private static int hash(Fingerprint sequence) {
    return (int) sequence.low();
  }

  /**
   * The changes of a key that matter.
   *
   * @param changes those that have a part in what they all come to
   * @param stale how many of them have none
   * @param ties how many differ from another one at the same sequence
   */
  public record Reduced(List<Row> changes, long stale, long ties) {}

  /** Reduces the changes of a key, of which there is one at least. */
  public Reduced reduce(List<Row> changes) {
    Row key = layout.key(changes.get(0));
    List<Change> all = changes(changes);
    List<Change> kept;
    if (hasHistory()) {
      KeyHistory history = layout.history(key);
      all.forEach(history::add);
      kept = List.copyOf(history.changes());
    } else {
      kept = Reduction.of(layout.merge(), all).kept();
    }
    return new Reduced(
        kept.stream().map(change -> layout.changeRows().toRow(key, change)).toList(),
        all.size() - kept.size(),
        Reduction.ties(layout.merge(), all));
  }

  private List<Change> changes(List<Row> rows) {
    return rows.stream().map(layout.changeRows()::change).toList();
  }

  /**
   * Merges the changes of a key with what a table holds of it.
   *
   * @param changes its changes; none if there is but a truncate
   * @param rows its rows in the table; at least one of these lists is not empty
   * @param kept its changes that are kept beside the table
   * @param truncated the latest truncate, or null
   * @return what has to be done; changes are as they are kept beside the table
   */
  public MergedKey merge(
      List<Row> changes, List<Row> rows, List<Row> kept, @Nullable Row truncated) {
    Row key = layout.key(changes.isEmpty() ? rows.get(0) : changes.get(0));
    MergedKey merged =
        hasHistory()
            ? new HistoryMerge(layout).merge(key, changes(changes), rows, kept)
            : new KeyMerge(layout)
                .merge(
                    key,
                    changes(changes),
                    rows,
                    kept,
                    truncated == null ? null : sequence(truncated));
    return new MergedKey(
        merged.leaving(),
        merged.rows(),
        merged.changes().stream().map(this::beside).toList(),
        merged.deleted(),
        merged.stale(),
        merged.ties());
  }

  @Serial
  private Object readResolve() {
    return new TableMerge(layout);
  }
}
