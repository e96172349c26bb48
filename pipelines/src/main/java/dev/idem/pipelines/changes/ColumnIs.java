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
package dev.idem.pipelines.changes;

import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.values.Row;

/**
 * Whether a column has a value, by its text.
 *
 * @param column the column
 * @param value the text of the value
 */
record ColumnIs(String column, String value) implements SerializableFunction<Row, Boolean> {

  /** Returns the condition that an option names. */
  static ColumnIs parse(String option, String text) {
    int equals = text.indexOf('=');
    if (equals < 1) {
      throw new IllegalArgumentException(
          option + " must be COLUMN=VALUE, but was: \"" + text + "\".");
    }
    return new ColumnIs(text.substring(0, equals), text.substring(equals + 1));
  }

  @Override
  public Boolean apply(Row row) {
    Object found = row.getValue(column);
    return found != null && found.toString().equals(value);
  }

  @Override
  public String toString() {
    return column + "=" + value;
  }
}
