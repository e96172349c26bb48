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
package dev.idem.io.debezium;

import java.io.Serial;

/** An event has a column that the schema does not have, and the decoder was told to fail on it. */
public final class UnknownColumnException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final String column;

  UnknownColumnException(String column) {
    super(DebeziumErrors.unknownColumn(column));
    this.column = column;
  }

  /** Returns the column's name. */
  public String column() {
    return column;
  }
}
