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
package dev.idem.io.delta.table;

/**
 * What a write may change of a table's schema, in the commit with the rows that need it.
 *
 * <p>Whatever is chosen, nothing is ever removed, renamed or made narrower, and rows that need more
 * than may be changed are refused with every difference.
 */
public enum SchemaEvolution {
  /** Nothing. */
  NONE,
  /** Columns may be added, also within structs; older rows have null there. */
  ADD,
  /**
   * Besides, types may be made wider as the Delta protocol allows it: whole numbers to larger ones,
   * to doubles or to decimals, floats to doubles, decimals to larger ones, dates to timestamps
   * without zone. The table must have {@code delta.enableTypeWidening} set, since readers that do
   * not know it cannot read the table afterwards.
   */
  WIDEN
}
