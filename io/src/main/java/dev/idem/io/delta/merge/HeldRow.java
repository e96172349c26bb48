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
package dev.idem.io.delta.merge;

import java.util.List;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A row of a key that the table holds, or a change that is kept beside it.
 *
 * @param source where it is
 * @param file the number of its file in the plan
 * @param position its position in the file
 * @param row the row; where its guard suffices, without other columns
 * @param plan the file of the plan, if there is no row
 */
record HeldRow(Source source, int file, long position, @Nullable Row row, @Nullable String plan) {

  /** Where a row is. */
  enum Source {
    /** In a file of the table. */
    TABLE,
    /** In a file of the table beside it. */
    BESIDE,
    /** Nowhere: it says that its group exists, and by which plan. */
    NONE
  }

  static List<Row> rows(List<HeldRow> held) {
    return held.stream().map(HeldRow::row).toList();
  }

  /** Returns those of a source. */
  static List<HeldRow> of(Source source, List<HeldRow> held) {
    return held.stream().filter(row -> row.source() == source).toList();
  }

  static HeldRow groupOf(String plan) {
    return new HeldRow(Source.NONE, 0, 0, null, plan);
  }

  static HeldRow of(Source source, int file, long position, Row row) {
    return new HeldRow(source, file, position, row, null);
  }
}
