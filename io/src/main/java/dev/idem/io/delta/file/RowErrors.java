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

import dev.idem.io.delta.error.RowRefusedException;
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.schema.DeltaColumn;

/** The wording of the failures of rows that cannot be written. */
final class RowErrors {

  private RowErrors() {}

  private static String quote(String value) {
    return "\"" + value + "\"";
  }

  static RowRefusedException rowRefused(DeltaColumn column, String rule, Object value) {
    String type = value == null ? "null" : value.getClass().getSimpleName();
    return new RowRefusedException(
        column.name(),
        rule,
        type,
        "Column "
            + quote(column.name())
            + " "
            + rule
            + ", but was: "
            + (value == null ? "null" : "a value of type " + type + " that does not")
            + ". Correct the row, or send it to the dead letters.");
  }

  static SchemaMismatchException ambiguousColumn(String table, String column) {
    return new SchemaMismatchException(
        table,
        column,
        "Column "
            + quote(column)
            + " must have a name that differs from others in more than case, as rows for table "
            + quote(table)
            + " need, but was: there again in other case. Rename or drop one of them.");
  }
}
