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

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.beam.sdk.values.Row;

/** The orders that changes can arrive in. */
public final class ArrivalOrders {

  private ArrivalOrders() {}

  /**
   * Returns all orders of a few changes, each as a run of its own: its number is in the field
   * {@code run}, which is a part of the key.
   */
  public static List<List<Row>> of(Row... changes) {
    List<List<Row>> orders = new ArrayList<>();
    permute(new ArrayList<>(List.of(changes)), 0, orders);
    return orders;
  }

  private static void permute(List<Row> rows, int from, List<List<Row>> orders) {
    if (from == rows.size()) {
      int run = orders.size();
      orders.add(
          rows.stream().map(row -> Row.fromRow(row).withFieldValue("run", run).build()).toList());
    }
    for (int i = from; i < rows.size(); i++) {
      Collections.swap(rows, from, i);
      permute(rows, from + 1, orders);
      Collections.swap(rows, from, i);
    }
  }
}
