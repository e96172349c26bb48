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
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.pipelines.quickstart.append.OrderStream.Kind;
import dev.idem.pipelines.quickstart.environment.Broker;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OrderStreamTest {

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Duration DELAY = Duration.ofMinutes(5);

  private final OrderStream stream = new OrderStream(4_000);

  /** A message that is JSON with a key and a number as amount. */
  private record Parsed(int at, int partition, String id, String value, Instant time) {}

  @Test
  void sameNumberOfOrdersGivesTheSameMessages() {
    assertThat(new OrderStream(4_000).messages(), is(stream.messages()));
  }

  @Test
  void messagesAreWhatTheCountsSay() {
    Map<String, Integer> values = new HashMap<>();
    Set<String> ids = new HashSet<>();
    long late = 0;
    for (Parsed each : parsed()) {
      values.merge(each.value(), 1, Integer::sum);
      ids.add(each.id());
      late += each.id().startsWith("late-") ? 1 : 0;
    }

    long all = stream.messages().size();
    long rows = values.values().stream().mapToInt(Integer::intValue).sum();
    assertThat(ids.size(), is(4_000 + 20));
    assertThat(late, is(stream.sent(Kind.LATE)));
    // An order is sent as it is and, as a conflict, with another amount.
    assertThat(rows - values.size(), is(stream.sent(Kind.COPY) + repeatedConflicts(values)));
    assertThat(stream.sent(Kind.BROKEN), is(20L));
    assertThat(all - rows, is(stream.sent(Kind.BROKEN, Kind.WITHOUT_KEY, Kind.WITHOUT_VALUE)));
    assertThat(all, is(stream.sent(Kind.values())));
  }

  private long repeatedConflicts(Map<String, Integer> values) {
    long different = values.size() - 4_000 - stream.sent(Kind.LATE);
    return stream.sent(Kind.CONFLICT) - different;
  }

  @Test
  void ordersAreOutOfOrderWithinTheDelayAndCopiesWithinTheMemory() {
    Map<Integer, Instant> greatest = new HashMap<>();
    Map<String, Parsed> first = new HashMap<>();
    Duration disorder = Duration.ZERO;
    Duration copied = Duration.ZERO;
    for (Parsed each : parsed()) {
      if (each.id().startsWith("late-")) {
        continue;
      }
      Instant before = greatest.getOrDefault(each.partition(), Instant.MIN);
      Parsed original = first.putIfAbsent(each.id(), each);
      if (original == null) {
        if (before.isAfter(each.time())) {
          disorder = max(disorder, Duration.between(each.time(), before));
        }
      } else {
        assertThat(each.partition(), is(original.partition()));
        copied = max(copied, Duration.between(each.time(), before));
      }
      greatest.put(each.partition(), before.isAfter(each.time()) ? before : each.time());
    }

    assertThat(disorder, greaterThan(Duration.ofSeconds(10)));
    assertThat(disorder, lessThan(DELAY));
    assertThat(copied, greaterThan(DELAY));
    assertThat(copied, lessThan(DELAY.multipliedBy(2)));
  }

  @Test
  void firstMessageOfAnOrderIsTheOrder() {
    Set<String> seen = new HashSet<>();
    for (Parsed each : parsed()) {
      int number = stream.number(each.id());
      if (number >= 0 && seen.add(each.id())) {
        assertThat(each.value(), is(stream.order(number).toJson()));
      }
    }
    assertThat(seen.size(), is(4_000));
  }

  @Test
  void lateOrdersComeInTheSecondHalfAndAreOlderThanAll() {
    List<Parsed> late = parsed().stream().filter(each -> each.id().startsWith("late-")).toList();

    assertThat(late.size(), is(20));
    for (Parsed each : late) {
      assertThat(each.at(), greaterThan(stream.messages().size() * 2 / 5));
      assertThat(each.time(), lessThan(stream.order(0).eventTime().minus(DELAY)));
    }
  }

  @Test
  void numberOfOrdersHasBounds() {
    var e = assertThrows(IllegalArgumentException.class, () -> new OrderStream(999));

    assertThat(e.getMessage(), is("--records must be from 1000 to 1000000, but was: 999."));
  }

  private List<Parsed> parsed() {
    List<Parsed> parsed = new java.util.ArrayList<>();
    List<Broker.Message> messages = stream.messages();
    for (int i = 0; i < messages.size(); i++) {
      Broker.Message message = messages.get(i);
      try {
        JsonNode json = message.value() == null ? null : MAPPER.readTree(message.value());
        if (json != null && json.get("event_id").isTextual() && json.get("amount").isNumber()) {
          parsed.add(
              new Parsed(
                  i,
                  message.partition(),
                  json.get("event_id").asText(),
                  message.value(),
                  Instant.parse(json.get("event_time").asText())));
        }
      } catch (JsonProcessingException e) {
        assertThat(message.value().length(), is(40));
      }
    }
    return parsed;
  }

  private static Duration max(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? other : one;
  }
}
