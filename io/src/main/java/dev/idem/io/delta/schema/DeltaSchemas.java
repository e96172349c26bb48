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
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;

/**
 * Beam schemas for Delta schemas and back.
 *
 * <table>
 *   <caption>Types</caption>
 *   <tr><th>Delta</th><th>Beam, as {@link #parse} gives it</th><th>also accepted</th></tr>
 *   <tr><td>string</td><td>STRING</td>
 *       <td>FixedString, VariableString, UUID, EnumerationType (the value's name)</td></tr>
 *   <tr><td>byte, short, integer, long</td><td>BYTE, INT16, INT32, INT64</td><td></td></tr>
 *   <tr><td>float, double, boolean</td><td>FLOAT, DOUBLE, BOOLEAN</td><td></td></tr>
 *   <tr><td>binary</td><td>BYTES</td><td>FixedBytes, VariableBytes</td></tr>
 *   <tr><td>decimal(p,s)</td><td>{@link FixedPrecisionNumeric}</td>
 *       <td>DECIMAL, if the table's schema is given</td></tr>
 *   <tr><td>date</td><td>{@link SqlTypes#DATE}</td><td></td></tr>
 *   <tr><td>timestamp</td><td>{@link MicrosInstant}</td>
 *       <td>DATETIME, Timestamp of at most 6 digits; NanosInstant and Timestamp of more where
 *       truncation is chosen</td></tr>
 *   <tr><td>timestamp_ntz</td><td>{@link SqlTypes#DATETIME}</td><td></td></tr>
 *   <tr><td>array, map, struct</td><td>ARRAY, MAP, ROW</td><td>ITERABLE</td></tr>
 * </table>
 *
 * <p>Every other type is refused by the name of its column, at any depth. Names are matched
 * exactly, but no two columns of a table or a struct may differ in case only.
 */
public final class DeltaSchemas {

  private DeltaSchemas() {}

  /**
   * Returns the Beam schema of a table with the given Delta schema.
   *
   * @param json the Delta schema as JSON
   * @throws IllegalArgumentException if it is not a Delta schema, or has a type that is not
   *     supported; the message names the column
   */
  public static Schema parse(String json) {
    return BeamTypes.schema(SchemaJson.read(json));
  }

  /**
   * Returns the Delta schema, as JSON, that holds rows of the given Beam schema.
   *
   * @throws IllegalArgumentException if a field has no counterpart, or is a DECIMAL without
   *     precision; the message names it
   */
  public static String toJson(Schema schema) {
    return toJson(schema, false);
  }

  /** Returns the Delta schema of rows whose timestamps of nanoseconds may be truncated. */
  public static String toJson(Schema schema, boolean truncateNanoseconds) {
    List<DeltaColumn> columns = BeamTypes.columns(schema, "", truncateNanoseconds);
    columns.forEach(column -> requirePrecision(column.name(), column.type()));
    return SchemaJson.write(columns);
  }

  private static void requirePrecision(String path, DeltaType type) {
    if (type instanceof DeltaType.Decimal decimal && decimal.precision() == 0) {
      throw new IllegalArgumentException(
          "Column \""
              + path
              + "\" must have a precision and a scale, but was: DECIMAL. Give the table's schema"
              + " as Delta schema JSON, or use FixedPrecisionNumeric.");
    }
    if (type instanceof DeltaType.Array array) {
      requirePrecision(path + ".element", array.element());
    }
    if (type instanceof DeltaType.Map map) {
      requirePrecision(path + ".key", map.key());
      requirePrecision(path + ".value", map.value());
    }
    if (type instanceof DeltaType.Struct struct) {
      struct.fields().forEach(field -> requirePrecision(path + "." + field.name(), field.type()));
    }
  }
}
