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
package dev.idem.transforms.changes;

import java.io.Serializable;
import java.util.List;

/**
 * Some of the columns.
 *
 * @param named whether they are those named, else all but those named
 * @param names the columns that are named
 */
record ColumnChoice(boolean named, List<String> names) implements Serializable {
  static final ColumnChoice ALL = new ColumnChoice(false, List.of());
  static final ColumnChoice NONE = new ColumnChoice(true, List.of());

  static ColumnChoice of(String... names) {
    return new ColumnChoice(true, List.of(names));
  }

  static ColumnChoice allBut(String... names) {
    return new ColumnChoice(false, List.of(names));
  }

  boolean has(String column) {
    return names.contains(column) == named;
  }
}
