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

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.idem.io.kafka.KafkaConfig;
import dev.idem.io.kafka.publish.BatchRecord;
import dev.idem.io.kafka.publish.EventHeaders;
import dev.idem.io.kafka.publish.PublishSteps;
import dev.idem.io.kafka.publish.PublishTarget;
import dev.idem.testing.KafkaBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A topic that a job publishes to, as a reader of committed records finds it. */
record Published(KafkaBroker broker, String topic) {

  /** Creates a topic of two partitions. */
  static Published create(KafkaBroker broker) {
    return create(broker, Map.of());
  }

  static Published create(KafkaBroker broker, Map<String, String> config) {
    String topic = "published-" + UUID.randomUUID();
    broker.createTopic(topic, 2, config);
    return new Published(broker, topic);
  }

  /** A record as a test compares it. */
  record Found(String key, String value, String batch, String eventId) {

    private static Found of(ConsumerRecord<byte[], byte[]> record) {
      return new Found(
          text(record.key()),
          text(record.value()),
          header(record, EventHeaders.BATCH_ID),
          header(record, EventHeaders.EVENT_ID));
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
      return text(record.headers().lastHeader(name).value());
    }

    private static String text(byte[] bytes) {
      return bytes == null ? null : new String(bytes, UTF_8);
    }
  }

  /** Returns the committed records, partition by partition in the order of their offsets. */
  List<Found> records() {
    Map<String, Object> settings =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            broker.bootstrapServers(),
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "read_committed",
            // A fetch at the end of one partition would hold up that of the next.
            ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
            10);
    List<Found> found = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(each -> new TopicPartition(topic, each.partition()))
              .toList();
      for (TopicPartition partition : partitions) {
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        long end = consumer.endOffsets(List.of(partition)).get(partition);
        while (consumer.position(partition) < end) {
          consumer.poll(Duration.ofSeconds(1)).forEach(record -> found.add(Found.of(record)));
        }
      }
    }
    return found;
  }

  /** Returns the records as {@code key=value}, sorted. */
  List<String> rows() {
    return records().stream().map(each -> each.key() + "=" + each.value()).sorted().toList();
  }

  /** Returns what the topic remembers of the last batch of a sink, if there is one. */
  BatchRecord batch(String sink) {
    return PublishSteps.of(
            PublishTarget.of(KafkaConfig.of(broker.bootstrapServers()), "any", topic))
        .states()
        .get(sink);
  }
}
