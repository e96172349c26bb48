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
package dev.idem.io.delta.error;

/** A schema that does not fit its table. */
public final class SchemaMismatchException extends DeltaTableException {

  private static final long serialVersionUID = 1L;

  private final String column;

  /** Only this library makes it. */
  public SchemaMismatchException(String table, String column, String message) {
    super(table, message, null);
    this.column = column;
  }

  /**
   * Returns the first column that does not fit; empty if there is no table and none can be made.
   */
  public String column() {
    return column;
  }
}
