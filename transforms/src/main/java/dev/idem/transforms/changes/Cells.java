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

import dev.idem.transforms.fingerprint.RowEncoding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.Field;
import org.apache.beam.sdk.schemas.Schema.TypeName;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * The cells of a row: the parts that a change carries or not, and that are decided each by a
 * sequence of its own.
 *
 * <p>Columns that every change carries are one cell together, so a row never holds columns of two
 * changes unless it was asked to. A column that a change may leave out is a cell alone. If it is a
 * struct, each leaf is one, and so is whether the struct is there at all.
 */
final class Cells {
  private final Schema schema;
  private final ColumnChoice ignoredNulls;

  /** For each column that is not part of the key its place in {@link #cells}, else null. */
  private final Node[] columns;

  private final List<Cell> cells = new ArrayList<>();

  private enum Kind {
    /** The columns that every change carries. */
    TOGETHER,
    /** A column, or a field of a struct. */
    LEAF,
    /** Whether a struct is there. */
    PRESENCE
  }

  /**
   * One cell.
   *
   * @param name the column and the fields that lead to it, with dots between them
   * @param path their indexes; of {@link Kind#TOGETHER} those of the columns
   * @param encoding encodes rows that hold nothing but the cell
   */
  private record Cell(Kind kind, String name, List<Integer> path, RowEncoding encoding) {}

  /** Where the values of a column are: in one cell, or in those of a struct's fields. */
  private record Node(int cell, int slot, @Nullable Schema struct, List<Node> fields) {}

  /**
   * Lays out the cells of rows.
   *
   * @param schema the schema of the rows
   * @param keys the columns that are in no cell
   * @param masked whether changes name the columns they carry
   * @param ignoredNulls the columns whose nulls say nothing
   */
  Cells(Schema schema, List<String> keys, boolean masked, ColumnChoice ignoredNulls) {
    this.schema = schema;
    this.ignoredNulls = ignoredNulls;
    this.columns = new Node[schema.getFieldCount()];
    List<Integer> together = new ArrayList<>();
    for (int i = 0; i < columns.length; i++) {
      Field field = schema.getField(i);
      if (keys.contains(field.getName())) {
        continue;
      }
      if (masked || ignoredNulls.has(field.getName())) {
        columns[i] = lay(field, field.getName(), List.of(i));
      } else {
        together.add(i);
      }
    }
    if (!together.isEmpty() || cells.isEmpty()) {
      layTogether(together);
    }
  }

  private void layTogether(List<Integer> together) {
    for (int slot = 0; slot < together.size(); slot++) {
      columns[together.get(slot)] = new Node(cells.size(), slot, null, List.of());
    }
    List<Field> fields = together.stream().map(schema::getField).toList();
    RowEncoding encoding = RowEncoding.of(Schema.builder().addFields(fields).build());
    cells.add(new Cell(Kind.TOGETHER, "", together, encoding));
  }

  private Node lay(Field field, String name, List<Integer> path) {
    if (field.getType().getTypeName() != TypeName.ROW) {
      Schema alone = Schema.of(field.withNullable(true));
      cells.add(new Cell(Kind.LEAF, name, path, RowEncoding.of(alone)));
      return new Node(cells.size() - 1, -1, null, List.of());
    }
    Schema struct = field.getType().getRowSchema();
    Schema presence = Schema.of(Field.nullable(name, Schema.FieldType.BOOLEAN));
    cells.add(new Cell(Kind.PRESENCE, name, path, RowEncoding.of(presence)));
    int cell = cells.size() - 1;
    List<Node> fields = new ArrayList<>();
    for (int i = 0; i < struct.getFieldCount(); i++) {
      List<Integer> deeper = new ArrayList<>(path);
      deeper.add(i);
      Field inner = struct.getField(i);
      fields.add(lay(inner, name + "." + inner.getName(), deeper));
    }
    return new Node(cell, -1, struct, fields);
  }

  /** Returns the number of cells, one or more. */
  int size() {
    return cells.size();
  }

  /** Returns the name of a cell: the path of a column or field, empty for those together. */
  String name(int cell) {
    return cells.get(cell).name();
  }

  /** Returns whether all changes carry the whole row, so that the latest one says all there is. */
  boolean isOneForAll() {
    return cells.size() == 1 && cells.get(0).kind() == Kind.TOGETHER;
  }

  /** Returns cells of which none is carried. */
  @Nullable Object[] nothing() {
    @Nullable Object[] values = new Object[cells.size()];
    Arrays.fill(values, Change.NOT_CARRIED);
    return values;
  }

