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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaTable;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadingsTest {

  private static final Schema SCHEMA = DeltaSchemas.parse(Order.DELTA_SCHEMA);

  private final OrderStream sent = new OrderStream(1_000);

  @TempDir Path root;

  @Test
  void everyOrderOnceIsWhatMustBe() throws IOException {
    Path table = table(allOrders());

    assertThat(Readings.held(table, sent), is(new Readings.Held(1_000, 1_000, 0, 0)));
    assertThat(Readings.rows(table), is(new Readings.Rows(1_000, 1_000)));
  }

  @Test
  void rowThatIsThereTwiceIsADuplicate() throws IOException {
    List<Order> orders = allOrders();
    orders.add(sent.order(7));
    Path table = table(orders);

    Readings.Held held = Readings.held(table, sent);

    assertThat(held, is(new Readings.Held(1_001, 1_000, 0, 0)));
    assertThat(held.duplicates(), is(1L));
    assertThat(Readings.rows(table), is(new Readings.Rows(1_001, 1_000)));
  }

  @Test
  void rowThatIsNotThereIsMissing() throws IOException {
    List<Order> orders = allOrders();
    orders.remove(999);

    assertThat(Readings.held(table(orders), sent), is(new Readings.Held(999, 999, 1, 0)));
  }

  @Test
  void rowWithAnotherValueIsMissingAndForeign() throws IOException {
    List<Order> orders = allOrders();
    orders.set(5, orders.get(5).withAmount(new BigDecimal("0.01")));

    Readings.Held held = Readings.held(table(orders), sent);

    assertThat(held, is(new Readings.Held(1_000, 999, 1, 1)));
    assertThat(held.duplicates(), is(0L));
  }

  private List<Order> allOrders() {
    List<Order> orders = new ArrayList<>();
    for (int i = 0; i < sent.orders(); i++) {
      orders.add(sent.order(i));
    }
    return orders;
  }

  private Path table(List<Order> orders) throws IOException {
    Path table = root.resolve("orders");
    String schema = Order.DELTA_SCHEMA;
    List<DataFile> files;
    try (DataFileWriter writer = DataFileWriter.open(DataFileSpec.of(table.toString(), schema))) {
      for (Order order : orders) {
        writer.write(
            Row.withSchema(SCHEMA)
                .addValues(
                    order.eventId(),
                    order.orderId(),
                    order.customerId(),
                    order.status(),
                    order.amount(),
                    order.eventTime())
                .build());
      }
      files = writer.finish();
    }
    DeltaTable.at(table.toString(), Map.of()).append(schema, List.of(), files);
    return table;
  }
}
