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

import java.math.BigDecimal;
import java.time.Instant;
import org.apache.beam.sdk.values.Row;

/** An event of an order, as it is sent and as the table holds it. */
record Order(
    String eventId,
    long orderId,
    String customerId,
    String status,
    BigDecimal amount,
    Instant eventTime) {

  /** The table's schema, as {@code --schema} takes it. */
  static final String DELTA_SCHEMA =
      """
      {"type": "struct", "fields": [
        {"name": "event_id", "type": "string", "nullable": true, "metadata": {}},
        {"name": "order_id", "type": "long", "nullable": true, "metadata": {}},
        {"name": "customer_id", "type": "string", "nullable": true, "metadata": {}},
        {"name": "status", "type": "string", "nullable": true, "metadata": {}},
        {"name": "amount", "type": "decimal(10,2)", "nullable": true, "metadata": {}},
        {"name": "event_time", "type": "timestamp", "nullable": true, "metadata": {}}
      ]}
      """;

  static Order of(Row row) {
    return new Order(
        row.getString("event_id"),
        row.getInt64("order_id"),
        row.getString("customer_id"),
        row.getString("status"),
        row.<BigDecimal>getValue("amount"),
        row.<Instant>getValue("event_time"));
  }

  Order withAmount(BigDecimal other) {
    return new Order(eventId, orderId, customerId, status, other, eventTime);
  }

  String toJson() {
    return toJson("\"" + eventId + "\"", amount.toPlainString());
  }

  /** The order without the key that tells it from others. */
  String toJsonWithoutKey() {
    return toJson("null", amount.toPlainString());
  }

  /** The order with an amount that is no number. */
  String toJsonWithTextAmount() {
    return toJson("\"" + eventId + "\"", "\"free\"");
  }

  private String toJson(String id, String amountJson) {
    return ("{\"event_id\":%s,\"order_id\":%d,\"customer_id\":\"%s\",\"status\":\"%s\","
            + "\"amount\":%s,\"event_time\":\"%s\"}")
        .formatted(id, orderId, customerId, status, amountJson, eventTime);
  }
}
