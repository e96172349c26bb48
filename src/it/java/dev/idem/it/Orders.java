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

import dev.idem.testing.KafkaBroker;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeSet;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Order events as a shop would send them, the same for the same seed: event times out of order by
 * up to 30 seconds, 5 % of the events delivered again later, and on request records that are no
 * JSON, and events delivered again with another amount.
 *
 * @param seed what the random numbers begin with
 * @param events how many different events there are
 * @param partitions how many partitions they are spread over, by order
 * @param spacing milliseconds of event time from one event to the next
 * @param again how many events later one may be delivered again; 0 for never
 * @param malformedEvery after so many events comes a record that is no JSON; 0 for none
 * @param conflictEvery after so many events comes one with a known id and other content; 0 for none
 */
record Orders(
    long seed,
    int events,
    int partitions,
    int spacing,
    int again,
    int malformedEvery,
    int conflictEvery) {

  /** The event time of the first event; well in the past, so that no time is in the future. */
  static final long BEGIN = 1_700_000_000_000L;

  private static final int DISORDER_MILLIS = 30_000;
  private static final int ONE_IN = 20;
  private static final List<String> STATUS = List.of("placed", "paid", "shipped", "delivered");

  /** Returns events without malformed records and conflicts, 20 ms apart, in two partitions. */
  static Orders of(long seed, int events, int again) {
    return new Orders(seed, events, 2, 20, again, 0, 0);
  }

  /** Returns these events with records among them that are dead letters. */
  Orders withDeadLetters(int malformed, int conflicts) {
    return new Orders(seed, events, partitions, spacing, again, malformed, conflicts);
  }

  /** One event, as it must be in the table. */
  record Order(
      String eventId,
      long orderId,
      String customerId,
      String status,
      double amount,
      long eventTime) {

    String json() {
      return "{\"event_id\":\"%s\",\"order_id\":%d,\"customer_id\":\"%s\",\"status\":\"%s\",\"amount\":%s,\"event_ts\":%d}"
          .formatted(eventId, orderId, customerId, status, amount, eventTime);
    }

    Order withAmount(double other) {
      return new Order(eventId, orderId, customerId, status, other, eventTime);
    }
  }

  /** What is sent: a Kafka record, and the reason if it must end as a dead letter. */
  record Sent(int partition, String key, String value, String reason) {}

  private record Later(int at, Order order) {}

  /** Returns every different event, in the order of their numbers. */
  List<Order> expected() {
    Random random = new Random(seed);
    List<Order> orders = new ArrayList<>();
    for (int i = 0; i < events; i++) {
      long orderId = random.nextInt(Math.max(1, events / 4));
      orders.add(
          new Order(
              "e-" + i,
              orderId,
              "C" + orderId % 5000,
              STATUS.get(i % STATUS.size()),
              random.nextInt(100_000) / 100.0,
              BEGIN + (long) i * spacing - random.nextInt(DISORDER_MILLIS)));
    }
    return orders;
  }

  /** Returns what is sent, in this order. */
  List<Sent> records() {
    Random random = new Random(seed + 1);
    PriorityQueue<Later> later = new PriorityQueue<>(Comparator.comparingInt(Later::at));
    List<Sent> sent = new ArrayList<>();
    List<Order> orders = expected();
    for (int i = 0; i < events || !later.isEmpty(); i++) {
      if (i < events) {
        Order order = orders.get(i);
        sent.add(sent(order, null));
        if (again > 0 && random.nextInt(ONE_IN) == 0) {
          later.add(new Later(i + 1 + random.nextInt(again), order));
        }
        if (malformedEvery > 0 && i % malformedEvery == malformedEvery - 1) {
          sent.add(new Sent(partition(order), "bad", "{\"event_id\":\"bad-" + i, "parse error"));
        }
        if (conflictEvery > 0 && i % conflictEvery == conflictEvery - 1) {
          sent.add(sent(order.withAmount(order.amount() + 1), "conflict"));
        }
      }
      while (!later.isEmpty() && (later.peek().at() <= i || i >= events)) {
        sent.add(sent(later.poll().order(), null));
      }
    }
    return sent;
  }

  /** Returns the records that must end as dead letters, by reason, as {@code partition@offset}. */
  Map<String, TreeSet<String>> refused() {
    long[] next = new long[partitions];
    Map<String, TreeSet<String>> refused = new HashMap<>();
    for (Sent sent : records()) {
      long offset = next[sent.partition()]++;
      if (sent.reason() != null) {
        refused
            .computeIfAbsent(sent.reason(), reason -> new TreeSet<>())
            .add(sent.partition() + "@" + offset);
      }
    }
    return refused;
  }

  /** Returns until when each event is remembered that is not forgotten at a watermark, sorted. */
  List<Long> remembered(long horizonMillis, long watermark) {
    return expected().stream()
        .map(order -> order.eventTime() + horizonMillis)
        .filter(expiry -> expiry > watermark)
        .sorted()
        .toList();
  }

  private Sent sent(Order order, String reason) {
    return new Sent(partition(order), Long.toString(order.orderId()), order.json(), reason);
  }

  private int partition(Order order) {
    return (int) (order.orderId() % partitions);
  }

  /** Creates a topic with these events; says how they can be made again. */
  void sendTo(KafkaBroker broker, String topic) {
    System.out.println(topic + ": " + this);
    broker.createTopic(topic, partitions, Map.of());
    send(broker, topic, records());
  }

  /** Sends records to a topic that exists. */
  static void send(KafkaBroker broker, String topic, List<Sent> records) {
    broker.sendAll(
        records.stream()
            .map(
                sent ->
                    new ProducerRecord<>(
                        topic,
                        sent.partition(),
                        sent.key().getBytes(StandardCharsets.UTF_8),
                        sent.value().getBytes(StandardCharsets.UTF_8)))
            .toList());
  }

  /** Returns the ids of the events that are delivered twice. */
  TreeSet<String> deliveredAgain() {
    TreeSet<String> once = new TreeSet<>();
    TreeSet<String> again = new TreeSet<>();
    for (Sent sent : records()) {
      String id = sent.value().substring(13, sent.value().indexOf('"', 13));
      if (!once.add(id)) {
        again.add(id);
      }
    }
    return again;
  }
}
