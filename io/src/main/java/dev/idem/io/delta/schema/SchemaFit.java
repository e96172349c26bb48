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

import dev.idem.io.delta.error.SchemaMismatchException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Compares the columns of files with those of a table, and says every difference at once. */
public final class SchemaFit {

  private final String table;
  private final List<SchemaMismatchException> differences = new ArrayList<>();

  private SchemaFit(String table) {
    this.table = table;
  }

  /** Refuses columns that a table does not take as they are. */
  public static void require(String table, List<DeltaColumn> columns, List<DeltaColumn> written) {
    SchemaFit fit = new SchemaFit(table);
    fit.compare("", columns, written);
    if (!fit.differences.isEmpty()) {
      throw SchemaErrors.together(fit.differences);
    }
  }

  private void compare(String path, List<DeltaColumn> columns, List<DeltaColumn> written) {
    Map<String, DeltaColumn> given = new TreeMap<>();
    written.forEach(column -> given.put(column.name(), column));
    for (DeltaColumn column : columns) {
      DeltaColumn same = given.remove(column.name());
      if (same != null) {
        compare(column.below(path), same);
        if (!same.physicalName().equals(column.physicalName())
            || same.fieldId() != column.fieldId()) {
          differences.add(SchemaErrors.otherPhysicalName(table, column.below(path), same));
        }
      } else if (!column.nullable()) {
        differences.add(SchemaErrors.missingColumn(table, column.below(path)));
      }
    }
    given.keySet().forEach(name -> differences.add(SchemaErrors.extraColumn(table, path + name)));
  }

  private void compare(DeltaColumn column, DeltaColumn given) {
    String path = column.name() + ".";
    if (column.type() instanceof DeltaType.Struct struct
        && given.type() instanceof DeltaType.Struct written) {
      compare(path, struct.fields(), written.fields());
    } else if (column.type() instanceof DeltaType.Array array
        && given.type() instanceof DeltaType.Array written) {
      compare(
          new DeltaColumn(path + "element", array.element(), array.containsNull()),
          new DeltaColumn("element", written.element(), written.containsNull()));
    } else if (column.type() instanceof DeltaType.Map map
        && given.type() instanceof DeltaType.Map written) {
      compare(
          new DeltaColumn(path + "key", map.key(), false),
          new DeltaColumn("key", written.key(), false));
      compare(
          new DeltaColumn(path + "value", map.value(), map.valueContainsNull()),
          new DeltaColumn("value", written.value(), written.valueContainsNull()));
    } else if (!given.type().equals(column.type())) {
      differences.add(SchemaErrors.otherType(table, column, given));
    }
    if (given.nullable() && !column.nullable()) {
      differences.add(SchemaErrors.nullability(table, column));
    }
  }
}
