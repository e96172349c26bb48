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
package dev.idem.example;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import dev.idem.example.inventory.Inventory;
import dev.idem.example.orderstatus.OrderStatus;
import dev.idem.example.profiles.CustomerProfiles;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.pipelines.job.Job;
import dev.idem.testing.Covers;
import dev.idem.testing.KafkaBroker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples of the guide, with what they read out of order and repeated. */
class MergedExamplesIT {

  private static final int PARTITIONS = 2;
  private static final Random RANDOM = new Random(seed());

  @TempDir private Path directory;

  private static long seed() {
    long seed = System.nanoTime();
    System.out.println("Seed " + seed);
    return seed;
  }

  @BeforeAll
  static void createTopics() {
    for (String topic : List.of("customer-profiles", "inventory", "order-status")) {
      KafkaBroker.shared().createTopic(topic, PARTITIONS, Map.of());
    }
  }

  @Test
  @Covers.Row(63)
  void profilesHaveTheirHistoryThoughUpdatesCarryPartsOfThem() {
    Job job = CustomerProfiles.job(KafkaBroker.shared().bootstrapServers(), table());
    List<String> updates =
        List.of(
            update(1, 1, "'name':'Ada','email':'ada@old','last_seen':'2026-10-01T08:00:00Z'"),
            update(1, 2, "'last_seen':'2026-10-01T09:00:00Z'"),
            update(1, 3, "'email':'ada@new'"),
            update(1, 4, "'last_seen':'2026-10-01T10:00:00Z'"),
            update(2, 1, "'name':'Bob','email':'bob@old','last_seen':'2026-10-01T08:30:00Z'"),
            "{'customer_id':2,'version':2,'operation':'close'}",
            update(2, 3, "'name':'Bob'"),
            update(3, 3, "'email':'eve@new'"),
            update(3, 1, "'name':'Eve','email':'eve@old'"),
            update(3, 2, "'last_seen':'2026-10-01T09:00:00Z'"),
            "{'customer_id':3,'version':4,'operation':'close'}");

    assertThatItComesTo(
        job,
        "DirectRunner",
        "customer-profiles",
        updates,
        List.of("customer_id", "name", "email", "last_seen", "valid_from", "valid_to"),
        List.of(
            "[1, Ada, ada@new, 2026-10-01T10:00:00Z, 3, null]",
            "[1, Ada, ada@old, 2026-10-01T09:00:00Z, 1, 3]",
            "[2, Bob, bob@old, 2026-10-01T08:30:00Z, 1, 2]",
            "[2, Bob, null, null, 3, null]",
            "[3, Eve, eve@new, 2026-10-01T09:00:00Z, 3, 4]",
            "[3, Eve, eve@old, 2026-10-01T09:00:00Z, 1, 3]"));
  }

  private static String update(int customer, int version, String columns) {
    return "{'customer_id':%d,'version':%d,'operation':'update',%s}"
        .formatted(customer, version, columns);
  }

  @Test
  @Covers.Row(63)
  void stockIsThatOfTheLastEntryOfTheLastCount() {
    Job job = Inventory.job(KafkaBroker.shared().bootstrapServers(), table());
    List<String> counts =
        List.of(
            count("north", "bolt", 10, "08:00:00.000", 1),
            count("north", "bolt", 7, "08:00:00.000", 2),
            count("north", "nut", 5, "08:00:00.000", 9),
            count("north", "nut", 6, "08:00:00.001", 1),
            count("south", "bolt", 3, "08:00:00.000", 1),
            remove("south", "bolt", "08:30:00.000", 1),
            count("south", "nut", 1, "08:00:00.000", 1),
            remove("south", "nut", "08:30:00.000", 1),
            count("south", "nut", 2, "08:30:00.000", 2));

    assertThatItComesTo(
        job,
        "DirectRunner",
        "inventory",
        counts,
        List.of("warehouse", "sku", "quantity", "counted_at"),
        List.of(
            "[north, bolt, 7, 2026-10-01T08:00:00Z]",
            "[north, nut, 6, 2026-10-01T08:00:00.001Z]",
            "[south, nut, 2, 2026-10-01T08:30:00Z]"));
  }

  private static String count(String warehouse, String sku, int quantity, String at, int entry) {
    return entry(warehouse, sku, "count", String.valueOf(quantity), at, entry);
  }

