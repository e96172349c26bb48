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
package dev.idem.io.kafka;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * Consumers that are kept for a while after their ranges were read.
 *
 * <p>A new consumer costs some 50 ms (connections, authentication, metadata), as much as reading
 * 50,000 records, and a small batch has a few readers. A consumer that met an error is not kept,
 * and one that nobody asked for is closed, so a process that stops reading soon has none.
 */
final class ConsumerPool {
  private static final Duration IDLE_LIMIT = Duration.ofSeconds(30);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  /** One a JVM: readers are created from serialised sources and have nothing else to share. */
  private static final ConsumerPool SHARED = new ConsumerPool(KafkaClients::consumer, IDLE_LIMIT);

  private final Function<KafkaConfig, Consumer<byte[], byte[]>> create;
  private final Duration idleLimit;
  private final Map<KafkaConfig, Deque<Consumer<byte[], byte[]>>> idle = new HashMap<>();
  private final ScheduledThreadPoolExecutor closer;

  ConsumerPool(Function<KafkaConfig, Consumer<byte[], byte[]>> create, Duration idleLimit) {
    this.create = create;
    this.idleLimit = idleLimit;
    this.closer = new ScheduledThreadPoolExecutor(1, ConsumerPool::daemon);
    closer.setKeepAliveTime(idleLimit.toMillis() + 1, TimeUnit.MILLISECONDS);
    closer.allowCoreThreadTimeOut(true);
  }

  static ConsumerPool shared() {
    return SHARED;
  }

  /** Returns a consumer without partitions, for the caller alone. */
  Consumer<byte[], byte[]> borrow(KafkaConfig config) {
    synchronized (this) {
      Deque<Consumer<byte[], byte[]>> kept = idle.get(config);
      if (kept != null && !kept.isEmpty()) {
        // The latest first, so that those not needed reach their limit.
        return kept.pop();
      }
    }
    return create.apply(config);
  }

  /** Takes back a consumer that works. */
  void giveBack(KafkaConfig config, Consumer<byte[], byte[]> consumer) {
    // Also drops what was fetched in advance.
    consumer.unsubscribe();
    synchronized (this) {
      idle.computeIfAbsent(config, any -> new ArrayDeque<>()).push(consumer);
    }
    Object unused =
        closer.schedule(
            () -> closeIfIdle(config, consumer), idleLimit.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Closes a consumer that met an error. */
  void discard(Consumer<byte[], byte[]> consumer) {
    consumer.close(CLOSE_LIMIT);
  }

  private void closeIfIdle(KafkaConfig config, Consumer<byte[], byte[]> consumer) {
    boolean unused;
    synchronized (this) {
      Deque<Consumer<byte[], byte[]>> kept = idle.get(config);
      unused = kept != null && kept.remove(consumer);
      if (unused && kept.isEmpty()) {
        idle.remove(config);
      }
    }
    if (unused) {
      consumer.close(CLOSE_LIMIT);
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "idem-kafka-consumer-closer");
    thread.setDaemon(true);
    return thread;
  }
}
