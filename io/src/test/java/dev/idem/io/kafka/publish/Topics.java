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
package dev.idem.io.kafka.publish;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.idem.io.kafka.KafkaConfig;
import dev.idem.testing.KafkaBroker;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Topics of the tests, what is published to them, and what a reader finds. */
final class Topics {

  private static final AtomicInteger COUNT = new AtomicInteger();

  private Topics() {}

  static KafkaBroker broker() {
    return KafkaBroker.shared();
  }

  static KafkaConfig config() {
    return KafkaConfig.of(broker().bootstrapServers());
  }

  /** Creates a topic of three partitions for one test. */
  static String create() {
    return create(Map.of());
  }

  /** Creates a topic with a setting. */
  static String create(String setting, String value) {
    return create(Map.of(setting, value));
  }

  private static String create(Map<String, String> settings) {
    String name = "published-" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet();
    broker().createTopic(name, 3, settings);
    return name;
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }

  static KafkaEvent event(int number) {
    return event("k%04d".formatted(number), "v" + number, number);
  }

  static KafkaEvent event(String key, String value, long sequence) {
    return KafkaEvent.of(bytes(key), value == null ? null : bytes(value), sequence);
  }

  /** Returns events {@code from} to {@code to - 1} of different keys. */
  static List<KafkaEvent> events(int from, int to) {
    return IntStream.range(from, to).mapToObj(Topics::event).toList();
  }

  /** Returns the committed records, partition by partition in the order of their offsets. */
  static List<ConsumerRecord<byte[], byte[]>> read(String topic) {
    return read(topic, "read_committed");
  }

  static List<ConsumerRecord<byte[], byte[]>> read(String topic, String isolation) {
    Map<String, Object> settings =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            broker().bootstrapServers(),
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            isolation,
            // A fetch at the end of one partition would hold up that of the next.
            ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
            10);
    List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
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
          consumer.poll(Duration.ofSeconds(1)).forEach(found::add);
        }
      }
    }
    return found;
  }

  /** Returns {@code key=value#sequence} of a record, for sequences that are numbers. */
  static String text(ConsumerRecord<byte[], byte[]> record) {
    long sequence = ByteBuffer.wrap(header(record, EventHeaders.SEQUENCE)).getLong();
    return text(record.key(), record.value(), sequence ^ Long.MIN_VALUE);
  }

  static String text(KafkaEvent event) {
    long sequence = ByteBuffer.wrap(event.sequence()).getLong();
    return text(event.key(), event.value(), sequence ^ Long.MIN_VALUE);
  }

  private static String text(byte[] key, byte[] value, long sequence) {
    return new String(key, UTF_8)
        + "="
        + (value == null ? "null" : new String(value, UTF_8))
        + "#"
        + sequence;
  }

  static byte[] header(ConsumerRecord<byte[], byte[]> record, String name) {
    return record.headers().lastHeader(name).value();
  }

  static String textOf(ConsumerRecord<byte[], byte[]> record, String name) {
    return new String(header(record, name), UTF_8);
  }

  static List<String> eventIds(List<ConsumerRecord<byte[], byte[]>> records) {
    return records.stream().map(each -> textOf(each, EventHeaders.EVENT_ID)).toList();
  }

  /** Checks that a reader of committed records finds each event once and nothing else. */
  static void assertHolds(String topic, List<KafkaEvent> events) {
    List<ConsumerRecord<byte[], byte[]>> records = read(topic);

    assertThat(
        records.stream().map(Topics::text).sorted().toList(),
        is(events.stream().map(Topics::text).sorted().toList()));
    assertThat(new TreeSet<>(eventIds(records)).size(), is(events.size()));
  }
}
