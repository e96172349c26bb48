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
package dev.idem.io.delta.table;

import dev.idem.io.delta.file.PartitionValues;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.schema.SchemaJson;
import java.time.DateTimeException;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.schemas.Schema;

/**
 * One version of a Delta table, without its rows.
 *
 * @param version the version
 * @param tableId the table's id, another one after it was created anew
 * @param schemaJson the Delta schema
 * @param partitionColumns the partition columns, in order
 * @param properties the table properties
 */
public record TableState(
    long version,
    String tableId,
    String schemaJson,
    List<String> partitionColumns,
    Map<String, String> properties) {

  /** Takes copies of the collections. */
  public TableState {
    partitionColumns = List.copyOf(partitionColumns);
    properties = Map.copyOf(properties);
  }

  /**
   * Returns the schema of the table's rows.
   *
   * @throws IllegalArgumentException if a column has a type that is not supported, naming it
   */
  public Schema schema() {
    return DeltaSchemas.parse(schemaJson);
  }

  /**
   * Returns the value of a partition column that a text stands for: numbers and dates as in JSON
   * and ISO 8601, timestamps with a {@code Z}.
   *
   * @throws IllegalArgumentException if the column cannot hold it
   */
  public Object partitionValue(String column, String text) {
    DeltaColumn known =
        SchemaJson.read(schemaJson).stream()
            .filter(each -> each.name().equals(column) && partitionColumns.contains(column))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "Column must be one of the partition columns "
                            + partitionColumns
                            + ", but was: \""
                            + column
                            + "\"."));
    try {
      return PartitionValues.parse(known, text);
    } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException(
          "Value of column \""
              + column
              + "\" must be of type "
              + known.type().text()
              + ", but was: \""
              + text
              + "\".",
          e);
    }
  }
}
