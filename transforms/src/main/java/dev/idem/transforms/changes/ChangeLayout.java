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

import dev.idem.transforms.changes.InvalidChange.Reason;
import dev.idem.transforms.fingerprint.Fingerprint;
import dev.idem.transforms.fingerprint.KeyTypes;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.Serial;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.Field;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.Schema.TypeName;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** What rules mean for rows of a schema: how changes are read from rows and rows made of them. */
final class ChangeLayout implements Serializable {
  @Serial private static final long serialVersionUID = 1;

  /** Columns of ours beside those of the rows begin so. */
  static final String RESERVED = "_idem_";

  private final ChangeRules rules;
  private final Schema input;
  private final boolean stored;

  private final transient Schema keySchema;
  private final transient Schema sequenceSchema;
  private final transient Schema rowSchema;
  private final transient Schema deleteSchema;
  private final transient RowEncoding keyEncoding;
  private final transient SequenceValues sequences;
  private final transient Cells cells;
  private final transient GuardedRows guarded;
  private final transient ChangeRows changeRows;
  private final transient HistoryRows historyRows;
  private final transient SequenceOrder order;
  private final transient ChangeMerge merge;
  private final transient RowEncoding trackedEncoding;

  /** Lays rules out for a schema that fits them; one that does not is refused by column. */
  ChangeLayout(ChangeRules rules, Schema input) {
    this(rules, input, false);
  }

  private ChangeLayout(ChangeRules rules, Schema input, boolean stored) {
    this.rules = rules;
    this.input = input;
    this.stored = stored;
    if (!stored) {
      check();
    }
    this.keySchema = notNull(rules.keys());
    this.sequenceSchema = notNull(rules.sequenceBy());
    this.sequences = new SequenceValues(sequenceSchema);
    this.order = new SequenceOrder(sequenceSchema);
    this.keyEncoding = RowEncoding.of(input, rules.keys());
    this.rowSchema = chosenColumns();
    this.deleteSchema =
        Schema.builder()
            .addFields(keySchema.getFields())
            .addField(ChangeRows.SEQUENCE, sequences.type())
            .build();
    this.cells =
        new Cells(rowSchema, rules.keys(), rules.maskColumn() != null, rules.ignoredNulls());
    this.guarded = new GuardedRows(rowSchema, cells, order, sequences);
    this.changeRows = new ChangeRows(rowSchema, rules.keys(), cells, sequences);
    this.historyRows =
        new HistoryRows(
            rowSchema, cells, sequences, changeRows, rules.startColumn(), rules.endColumn());
    this.merge = new ChangeMerge(order, cells);
    this.trackedEncoding =
        RowEncoding.of(
            rowSchema,
            rowSchema.getFieldNames().stream()
                .filter(name -> !rules.keys().contains(name) && rules.tracked().has(name))
                .toList());
  }

  private void check() {
    if (rules.sequenceBy().isEmpty()) {
      throw ChangesErrors.noSequence();
    }
    for (String column : input.getFieldNames()) {
      if (column.startsWith(RESERVED)) {
        throw ChangesErrors.reserved(column, RESERVED);
      }
      if (carriesParts() && column.contains(".")) {
        throw ChangesErrors.dot(column);
      }
    }
    checkExist("Key column", rules.keys());
    checkExist("Sequence column", rules.sequenceBy());
    checkExist("Column of the rows", rules.columns().names());
    checkExist("Column whose nulls are ignored", rules.ignoredNulls().names());
    checkExist("Column with history", rules.tracked().names());
    for (String key : rules.keys()) {
      KeyTypes.floatingPoint(input, key)
          .ifPresent(
              path -> {
                throw ChangesErrors.floatingPointKey(path);
              });
      if (!rules.columns().has(key)) {
        throw ChangesErrors.keyLeftOut(key);
      }
    }
    String mask = rules.maskColumn();
    if (mask != null) {
      checkExist("Column that names what a change carries", List.of(mask));
      if (!isListOfTexts(input.getField(mask).getType())) {
        throw ChangesErrors.notNames(mask, input.getField(mask).getType());
      }
    }
    if (rules.history() && rules.truncateWhen() != null) {
      throw ChangesErrors.truncateWithHistory();
    }
    if (!rules.history() && !rules.tracked().equals(ColumnChoice.ALL)) {
      throw ChangesErrors.trackedWithoutHistory();
    }
  }

  private void checkExist(String thing, Collection<String> columns) {
    for (String column : columns) {
      if (!input.hasField(column)) {
        throw ChangesErrors.missingColumn(thing, column, input);
      }
    }
  }

  private static boolean isListOfTexts(FieldType type) {
    TypeName name = type.getTypeName();
    return (name == TypeName.ARRAY || name == TypeName.ITERABLE)
        && type.getCollectionElementType().getTypeName() == TypeName.STRING;
  }

  private boolean carriesParts() {
    return rules.maskColumn() != null || !rules.ignoredNulls().equals(ColumnChoice.NONE);
  }

  private Schema notNull(List<String> columns) {
    Schema.Builder schema = Schema.builder();
    columns.forEach(column -> schema.addField(input.getField(column).withNullable(false)));
    return schema.build();
  }

  /** A row whose columns nobody set yet has nulls, so where that can be, columns are nullable. */
  private Schema chosenColumns() {
    Schema.Builder schema = Schema.builder();
    for (Field field : input.getFields()) {
      String name = field.getName();
      if (rules.columns().has(name) && !name.equals(rules.maskColumn())) {
        boolean key = rules.keys().contains(name);
        schema.addField(key ? field.withNullable(false) : carriesParts() ? nullable(field) : field);
      }
    }
    return schema.build();
  }

