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
package dev.idem.io.delta.schema;

import java.util.List;
import java.util.Optional;

/**
 * Columns under the names that a table has for them, in its schema, where names do not differ in
 * case only, and in its files.
 */
public final class TableNames {

  private TableNames() {}

  /** Returns columns with the table's names where those differ in case only, at every depth. */
  public static List<DeltaColumn> of(List<DeltaColumn> table, List<DeltaColumn> given) {
    return given.stream()
        .map(
            column ->
                find(table, column.name())
                    .map(
                        known ->
                            new DeltaColumn(
                                known.name(),
                                within(known.type(), column.type()),
                                column.nullable(),
                                known.physicalName(),
                                known.fieldId()))
                    .orElse(column))
        .toList();
  }

  /** Returns the table's name for a column, or the given one if it has none. */
  public static String of(List<DeltaColumn> table, String name) {
    return find(table, name).map(DeltaColumn::name).orElse(name);
  }

  private static Optional<DeltaColumn> find(List<DeltaColumn> table, String name) {
    return table.stream().filter(column -> column.name().equalsIgnoreCase(name)).findFirst();
  }

  private static DeltaType within(DeltaType table, DeltaType given) {
    if (table instanceof DeltaType.Struct known && given instanceof DeltaType.Struct struct) {
      return new DeltaType.Struct(of(known.fields(), struct.fields()));
    }
    if (table instanceof DeltaType.Array known && given instanceof DeltaType.Array array) {
      return new DeltaType.Array(within(known.element(), array.element()), array.containsNull());
    }
    if (table instanceof DeltaType.Map known && given instanceof DeltaType.Map map) {
      return new DeltaType.Map(
          within(known.key(), map.key()),
          within(known.value(), map.value()),
          map.valueContainsNull());
    }
    return given;
  }
}