  private static String remove(String warehouse, String sku, String at, int entry) {
    return entry(warehouse, sku, "remove", "null", at, entry);
  }

  private static String entry(
      String warehouse, String sku, String operation, String quantity, String at, int entry) {
    return ("{'warehouse':'%s','sku':'%s','operation':'%s','quantity':%s,"
            + "'counted_at':'2026-10-01T%sZ','entry':%d}")
        .formatted(warehouse, sku, operation, quantity, at, entry);
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"DirectRunner", "SparkRunner"})
  @Covers.Row(63)
  void orderHasTheStatusOfItsNewestEventThoughAnOlderOneComesLate(String runner) {
    Job job = OrderStatus.job(KafkaBroker.shared().bootstrapServers(), table());
    List<String> events =
        List.of(
            event("e01", 1001, "C01", "placed", "25.50", "09:05"),
            event("e02", 1002, "C02", "placed", "12.00", "09:40"),
            event("e03", 1003, "C03", "placed", "31.00", "09:55"),
            event("e04", 1001, "C01", "paid", "25.50", "10:05"),
            event("e05", 1004, "C01", "placed", "40.00", "10:20"),
            event("e06", 1005, "C02", "placed", "18.25", "11:30"),
            event("e07", 1006, "C03", "placed", "22.00", "09:50"),
            event("e08", 1007, "C02", "placed", "15.00", "10:45"),
            event("e09", 1008, "C01", "placed", "12.00", "12:40"),
            event("e10", 1009, "C03", "placed", "9.00", "12:50"),
            event("e11", 1009, "C03", "paid", "9.00", "12:50"));

    assertThatItComesTo(
        job,
        runner,
        "order-status",
        events,
        List.of("order_id", "customer_id", "status", "amount", "event_time"),
        List.of(
            "[1001, C01, paid, 25.50, 2026-10-01T10:05:00Z]",
            "[1002, C02, placed, 12.00, 2026-10-01T09:40:00Z]",
            "[1003, C03, placed, 31.00, 2026-10-01T09:55:00Z]",
            "[1004, C01, placed, 40.00, 2026-10-01T10:20:00Z]",
            "[1005, C02, placed, 18.25, 2026-10-01T11:30:00Z]",
            "[1006, C03, placed, 22.00, 2026-10-01T09:50:00Z]",
            "[1007, C02, placed, 15.00, 2026-10-01T10:45:00Z]",
            "[1008, C01, placed, 12.00, 2026-10-01T12:40:00Z]",
            "[1009, C03, paid, 9.00, 2026-10-01T12:50:00Z]"));
  }

  private static String event(
      String id, int order, String customer, String status, String amount, String time) {
    return ("{'event_id':'%s','order_id':%d,'customer_id':'%s','status':'%s','amount':%s,"
            + "'event_time':'2026-10-01T%s:00Z'}")
        .formatted(id, order, customer, status, amount, time);
  }

  /** Sends all twice in some order, and again in another one once the job has merged that. */
  private void assertThatItComesTo(
      Job job,
      String runner,
      String topic,
      List<String> messages,
      List<String> columns,
      List<String> rows) {
    List<String> twice = new ArrayList<>(messages);
    twice.addAll(messages);
    for (List<String> sent : List.of(twice, messages)) {
      send(topic, sent);
      assertThat(
          job.run(
              "--checkpoint=" + directory.resolve("checkpoint"),
              "--maxRecordsPerBatch=8",
              "--maxDeadLetters=0%",
              "--runner=" + runner),
          is(Job.DONE));

      assertThat(rows(columns), equalTo(rows));
    }
  }

  private static void send(String topic, List<String> messages) {
    List<String> shuffled = new ArrayList<>(messages);
    Collections.shuffle(shuffled, RANDOM);
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (String message : shuffled) {
      byte[] json = message.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
      records.add(new ProducerRecord<>(topic, records.size() % PARTITIONS, null, json));
    }
    KafkaBroker.shared().sendAll(records);
  }

  private String table() {
    return directory.resolve("table").toString();
  }

  private List<String> rows(List<String> columns) {
    return DeltaRows.read(table()).select(columns.toArray(String[]::new)).toList().stream()
        .map(row -> row.getValues().toString())
        .sorted()
        .toList();
  }
}
