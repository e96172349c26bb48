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
import dev.idem.pipelines.quickstart.environment.QuickstartErrors;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What is sent: orders out of order, some delivered again, some with other content, some far too
 * late, some no orders at all. The same for the same number of orders, every time.
 *
 * <p>Times span 25 minutes whatever the number of orders, and the job's watermark stays 5 minutes
 * behind. An order is out of order by up to 30 seconds, so none is late by that; a copy comes at
 * most 7.5 minutes behind its order, so its key is still remembered; what is to be late is two
 * hours old and comes in the second half, when there is a watermark.
 */
public final class OrderStream {

  /** What a message is meant to become. */
  enum Kind {
    /** A row. */
    ORDER,
    /** Dropped: the same order again. */
    COPY,
    /** A dead letter: a known key with another amount. */
    CONFLICT,
    /** A dead letter: a new key, older than the watermark. */
    LATE,
    /** Dead letters: no JSON, a value of another type. */
    BROKEN,
    /** A dead letter: no key. */
    WITHOUT_KEY,
    /** A dead letter: no value. */
    WITHOUT_VALUE
  }

  static final int PARTITIONS = 3;
  static final int LEAST = 1_000;
  static final int MOST = 1_000_000;

  private static final long SEED = 20_250_106;
  private static final Instant BEGIN = Instant.parse("2025-01-06T08:00:00Z");
  private static final Duration SPAN = Duration.ofMinutes(25);
  private static final double OUT_OF_ORDER = 30.0 / SPAN.toSeconds();
  private static final double LONGEST_DELAY = 0.3;
  private static final Duration TOO_LATE = Duration.ofHours(2);
  private static final int CUSTOMERS = 500;
  private static final int EVENTS_AN_ORDER = 3;
  private static final String[] STATUS = {"placed", "paid", "shipped"};

  private final int orders;
  private final List<Broker.Message> messages;
  private final Map<Kind, Long> sent = new EnumMap<>(Kind.class);

  private record Slot(double position, Kind kind, int order) {}

  /** Makes a stream of so many different orders. */
  public OrderStream(int orders) {
    if (orders < LEAST || orders > MOST) {
      throw QuickstartErrors.outOfRange("--records", orders, LEAST, MOST);
    }
    this.orders = orders;
    List<Slot> slots = slots(new Random(SEED));
    // A stable sort: what was put in first comes first among equals, an order before its copies.
    slots.sort(Comparator.comparingDouble(Slot::position));
    this.messages = slots.stream().map(this::message).toList();
    slots.forEach(slot -> sent.merge(slot.kind(), 1L, Long::sum));
  }

  private List<Slot> slots(Random random) {
    double[] positions = new double[orders];
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < orders; i++) {
      positions[i] = i + random.nextDouble() * OUT_OF_ORDER * orders;
      slots.add(new Slot(positions[i], Kind.ORDER, i));
    }
    for (int i = 0; i < orders / 20; i++) {
      copy(Kind.COPY, positions, random, slots);
    }
    for (int i = 0; i < orders / 400; i++) {
      copy(Kind.CONFLICT, positions, random, slots);
    }
    for (int i = 0; i < orders / 200; i++) {
      slots.add(new Slot(orders * (0.5 + random.nextDouble() / 2), Kind.LATE, i));
    }
    Kind[] malformed = {Kind.BROKEN, Kind.BROKEN, Kind.WITHOUT_KEY, Kind.WITHOUT_VALUE};
    for (int i = 0; i < orders / 100; i++) {
      int near = random.nextInt(orders);
      slots.add(new Slot(positions[near], malformed[i % malformed.length], near));
    }
    return slots;
  }

  private void copy(Kind kind, double[] positions, Random random, List<Slot> slots) {
    int of = random.nextInt(orders);
    double delay = random.nextDouble() * LONGEST_DELAY * orders;
    slots.add(new Slot(positions[of] + delay, kind, of));
  }

  private Broker.Message message(Slot slot) {
    Order order = slot.kind() == Kind.LATE ? late(slot.order()) : order(slot.order());
    String value =
        switch (slot.kind()) {
          case ORDER, COPY, LATE -> order.toJson();
          case CONFLICT -> order.withAmount(order.amount().add(BigDecimal.ONE)).toJson();
          case BROKEN ->
              slot.order() % 2 == 0
                  ? order.toJson().substring(0, 40)
                  : order.toJsonWithTextAmount();
          case WITHOUT_KEY -> order.toJsonWithoutKey();
          case WITHOUT_VALUE -> null;
        };
    // By order, as a producer with keys does it: copies follow their order in one partition.
    int partition = (int) (order.orderId() % PARTITIONS);
    return new Broker.Message(partition, Long.toString(order.orderId()), value);
  }

  /** Returns the event of a number from 0. */
  Order order(int number) {
    long offset = SPAN.toMillis() * number / orders;
    return event("e-" + number, number, BEGIN.plusMillis(offset));
  }

  private Order late(int number) {
    return event("late-" + number, number, BEGIN.minus(TOO_LATE).plusMillis(number));
  }

  private static Order event(String id, int number, Instant time) {
    long orderId = 1_000L + number / EVENTS_AN_ORDER;
    return new Order(
        id,
        orderId,
        "C%03d".formatted(orderId % CUSTOMERS),
        STATUS[number % EVENTS_AN_ORDER],
        BigDecimal.valueOf(500 + number * 7_919L % 20_000, 2),
        time);
  }

  /** Returns the number of the event with an id, or -1 if there is none. */
  int number(String eventId) {
    if (eventId == null || !eventId.matches("e-\\d{1,9}")) {
      return -1;
    }
    int number = Integer.parseInt(eventId.substring(2));
    return number < orders ? number : -1;
  }

  /** Returns how many different orders there are; each must be in the table once. */
  int orders() {
    return orders;
  }

  List<Broker.Message> messages() {
    return messages;
  }

  /** Returns how many messages of some kinds there are. */
  long sent(Kind... kinds) {
    long sum = 0;
    for (Kind kind : kinds) {
      sum += sent.getOrDefault(kind, 0L);
    }
    return sum;
  }
}
