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
package dev.idem.it;

import dev.idem.io.delta.table.DeltaRows;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.beam.sdk.values.Row;

/**
 * A table compared with what must be in it, value by value.
 *
 * @param rows how many rows it has
 * @param distinct how many different event ids
 * @param missing the event ids that it lacks
 * @param extra the event ids that it has and should not
 * @param different the event ids of rows with other values than were sent
 * @param uneven the event ids that are there more or less often than they should be
 */
record TableContent(
    long rows,
    long distinct,
    TreeSet<String> missing,
    TreeSet<String> extra,
    TreeSet<String> different,
    TreeSet<String> uneven) {

  /** Returns what a table has to be that holds each event so many times. */
  static TableContent exactly(List<Orders.Order> orders, int times) {
    return new TableContent(
        (long) orders.size() * times,
        orders.size(),
        new TreeSet<>(),
        new TreeSet<>(),
        new TreeSet<>(),
        new TreeSet<>());
  }

  /** Reads a table and compares it with events that must be in it so many times each. */
  static TableContent of(Path table, List<Orders.Order> orders, int times) {
    Map<String, Orders.Order> expected = new HashMap<>();
    orders.forEach(order -> expected.put(order.eventId(), order));
    Map<String, Integer> counted = new HashMap<>();
    TreeSet<String> different = new TreeSet<>();
    long rows = 0;
    for (Row row : read(table)) {
      Orders.Order found = order(row);
      rows++;
      counted.merge(found.eventId(), 1, Integer::sum);
      Orders.Order sent = expected.get(found.eventId());
      if (sent != null && !sent.equals(found)) {
        different.add(found.eventId());
      }
    }
    TreeSet<String> missing = new TreeSet<>(expected.keySet());
    missing.removeAll(counted.keySet());
    TreeSet<String> extra = new TreeSet<>(counted.keySet());
    extra.removeAll(expected.keySet());
    TreeSet<String> uneven = new TreeSet<>();
    counted.forEach(
        (id, count) -> {
          if (count != times) {
            uneven.add(id);
          }
        });
    return new TableContent(rows, counted.size(), missing, extra, different, uneven);
  }

  private static List<Row> read(Path table) {
    return DeltaRows.read(table.toString())
        .select("event_id", "order_id", "customer_id", "status", "amount", "event_ts")
        .toList();
  }

  private static Orders.Order order(Row row) {
    return new Orders.Order(
        row.getString("event_id"),
        row.getInt64("order_id"),
        row.getString("customer_id"),
        row.getString("status"),
        row.getDouble("amount"),
        row.getInt64("event_ts"));
  }
}
