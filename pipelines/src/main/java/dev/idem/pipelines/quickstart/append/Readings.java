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
package dev.idem.pipelines.quickstart.append;

import dev.idem.io.delta.table.DeltaRows;
import dev.idem.pipelines.targets.DeltaTarget;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.beam.sdk.values.Row;

/** Reads back the tables that a job left; nothing here knows what the job was meant to do. */
final class Readings {

  private Readings() {}

  /**
   * Rows of a table.
   *
   * @param distinct how many of them are different in any column
   */
  record Rows(long rows, long distinct) {}

  static Rows rows(Path table) {
    List<Row> rows = DeltaRows.read(table.toString()).toList();
    return new Rows(rows.size(), new HashSet<>(rows).size());
  }

  /**
   * Rows of a table, held against the orders that were sent.
   *
   * @param distinct how many of the orders are in the table as they were sent
   * @param foreign rows that are no order as it was sent
   */
  record Held(long rows, long distinct, long missing, long foreign) {
    long duplicates() {
      return rows - distinct - foreign;
    }
  }

  static Held held(Path table, OrderStream sent) {
    BitSet seen = new BitSet();
    long[] counts = new long[2];
    DeltaRows.read(table.toString())
        .forEach(
            row -> {
              Order order = Order.of(row);
              int number = sent.number(order.eventId());
              counts[0]++;
              if (number >= 0 && sent.order(number).equals(order)) {
                seen.set(number);
              } else {
                counts[1]++;
              }
            });
    return new Held(counts[0], seen.cardinality(), sent.orders() - seen.cardinality(), counts[1]);
  }

  /**
   * Dead letters of a job.
   *
   * @param byReason how many there are for each reason
   * @param records how many different records they are
   */
  record DeadLetters(Map<String, Long> byReason, long records) {
    long of(String reason) {
      return byReason.getOrDefault(reason, 0L);
    }

    long all() {
      return byReason.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  static DeadLetters deadLetters(Path table) {
    Map<String, Long> reasons = new HashMap<>();
    Set<List<Object>> records = new HashSet<>();
    DeltaRows.read(DeltaTarget.deadLetterPath(table.toString()))
        .select("reason", "topic", "partition", "offset")
        .forEach(
            row -> {
              reasons.merge(Objects.requireNonNull(row.getString("reason")), 1L, Long::sum);
              records.add(
                  List.of(
                      Objects.requireNonNull(row.<Object>getValue("topic")),
                      Objects.requireNonNull(row.<Object>getValue("partition")),
                      Objects.requireNonNull(row.<Object>getValue("offset"))));
            });
    return new DeadLetters(reasons, records.size());
  }
}
