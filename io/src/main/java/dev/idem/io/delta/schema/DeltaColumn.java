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

import java.io.Serializable;

/**
 * One column of a Delta table, or a field within one.
 *
 * @param physicalName its name in data files and in the log, another one in tables with column
 *     mapping
 * @param fieldId what identifies it in data files of tables with column mapping, 0 in others
 */
public record DeltaColumn(
    String name, DeltaType type, boolean nullable, String physicalName, int fieldId)
    implements Serializable {

  /** Returns a column that is not mapped: files have it under its own name. */
  public DeltaColumn(String name, DeltaType type, boolean nullable) {
    this(name, type, nullable, name, 0);
  }

  /** Returns this column as messages call it: {@code path} is the column it is in, and a dot. */
  public DeltaColumn below(String path) {
    return new DeltaColumn(path + name, type, nullable, physicalName, fieldId);
  }
}
