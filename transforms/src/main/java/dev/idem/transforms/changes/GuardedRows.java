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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Rows of a table with the columns that guard them: what has to be known of a live key to apply
 * further changes to it.
 *
 * <p>The guard is the sequence of the latest upsert. Where changes may carry a part of the row
 * only, it is also the sequence of the latest delete before that, and the sequences of the cells
 * that another change set. A row without a sequence was written by somebody else; it is older than
 * every change.
 */
final class GuardedRows {
  private static final String DELETED = ChangeLayout.RESERVED + "deleted_sequence";
  private static final String CELLS = ChangeLayout.RESERVED + "column_sequences";

  private final Schema schema;
  private final Schema rowSchema;
  private final Cells cells;
  private final SequenceOrder order;
  private final SequenceValues sequences;

  GuardedRows(Schema rowSchema, Cells cells, SequenceOrder order, SequenceValues sequences) {
    this.rowSchema = rowSchema;
    this.cells = cells;
    this.order = order;
    this.sequences = sequences;
    FieldType type = sequences.type().withNullable(true);
    Schema.Builder guarded =
        Schema.builder().addFields(rowSchema.getFields()).addField(ChangeRows.SEQUENCE, type);
    if (!cells.isOneForAll()) {
      guarded.addField(DELETED, type);
      guarded.addNullableField(CELLS, FieldType.map(FieldType.STRING, type));
    }
    this.schema = guarded.build();
  }

  Schema schema() {
    return schema;
  }

  /** Returns the row of a live key with its guard. */
  Row toRow(Row key, KeyState state) {
    List<@Nullable Object> values = new ArrayList<>(cells.row(key, state.values()).getValues());
    values.add(sequences.toValue(state.upserted()));
    if (!cells.isOneForAll()) {
      values.add(state.deleted() == null ? null : sequences.toValue(state.deleted()));
      values.add(others(state));
    }
    return Row.withSchema(schema).attachValues(values);
  }

  /**
   * Returns the sequences of the cells that the latest upsert did not set; null if there is none.
   */
  private @Nullable Map<String, Object> others(KeyState state) {
    Map<String, Object> others = new HashMap<>();
    for (int i = 0; i < cells.size(); i++) {
      Row sequence = state.sequences()[i];
      if (sequence == null || order.compare(sequence, state.upserted()) != 0) {
        others.put(cells.name(i), sequence == null ? null : sequences.toValue(sequence));
      }
    }
    return others.isEmpty() ? null : others;
  }

  /** Returns what a row of the schema says of its key. */
  KeyState state(Row row) {
    Row upserted = sequences.toSequence(row.getValue(ChangeRows.SEQUENCE));
    @Nullable Row[] cellSequences = new Row[cells.size()];
    Arrays.fill(cellSequences, upserted);
    Row deleted = null;
    if (!cells.isOneForAll()) {
      Object value = row.getValue(DELETED);
      deleted = value == null ? null : sequences.toSequence(value);
      Map<String, Object> others = row.getMap(CELLS);
      for (int i = 0; others != null && i < cells.size(); i++) {
        if (others.containsKey(cells.name(i))) {
          Object other = others.get(cells.name(i));
          cellSequences[i] = other == null ? null : sequences.toSequence(other);
        }
      }
    }
    @Nullable Object[] values =
        cells.read(
            Row.withSchema(rowSchema)
                .attachValues(row.getValues().subList(0, rowSchema.getFieldCount())));
    for (int i = 0; i < values.length; i++) {
      if (cellSequences[i] == null) {
        values[i] = Change.NOT_CARRIED;
      }
    }
    return new KeyState(deleted, upserted, cellSequences, values);
  }
}
