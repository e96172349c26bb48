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
package dev.idem.io.delta.file;

import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.SchemaErrors;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;

/** Turns rows of one Beam schema into values as files hold them, in the order of the columns. */
public final class RowBinding {

  private final Schema schema;
  private final List<DeltaColumn> columns;
  private final int[] fields;
  private final FileValue[] values;
  private Schema knownEqual;

  private RowBinding(Schema schema, List<DeltaColumn> columns, int[] fields, FileValue[] values) {
    this.schema = schema;
    this.columns = columns;
    this.fields = fields;
    this.values = values;
  }

  /**
   * Binds a schema to columns; names are matched without regard to case.
   *
   * @param path what the columns' names begin with in messages: the column they are in, and a dot
   * @param nanos whether timestamps of nanoseconds are taken, truncated to microseconds
   * @throws SchemaMismatchException if a row of the schema does not fit, naming the column
   */
  public static RowBinding of(
      Schema schema, List<DeltaColumn> columns, String path, String table, boolean nanos) {
    int[] fields = new int[columns.size()];
    FileValue[] values = new FileValue[columns.size()];
    List<DeltaColumn> named = columns.stream().map(column -> column.below(path)).toList();
    Map<String, Integer> given = positions(schema, path, table);
    for (int c = 0; c < fields.length; c++) {
      String name = columns.get(c).name();
      DeltaColumn column = named.get(c);
      Integer position = given.remove(name.toLowerCase(Locale.ROOT));
      fields[c] = position == null ? -1 : position;
      if (position != null) {
        values[c] = FileValue.of(column, schema.getField(position).getType(), table, nanos);
      } else if (!column.nullable()) {
        throw SchemaErrors.missingColumn(table, column);
      }
    }
    if (!given.isEmpty()) {
      int extra = given.values().iterator().next();
      throw SchemaErrors.extraColumn(table, path + schema.getField(extra).getName());
    }
    return new RowBinding(schema, named, fields, values);
  }

  private static Map<String, Integer> positions(Schema schema, String path, String table) {
    Map<String, Integer> positions = new TreeMap<>();
    for (Schema.Field field : schema.getFields()) {
      int position = schema.indexOf(field.getName());
      if (positions.put(field.getName().toLowerCase(Locale.ROOT), position) != null) {
        throw RowErrors.ambiguousColumn(table, path + field.getName());
      }
    }
    return positions;
  }

  /** Returns whether rows of {@code other} may be bound by this; compares once an object. */
  @SuppressWarnings("ReferenceEquality")
  boolean binds(Schema other) {
    if (other == schema || other == knownEqual) {
      return true;
    }
    if (!schema.equals(other)) {
      return false;
    }
    knownEqual = other;
    return true;
  }

  /** Returns the row's values in the order of the columns. */
  Object[] encode(Row row) {
    Object[] encoded = new Object[fields.length];
    for (int c = 0; c < fields.length; c++) {
      Object value = fields[c] < 0 ? null : row.getValue(fields[c]);
      if (value != null) {
        encoded[c] = values[c].encode(value);
      } else if (!columns.get(c).nullable()) {
        throw RowErrors.rowRefused(columns.get(c), "must not be null", null);
      }
    }
    return encoded;
  }
}
