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
import java.util.List;
import java.util.stream.Collectors;

/** The wording of the failures of rows or files whose schema does not fit a table. */
public final class SchemaErrors {

  private SchemaErrors() {}

  private static String quote(String value) {
    return "\"" + value + "\"";
  }

  /** Rows lack a column that must not be null. */
  public static SchemaMismatchException missingColumn(String table, DeltaColumn column) {
    return new SchemaMismatchException(
        table,
        column.name(),
        "Column "
            + quote(column.name())
            + " must be in the rows, because it must not be null in table "
            + quote(table)
            + ", but was: missing. Add it to the rows.");
  }

  /** Rows have a column that the table has not. */
  public static SchemaMismatchException extraColumn(String table, String column) {
    return new SchemaMismatchException(
        table,
        column,
        "Column "
            + quote(column)
            + " must be a column of table "
            + quote(table)
            + ", but was: unknown there. Drop it from the rows or add it to the"
            + " table.");
  }

  static SchemaMismatchException otherPhysicalName(
      String table, DeltaColumn column, DeltaColumn given) {
    return new SchemaMismatchException(
        table,
        column.name(),
        "Column "
            + quote(column.name())
            + " must have the name "
            + quote(column.physicalName())
            + " in the files of table "
            + quote(table)
            + ", which maps its columns, but was: "
            + quote(given.physicalName())
            + ". Write the files as DeltaTable.fitted says.");
  }

  /** Rows have a column of another type than the table. */
  public static SchemaMismatchException otherType(
      String table, DeltaColumn column, DeltaColumn given) {
    return new SchemaMismatchException(
        table,
        column.name(),
        "Column "
            + quote(column.name())
            + " must be of type "
            + column.type().text()
            + " as in table "
            + quote(table)
            + ", but was: "
            + given.type().text()
            + ". Convert it before the write, or give the rows the table's schema.");
  }

  static SchemaMismatchException nullability(String table, DeltaColumn column) {
    return new SchemaMismatchException(
        table,
        column.name(),
        "Column "
            + quote(column.name())
            + " must not be null in table "
            + quote(table)
            + ", but was: nullable. Declare it not null in the schema to write with.");
  }

  /** Returns one failure that says what all of them say. */
  static SchemaMismatchException together(List<SchemaMismatchException> differences) {
    SchemaMismatchException first = differences.get(0);
    return differences.size() == 1
        ? first
        : new SchemaMismatchException(
            first.table(),
            first.column(),
            differences.stream().map(Throwable::getMessage).collect(Collectors.joining("\n")));
  }
}
