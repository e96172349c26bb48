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
package dev.idem.io.delta;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A table's columns, split into those that files hold and those that directories name. */
record TableSchema(List<DeltaColumn> columns, List<DeltaColumn> data, List<DeltaColumn> partition)
    implements Serializable {

  static TableSchema of(String schemaJson, List<String> partitionColumns) {
    Map<String, DeltaColumn> data = new LinkedHashMap<>();
    List<DeltaColumn> columns = DeltaSchemas.columns(schemaJson);
    columns.forEach(column -> data.put(column.name(), column));
    List<DeltaColumn> partition = new ArrayList<>();
    for (String name : partitionColumns) {
      DeltaColumn column = data.remove(name);
      if (column == null) {
        throw new IllegalArgumentException(
            "Partition column must be a column of the table, named once, but was: \""
                + name
                + "\". Give one of "
                + columns.stream().map(DeltaColumn::name).toList()
                + ".");
      }
      if (column.type() == DeltaColumn.Type.BINARY) {
        throw new IllegalArgumentException(
            "Partition column must not be binary, but was: \""
                + name
                + "\". Partition by another column.");
      }
      partition.add(column);
    }
    if (data.isEmpty()) {
      throw new IllegalArgumentException(
          "Table must have a column besides its partition columns, but was: "
              + partitionColumns
              + ". Add a column or partition by fewer.");
    }
    return new TableSchema(columns, List.copyOf(data.values()), List.copyOf(partition));
  }
}
