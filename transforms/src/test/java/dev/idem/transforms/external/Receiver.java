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
package dev.idem.transforms.external;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * A receiver that keeps one effect an idempotency key, as a server would, and counts what it is
 * asked. What goes wrong is decided by {@link Fault}.
 */
final class Receiver {
  /** How long the receiver wants to be left alone. */
  static final Duration PAUSE = Duration.ofMillis(20);

  private static final ConcurrentMap<String, Receiver> ALL = new ConcurrentHashMap<>();

  /** What goes wrong with a request. */
  enum Fault {
    NONE,
    /** The request is lost before it has an effect. */
    LOST,
    /** The request has its effects, but its answer is lost. */
    ANSWER_LOST,
    /** Half of the request's effects happen. */
    HALF_DONE,
    /** The receiver says when it wants to be asked again. */
    LATER,
    /** Two of the request's effects happen, the receiver wants to be asked later for the others. */
    TWO_ONLY
  }

  /** Decides what goes wrong with the n-th request, counted from 1. */
  interface Faults {
    Fault of(int request);
  }

  final String name = UUID.randomUUID().toString();
  final Map<String, Order> effects = new LinkedHashMap<>();
  final List<List<Order>> requests = new ArrayList<>();
  final List<Long> times = new ArrayList<>();
  final List<String> repeated = new ArrayList<>();
  private final Faults faults;
  int opened;
  int open;
  int mostOpen;

  Receiver(Faults faults) {
    this.faults = faults;
    ALL.put(name, this);
  }

  static Receiver named(String name) {
    return ALL.get(name);
  }

  /** The receiver as a target; orders whose text is "bad" are never taken. */
  Target target() {
    return new Target(name);
  }

  private synchronized void open() {
    opened++;
    open++;
    mostOpen = Math.max(mostOpen, open);
  }

  private synchronized void close() {
    open--;
  }

  private synchronized void apply(Effects<Order> asked)
      throws IOException, RejectedRecordException, RetryLaterException {
    List<Order> request = new ArrayList<>();
    asked.forEach(effect -> request.add(effect.record()));
    requests.add(request);
    times.add(System.nanoTime());
    Fault fault = faults.of(requests.size());
    if (fault == Fault.LOST) {
      throw new IOException("request lost");
    }
    if (fault == Fault.LATER) {
      throw new RetryLaterException("busy", Duration.ofMillis(1));
    }
    for (Order order : request) {
      if (order.text().equals("bad")) {
        throw new RejectedRecordException("this order is bad");
      }
    }
    int done = 0;
    for (Effect<Order> effect : asked) {
      if (fault == Fault.TWO_ONLY && done++ >= 2) {
        asked.again(effect, new RetryLaterException("not now", PAUSE));
        continue;
      }
      if (fault == Fault.HALF_DONE && done++ >= request.size() / 2) {
        throw new IOException("broken in the middle");
      }
      if (effects.putIfAbsent(effect.idempotencyKey(), effect.record()) != null) {
        repeated.add(effect.idempotencyKey());
        asked.alreadyWritten(effect);
      }
    }
    if (fault == Fault.ANSWER_LOST) {
      throw new IOException("answer lost");
    }
  }

  /** Names the receiver to workers of this JVM. */
  record Target(String name) implements IdempotentTarget<Order> {
    @Override
    public Client<Order> open() {
      Receiver receiver = ALL.get(name);
      receiver.open();
      return new Client<>() {
        @Override
        public void apply(Effects<Order> effects) throws Exception {
          receiver.apply(effects);
        }

        @Override
        public void close() {
          receiver.close();
        }
      };
    }
  }
}