  /** Returns all cells of a row. */
  @Nullable Object[] read(Row row) {
    @Nullable Object[] values = new Object[cells.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(row, cells.get(i));
    }
    return values;
  }

  /**
   * Returns the cells that a change carries.
   *
   * @param row the change, as a row of the schema
   * @param mask the paths of the columns that are carried, or null for all
   */
  @Nullable Object[] read(Row row, @Nullable Set<String> mask) {
    @Nullable Object[] values = new Object[cells.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = read(row, mask, cells.get(i));
    }
    return values;
  }

  private @Nullable Object read(Row row, @Nullable Set<String> mask, Cell cell) {
    Object value = value(row, cell);
    if (cell.kind() == Kind.TOGETHER) {
      return value;
    }
    boolean isNull = value == null || (cell.kind() == Kind.PRESENCE && value.equals(false));
    boolean saysNothing = isNull && ignoredNulls.has(schema.getField(cell.path().get(0)).getName());
    return saysNothing || !covers(mask, cell, !isNull) ? Change.NOT_CARRIED : value;
  }

  private static @Nullable Object value(Row row, Cell cell) {
    return switch (cell.kind()) {
      case TOGETHER -> together(row, cell);
      case LEAF -> at(row, cell.path());
      case PRESENCE -> at(row, cell.path()) != null;
    };
  }

  private static Row together(Row row, Cell cell) {
    List<@Nullable Object> values = new ArrayList<>(cell.path().size());
    for (int column : cell.path()) {
      values.add(row.getValue(column));
    }
    return Row.withSchema(cell.encoding().schema()).attachValues(values);
  }

  private static @Nullable Object at(Row row, List<Integer> path) {
    Object value = row.getValue(path.get(0));
    for (int i = 1; i < path.size() && value != null; i++) {
      value = ((Row) value).getValue(path.get(i));
    }
    return value;
  }

  /** A struct that is there is also carried by whoever carries a part of it. */
  private static boolean covers(@Nullable Set<String> mask, Cell cell, boolean isThere) {
    if (mask == null) {
      return true;
    }
    String name = cell.name();
    for (int end = name.length(); end > 0; end = name.lastIndexOf('.', end - 1)) {
      if (mask.contains(name.substring(0, end))) {
        return true;
      }
    }
    return cell.kind() == Kind.PRESENCE
        && isThere
        && mask.stream().anyMatch(path -> path.startsWith(name + "."));
  }

  /** Returns whether a mask may name {@code path}: a column, or a field of a struct in one. */
  boolean knows(String path) {
    Schema in = schema;
    String[] names = path.split("\\.", -1);
    for (int i = 0; i < names.length; i++) {
      if (in == null || !in.hasField(names[i])) {
        return false;
      }
      in = in.getField(names[i]).getType().getRowSchema();
    }
    return true;
  }

  /** Orders two values of a cell, both carried, by their canonical encodings. */
  int compare(int cell, @Nullable Object left, @Nullable Object right) {
    return Arrays.compareUnsigned(encode(cell, left), encode(cell, right));
  }

  private byte[] encode(int cell, @Nullable Object value) {
    RowEncoding encoding = cells.get(cell).encoding();
    return encoding.encode(
        cells.get(cell).kind() == Kind.TOGETHER
            ? (Row) value
            : Row.withSchema(encoding.schema()).attachValues(Arrays.asList(value)));
  }

  /** Returns a row of a key and cells; a cell that nobody set is null. */
  Row row(Row key, @Nullable Object[] values) {
    List<@Nullable Object> all = new ArrayList<>(columns.length);
    for (int i = 0; i < columns.length; i++) {
      all.add(
          columns[i] == null
              ? key.getValue(schema.getField(i).getName())
              : valueOf(columns[i], values));
    }
    return Row.withSchema(schema).attachValues(all);
  }

  private static @Nullable Object valueOf(Node node, @Nullable Object[] values) {
    Object value = values[node.cell()] == Change.NOT_CARRIED ? null : values[node.cell()];
    if (node.slot() >= 0) {
      return value == null ? null : ((Row) value).getValue(node.slot());
    }
    if (node.struct() == null) {
      return value;
    }
    if (!Boolean.TRUE.equals(value)) {
      return null;
    }
    List<@Nullable Object> fields = new ArrayList<>(node.fields().size());
    for (Node field : node.fields()) {
      fields.add(valueOf(field, values));
    }
    return Row.withSchema(node.struct()).attachValues(fields);
  }
}
