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

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Changes as rows: the columns of the table, the sequence, and what kind of change it is. */
final class ChangeRows {
  static final String SEQUENCE = ChangeLayout.RESERVED + "sequence";
  static final String DELETED = ChangeLayout.RESERVED + "deleted";

  /** Names the cells that a change carries, if it need not carry all. */
  static final String CARRIED = ChangeLayout.RESERVED + "columns";

  private final Schema rowSchema;
  private final List<String> keys;
  private final Cells cells;
  private final SequenceValues sequences;
  private final Schema schema;

  ChangeRows(Schema rowSchema, List<String> keys, Cells cells, SequenceValues sequences) {
    this.rowSchema = rowSchema;
    this.keys = keys;
    this.cells = cells;
    this.sequences = sequences;
    Schema.Builder change =
        Schema.builder()
            .addFields(rowSchema.getFields().stream().map(f -> f.withNullable(true)).toList())
            .addField(SEQUENCE, sequences.type())
            .addBooleanField(DELETED);
    if (!cells.isOneForAll()) {
      change.addArrayField(CARRIED, FieldType.STRING);
    }
    this.schema = change.build();
  }

  Schema schema() {
    return schema;
  }

  Row toRow(Row key, Change change) {
    return withColumns(
        cells.row(key, change.isDelete() ? cells.nothing() : change.cells()), change);
  }

  /** Returns a delete of every key, by a row without one. */
  Row truncate(Row sequence) {
    Row nothing = Row.nullRow(rowSchemaOfNulls());
    return withColumns(nothing, Change.delete(sequence));
  }

  /** Returns a mark at a sequence, by a row without a key that deletes nothing. */
  Row mark(Row sequence) {
    return Row.fromRow(truncate(sequence)).withFieldValue(DELETED, false).build();
  }

  private Schema rowSchemaOfNulls() {
    return Schema.builder()
        .addFields(schema.getFields().subList(0, rowSchema.getFieldCount()))
        .build();
  }

  private Row withColumns(Row columns, Change change) {
    List<@Nullable Object> values = new ArrayList<>(columns.getValues());
    values.add(sequences.toValue(change.sequence()));
    values.add(change.isDelete());
    if (!cells.isOneForAll()) {
      values.add(carried(change));
    }
    return Row.withSchema(schema).attachValues(values);
  }

  /** Returns the names of the cells that a change carries. */
  List<String> carried(Change change) {
    return IntStream.range(0, cells.size())
        .filter(i -> !change.isDelete() && change.cells()[i] != Change.NOT_CARRIED)
        .mapToObj(cells::name)
        .toList();
  }

  boolean isTruncate(Row row) {
    return row.getBoolean(DELETED) && isWithoutKey(row);
  }

  boolean isMark(Row row) {
    return !row.getBoolean(DELETED) && isWithoutKey(row);
  }

  private boolean isWithoutKey(Row row) {
    return keys.stream().allMatch(key -> row.getValue(key) == null);
  }

  Row sequence(Row row) {
    return sequences.toSequence(row.getValue(SEQUENCE));
  }

  Change change(Row row) {
    Row sequence = sequence(row);
    return row.getBoolean(DELETED)
        ? Change.delete(sequence)
        : upsert(row, sequence, cells.isOneForAll() ? null : new HashSet<>(row.getArray(CARRIED)));
  }

  /**
   * Returns the upsert that a row tells of.
   *
   * @param row a row that begins with the columns of the table
   * @param carried the names of the cells that it carried, or null for all
   */
  Change upsert(Row row, Row sequence, @Nullable Set<Object> carried) {
    @Nullable Object[] values =
        cells.read(
            Row.withSchema(rowSchema)
                .attachValues(row.getValues().subList(0, rowSchema.getFieldCount())));
    for (int i = 0; carried != null && i < values.length; i++) {
      values[i] = carried.contains(cells.name(i)) ? values[i] : Change.NOT_CARRIED;
    }
    return Change.upsert(sequence, values);
  }
}
