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

import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A table's columns, split into those that files hold and those that directories name. */
public record TableSchema(
    List<DeltaColumn> columns, List<DeltaColumn> data, List<DeltaColumn> partition)
    implements Serializable {

  /** Characters that neither Delta nor Parquet lets a column's name have. */
  private static final String NOT_IN_NAMES = " ,;{}()\n\t=";

  /**
   * Returns the columns of a table, and which of them are in its files.
   *
   * @throws IllegalArgumentException if a partition column is unknown, or of a type that a table
   *     cannot be partitioned by
   */
  public static TableSchema of(String schemaJson, List<String> partitionColumns) {
    Map<String, DeltaColumn> data = new LinkedHashMap<>();
    List<DeltaColumn> columns = SchemaJson.read(schemaJson);
    columns.forEach(column -> data.put(column.name(), column));
    List<DeltaColumn> partition = new ArrayList<>();
    for (String name : partitionColumns) {
      DeltaColumn column = data.remove(TableNames.of(columns, name));
      if (column == null) {
        throw new IllegalArgumentException(
            "Partition column must be a column of the table, named once, but was: \""
                + name
                + "\". Give one of "
                + columns.stream().map(DeltaColumn::name).toList()
                + ".");
      }
      if (!isPartitionType(column.type())) {
        throw new IllegalArgumentException(
            "Partition column must not be binary, an array, a map or a struct, but was: \""
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

  /** Refuses names that files cannot have, and returns this. */
  public TableSchema requireNames() {
    requireNames(columns);
    return this;
  }

  private static boolean isPartitionType(DeltaType type) {
    return type instanceof DeltaType.Decimal
        || (type instanceof DeltaType.Primitive && type != DeltaType.Primitive.BINARY);
  }

  private static void requireNames(List<DeltaColumn> columns) {
    for (DeltaColumn column : columns) {
      if (column.physicalName().chars().anyMatch(c -> NOT_IN_NAMES.indexOf(c) >= 0)) {
        throw new IllegalArgumentException(
            "Column name must be without spaces, tabs, line ends and any of ,;{}()= but was: \""
                + column.name()
                + "\". Rename the column, or leave it out of the schema.");
      }
      requireNames(column.type());
    }
  }

  private static void requireNames(DeltaType type) {
    if (type instanceof DeltaType.Struct struct) {
      requireNames(struct.fields());
    } else if (type instanceof DeltaType.Array array) {
      requireNames(array.element());
    } else if (type instanceof DeltaType.Map map) {
      requireNames(map.key());
      requireNames(map.value());
    }
  }
}
