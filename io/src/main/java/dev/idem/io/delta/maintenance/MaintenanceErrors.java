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
package dev.idem.io.delta.maintenance;

import dev.idem.io.delta.error.CommitUnknownException;
import dev.idem.io.delta.error.DeltaTableException;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.TableSchema;
import java.util.List;

/** The wording of the failures of maintenance. */
final class MaintenanceErrors {

  private MaintenanceErrors() {}

  private static String quote(String value) {
    return "\"" + value + "\"";
  }

  static CommitUnknownException unknownRewrite(String table, Throwable cause) {
    return new CommitUnknownException(
        table,
        "Commit of rewritten files to table "
            + quote(table)
            + " must end with a known outcome, but was: unknown. Optimize the table again; rows are"
            + " there once either way. The new files are kept.",
        cause);
  }

  static IllegalArgumentException notBounded(
      String table, TableSchema schema, List<DeltaColumn> bounded, String name) {
    String type =
        schema.columns().stream()
            .filter(column -> column.name().equals(name))
            .findFirst()
            .map(column -> " of type " + column.type().text())
            .orElse("");
    return new IllegalArgumentException(
        "Column to cluster by must be one that files of table "
            + quote(table)
            + " have bounds of, "
            + bounded.stream().map(DeltaColumn::name).toList()
            + ", but was: "
            + quote(name)
            + type
            + ". Cluster by another column.");
  }

  static IllegalArgumentException namedTwice(String table, String name) {
    return new IllegalArgumentException(
        "Columns to cluster table "
            + quote(table)
            + " by must be named once, but was: "
            + quote(name)
            + " twice. Name it once.");
  }

  static DeltaTableException otherRows(String table, long expected, long rows) {
    return new DeltaTableException(
        table,
        "Rewritten files must hold the "
            + expected
            + " rows that the statistics of table "
            + quote(table)
            + " say, but was: "
            + rows
            + ". Nothing was committed. Find out which file's numRecords is wrong, and recompute"
            + " its statistics.",
        null);
  }
}
