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

/** A row that breaks a rule of a column; it never holds the value. */
public final class RowRefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String column;
  private final String rule;
  private final String valueType;

  /** Only this library makes it. */
  public RowRefusedException(String column, String rule, String valueType, String message) {
    super(message);
    this.column = column;
    this.rule = rule;
    this.valueType = valueType;
  }

  /** Returns the column. */
  public String column() {
    return column;
  }

  /** Returns the rule, for example {@code must not be null}. */
  public String rule() {
    return rule;
  }

  /** Returns the Java type of the value, {@code null} as text for null. */
  public String valueType() {
    return valueType;
  }
}