  private static Field nullable(Field field) {
    FieldType type = field.getType();
    if (type.getTypeName() == TypeName.ROW) {
      Schema.Builder struct = Schema.builder();
      type.getRowSchema().getFields().forEach(inner -> struct.addField(nullable(inner)));
      type = FieldType.row(struct.build());
    }
    return field.withType(type.withNullable(true));
  }

  Schema input() {
    return input;
  }

  ChangeMerge merge() {
    return merge;
  }

  /** Returns what is wrong with a change, if anything is. */
  Optional<InvalidChange> invalid(Row row) {
    boolean truncate = isTruncate(row);
    for (String column : rules.keys()) {
      if (!truncate && row.getValue(column) == null) {
        return Optional.of(new InvalidChange(row, Reason.NULL_KEY, column));
      }
    }
    for (String column : rules.sequenceBy()) {
      if (row.getValue(column) == null) {
        return Optional.of(new InvalidChange(row, Reason.NULL_SEQUENCE, column));
      }
    }
    Set<String> mask = truncate || isDelete(row) ? null : mask(row);
    return mask == null
        ? Optional.empty()
        : mask.stream()
            .filter(path -> !known(path))
            .sorted()
            .findFirst()
            .map(path -> new InvalidChange(row, Reason.UNKNOWN_COLUMN, path));
  }

  private boolean known(String path) {
    return cells.knows(path) || input.hasField(path);
  }

  boolean isTruncate(Row row) {
    return rules.truncateWhen() != null && rules.truncateWhen().apply(row);
  }

  private boolean isDelete(Row row) {
    return rules.deleteWhen() != null && rules.deleteWhen().apply(row);
  }

  private @Nullable Set<String> mask(Row row) {
    Iterable<String> names =
        rules.maskColumn() == null ? null : row.getIterable(rules.maskColumn());
    if (names == null) {
      return null;
    }
    Set<String> mask = new HashSet<>();
    names.forEach(mask::add);
    return mask;
  }

  Fingerprint keyFingerprint(Row row) {
    return keyEncoding.fingerprint(row);
  }

  Row key(Row row) {
    return pick(row, keySchema);
  }

  /** Returns what a valid row that is no truncate says of its key. */
  Change change(Row row) {
    Row sequence = sequence(row);
    return isDelete(row)
        ? Change.delete(sequence)
        : Change.upsert(sequence, cells.read(pick(row, rowSchema), mask(row)));
  }

  Row sequence(Row row) {
    return pick(row, sequenceSchema);
  }

  private static Row pick(Row row, Schema schema) {
    List<@Nullable Object> values = new ArrayList<>(schema.getFieldCount());
    for (String column : schema.getFieldNames()) {
      values.add(row.getValue(column));
    }
    return Row.withSchema(schema).attachValues(values);
  }

  /** Returns the row of a live key. */
  Row row(Row key, KeyState state) {
    return cells.row(key, state.values());
  }

  /** Returns the sequence of what {@link #delete} made. */
  Row deletedAt(Row delete) {
    return sequences.toSequence(delete.getValue(ChangeRows.SEQUENCE));
  }

  /** Returns the rows of a table that further changes are applied to. */
  GuardedRows guarded() {
    return guarded;
  }

  /** Returns changes as rows. */
  ChangeRows changeRows() {
    return changeRows;
  }

  SequenceOrder order() {
    return order;
  }

  List<String> keys() {
    return rules.keys();
  }

  int shards() {
    return rules.shards();
  }

  boolean isStrict() {
    return rules.strict();
  }

  /** Returns whether a change that is no delete says all there is of its row. */
  boolean carriesWholeRows() {
    return cells.isOneForAll();
  }

  boolean hasHistory() {
    return rules.history();
  }

  /** Returns the schema of what comes out: rows, or versions of them with start and end. */
  Schema outputSchema() {
    return hasHistory() ? historyRows.shownSchema() : rowSchema;
  }

  /** Returns the schema of deletes: the key, and the sequence as a column of its own type. */
  Schema deleteSchema() {
    return deleteSchema;
  }

  Row delete(Row key, Row sequence) {
    List<@Nullable Object> values = new ArrayList<>(key.getValues());
    values.add(sequences.toValue(sequence));
    return Row.withSchema(deleteSchema).attachValues(values);
  }

  /** Returns histories as rows of a table and what is hidden beside it. */
  HistoryRows historyRows() {
    return historyRows;
  }

  /** Returns a history of a key in which nothing has happened yet. */
  KeyHistory history(Row key) {
    return new KeyHistory(order, merge, cells, trackedEncoding, key);
  }

  /**
   * Returns the layout of the same changes in other types.
   *
   * @param changes the schema of {@link #changeRows} in those types
   */
  ChangeLayout storedAs(Schema changes) {
    Schema.Builder columns = Schema.builder();
    for (Field field : rowSchema.getFields()) {
      columns.addField(
          changes.getField(field.getName()).withNullable(field.getType().getNullable()));
    }
    FieldType sequence = changes.getField(ChangeRows.SEQUENCE).getType();
    for (String column : rules.sequenceBy()) {
      if (!rowSchema.hasField(column)) {
        columns.addField(
            rules.sequenceBy().size() == 1
                ? Field.of(column, sequence)
                : sequence.getRowSchema().getField(column));
      }
    }
    if (rules.maskColumn() != null) {
      columns.addNullableField(rules.maskColumn(), FieldType.array(FieldType.STRING));
    }
    return new ChangeLayout(
        rules.toBuilder()
            .setColumns(ColumnChoice.of(rowSchema.getFieldNames().toArray(String[]::new)))
            .build(),
        columns.build(),
        true);
  }

  @Serial
  private Object readResolve() {
    return new ChangeLayout(rules, input, stored);
  }
}
