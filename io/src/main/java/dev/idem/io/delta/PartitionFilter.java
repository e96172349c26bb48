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
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.beam.sdk.schemas.Schema;

/** Which values partition columns must have. */
final class PartitionFilter implements Serializable {

  private static final long serialVersionUID = 1L;

  private final List<DeltaColumn> columns;
  private final Map<String, Set<Object>> values;

  private PartitionFilter(List<DeltaColumn> columns, Map<String, Set<Object>> values) {
    this.columns = columns;
    this.values = values;
  }

  /**
   * Returns a filter.
   *
   * @throws IllegalArgumentException for a column that is none of the partition columns, and for a
   *     value that the column cannot have
   */
  static PartitionFilter of(
      Path table,
      List<DeltaColumn> all,
      List<String> partitionColumns,
      Map<String, List<Object>> wanted) {
    List<DeltaColumn> columns = new ArrayList<>();
    Map<String, Set<Object>> values = new HashMap<>();
    wanted.forEach(
        (name, list) -> {
          if (!partitionColumns.contains(name)) {
            throw new IllegalArgumentException(
                "Condition must be on one of the partition columns "
                    + partitionColumns
                    + " of table \""
                    + table
                    + "\", but was on: \""
                    + name
                    + "\". Filter the rows by it.");
          }
          DeltaColumn column =
              all.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
          Schema schema = BeamTypes.schema(List.of(column));
          FileValue check =
              FileValue.of(column, schema.getField(0).getType(), table.toString(), false);
          Set<Object> set = new HashSet<>();
          for (Object value : list) {
            if (value != null) {
              requireValue(column, check, value);
            }
            set.add(
                column.type() instanceof DeltaType.Decimal decimal && value != null
                    ? ((BigDecimal) value).setScale(decimal.scale())
                    : value);
          }
          columns.add(column);
          values.put(name, set);
        });
    return new PartitionFilter(columns, values);
  }

  private static void requireValue(DeltaColumn column, FileValue check, Object value) {
    try {
      check.encode(value);
    } catch (RowRefusedException e) {
      throw new IllegalArgumentException(
          "Condition on column \""
              + column.name()
              + "\" needs a value as Beam rows have it: it "
              + e.rule()
              + ", but was of type "
              + value.getClass().getSimpleName()
              + ".",
          e);
    }
  }

  /** Returns whether the rows of a file with these partition values are wanted. */
  boolean accepts(Map<String, String> partitionValues) {
    for (DeltaColumn column : columns) {
      Object value = PartitionValues.parse(column, partitionValues.get(column.physicalName()));
      if (!values.get(column.name()).contains(value)) {
        return false;
      }
    }
    return true;
  }
}
