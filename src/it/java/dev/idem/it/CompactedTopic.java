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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A topic of one partition whose old records give way to newer ones with the same key. */
final class CompactedTopic {

  private static final int MOST_LOOKS = 300;

  private final KafkaBroker broker;
  private final String name;

  private CompactedTopic(KafkaBroker broker, String name) {
    this.broker = broker;
    this.name = name;
  }

  static CompactedTopic with(KafkaBroker broker, String name) {
    // Each record gets a segment of its own; only closed segments are compacted.
    broker.createTopic(
        name,
        1,
        Map.of(
            "cleanup.policy",
            "compact",
            "segment.bytes",
            "200",
            "min.cleanable.dirty.ratio",
            "0.001"));
    return new CompactedTopic(broker, name);
  }

  String name() {
    return name;
  }

  /** Sends a record for each number, which is its offset. */
  void send(int from, int to, IntFunction<String> key, IntFunction<String> value) {
    for (int offset = from; offset < to; offset++) {
      broker.send(name, 0, key.apply(offset), value.apply(offset));
    }
  }

  /** Waits until of the records from an offset on exactly these are left. */
  void awaitLeft(long from, List<Long> offsets) {
    List<Long> found = List.of();
    TopicPartition partition = new TopicPartition(name, 0);
    try (Consumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      for (int look = 0; look < MOST_LOOKS && !found.equals(offsets); look++) {
        consumer.seek(partition, from);
        List<Long> seen = new ArrayList<>();
        while (consumer.position(partition) < end) {
          consumer.poll(Duration.ofMillis(200)).forEach(record -> seen.add(record.offset()));
        }
        found = seen;
      }
    }
    if (!found.equals(offsets)) {
      throw new IllegalStateException("Compaction must leave " + offsets + ", but left " + found);
    }
  }
}
