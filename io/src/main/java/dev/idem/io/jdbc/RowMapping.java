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

import dev.idem.io.jdbc.JdbcSpec.Deletes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.Field;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** How rows of a schema become rows of a table. */
final class RowMapping {

  private static final String TRUE = "true";

  private final List<Column> columns = new ArrayList<>();
  private final List<Integer> fields = new ArrayList<>();
  private final Schema schema;
  private final Set<Integer> required = new TreeSet<>();
  private final int deleteField;
  private final @Nullable String deleteValue;
  private final int mark;

  /**
   * Finds the columns of rows.
   *
   * @throws JdbcTargetException if the table does not take such rows
   */
  RowMapping(Schema schema, TableDescription table, JdbcSpec spec) {
    this.schema = schema;
    String deleteColumn = spec.deletes().column();
    this.deleteValue = spec.deletes().value();
    this.deleteField = deleteColumn == null ? -1 : schema.indexOf(deleteColumn);
    String marked = spec.deletes() instanceof Deletes.Soft soft ? soft.mark() : null;
    List<String> names = table.columns().stream().map(Column::name).toList();
    for (int i = 0; i < schema.getFieldCount(); i++) {
      String name = schema.getField(i).getName();
      var column = table.column(name);
      if (column.isEmpty() && name.equals(deleteColumn)) {
        continue;
      }
      if (name.equals(marked) || spec.ignored().contains(name)) {
        continue;
      }
      Column found = column.orElseThrow(() -> JdbcWriteErrors.noColumn(table.name(), name, names));
      if (found.generated()) {
        throw JdbcWriteErrors.generated(table.name(), name);
      }
      if (spec.keys().contains(name) || spec.sequence().contains(name)) {
        required.add(i);
      }
      columns.add(found);
      fields.add(i);
    }
    if (marked != null) {
      columns.add(
          table
              .column(marked)
              .orElseThrow(() -> JdbcWriteErrors.noColumn(table.name(), marked, names)));
    }
    this.mark = marked == null ? -1 : columns.size() - 1;
  }

  /** Returns the columns, in the order of the values. */
  List<Column> columns() {
    return columns;
  }

  /**
   * Returns a row as the table takes it.
   *
   * @throws BadValueException if it cannot
   */
  StagedRow stage(Row carrier, Row row, long number) throws BadValueException {
    boolean delete =
        deleteField >= 0 && deleteValue.equals(String.valueOf(row.<Object>getValue(deleteField)));
    @Nullable Object[] values = new Object[columns.size()];
    for (int i = 0; i < fields.size(); i++) {
      int index = fields.get(i);
      Field field = schema.getField(index);
      Object value = row.getValue(index);
      if (value == null && required.contains(index)) {
        throw new BadValueException(
            "Column \""
                + field.getName()
                + "\" must not be null, because it is a key or sequence column, but was: null.");
      }
      values[i] = ColumnValue.of(columns.get(i), field.getType(), value);
    }
    if (mark >= 0) {
      Column column = columns.get(mark);
      values[mark] =
          column.kind() == Column.Kind.BOOLEAN
              ? delete
              : ColumnValue.of(column, Schema.FieldType.STRING, delete ? TRUE : "false");
    }
    return new StagedRow(carrier, row, values, number, delete);
  }
}
