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

import dev.idem.pipelines.quickstart.environment.Broker;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;

/** Nine events of eight orders: few enough to be looked at. */
final class Tutorial {

  static final List<Order> EVENTS =
      List.of(
          event(1, 1001, "C01", "placed", "25.50", "09:30"),
          event(2, 1002, "C02", "placed", "12.00", "09:40"),
          event(3, 1003, "C03", "placed", "31.00", "09:55"),
          event(4, 1001, "C01", "paid", "25.50", "10:05"),
          event(5, 1004, "C01", "placed", "40.00", "10:20"),
          event(6, 1007, "C02", "placed", "15.00", "10:45"),
          event(7, 1005, "C02", "placed", "18.25", "11:30"),
          event(8, 1006, "C03", "placed", "22.00", "09:50"),
          event(9, 1008, "C01", "placed", "12.00", "12:40"));

  private Tutorial() {}

  static List<Broker.Message> messages() {
    return EVENTS.stream()
        .map(event -> new Broker.Message(0, Long.toString(event.orderId()), event.toJson()))
        .toList();
  }

  private static Order event(
      int number, long orderId, String customer, String status, String amount, String time) {
    return new Order(
        "t-" + number,
        orderId,
        customer,
        status,
        new BigDecimal(amount),
        Instant.parse("2025-10-01T" + time + ":00Z"));
  }
}
