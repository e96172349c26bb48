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
package dev.idem.pipelines.inspect;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Rows of cells, printed in columns: numbers to the right, the rest to the left. */
final class TextTable {

  private static final Pattern NUMBER = Pattern.compile("-|[0-9][0-9,.]*%?");

  private final List<String[]> rows = new ArrayList<>();
  private final boolean headed;

  /** Makes a table; without headings it has none. */
  TextTable(String... headings) {
    headed = headings.length > 0;
    if (headed) {
      rows.add(headings);
    }
  }

  /** Adds a row; a shorter one leaves the last columns empty. */
  void row(String... cells) {
    rows.add(cells);
  }

  /** Returns whether there is nothing below the headings. */
  boolean isEmpty() {
    return rows.size() <= (headed ? 1 : 0);
  }

  @Override
  public String toString() {
    int columns = rows.stream().mapToInt(row -> row.length).max().orElse(0);
    int[] widths = new int[columns];
    boolean[] numbers = new boolean[columns];
    for (int c = 0; c < columns; c++) {
      numbers[c] = true;
      for (int r = 0; r < rows.size(); r++) {
        String cell = cell(r, c);
        widths[c] = Math.max(widths[c], cell.length());
        boolean heading = headed && r == 0;
        numbers[c] &= heading || cell.isEmpty() || NUMBER.matcher(cell).matches();
      }
    }
    StringBuilder text = new StringBuilder();
    for (int r = 0; r < rows.size(); r++) {
      StringBuilder line = new StringBuilder();
      for (int c = 0; c < columns; c++) {
        String padding = " ".repeat(widths[c] - cell(r, c).length());
        line.append(c == 0 ? "" : "  ")
            .append(numbers[c] ? padding + cell(r, c) : cell(r, c) + padding);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private String cell(int row, int column) {
    String[] cells = rows.get(row);
    return column < cells.length ? cells[column] : "";
  }
}
