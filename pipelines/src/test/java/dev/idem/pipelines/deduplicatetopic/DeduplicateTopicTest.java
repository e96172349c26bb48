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
package dev.idem.pipelines.deduplicatetopic;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;

import dev.idem.io.kafka.KafkaConfig;
import dev.idem.testing.KafkaBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.beam.runners.direct.DirectOptions;
import org.apache.beam.runners.direct.DirectRunner;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;

class DeduplicateTopicTest {

  private static final int KEYS = 300;
  private static final Duration LIMIT = Duration.ofMinutes(3);

  @Test
  void copiesAndConflictsOfATopicDoNotReachTheOther() throws Exception {
    KafkaBroker broker = KafkaBroker.shared();
    broker.createTopic("with-copies", 2, Map.of());
    broker.createTopic("without-copies", 1, Map.of());
    long now = System.currentTimeMillis();
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      records.add(record(i, "value " + i, now));
      records.add(record(i, "value " + i, now + 1));
    }
    broker.sendAll(records);
    DirectOptions options = PipelineOptionsFactory.create().as(DirectOptions.class);
    options.setRunner(DirectRunner.class);
    options.setBlockOnRun(false);
    Pipeline pipeline = Pipeline.create(options);
    DeduplicateTopic.build(
        pipeline,
        KafkaConfig.of(broker.bootstrapServers()),
        "with-copies",
        "without-copies",
        org.joda.time.Duration.standardMinutes(5));

    PipelineResult running = pipeline.run();
    List<ConsumerRecord<byte[], byte[]>> first;
    List<ConsumerRecord<byte[], byte[]>> all;
    try {
      first = read(broker, KEYS);
      // A conflict and a copy of what was let through, and a new key that shows they were read.
      broker.sendAll(
          List.of(
              record(0, "other value", now + 2),
              record(1, "value 1", now + 2),
              record(KEYS, "last", now + 3),
              record(KEYS + 1, "last", now + 3)));
      all = read(broker, KEYS + 2);
    } finally {
      running.cancel();
    }

    Map<String, String> expected = new TreeMap<>();
    for (int i = 0; i < KEYS; i++) {
      expected.put("key " + i, "value " + i);
    }
    assertThat(first.size(), equalTo(KEYS));
    assertThat(texts(first), equalTo(expected));
    expected.put("key " + KEYS, "last");
    expected.put("key " + (KEYS + 1), "last");
    assertThat(all.size(), equalTo(KEYS + 2));
    assertThat(texts(all), equalTo(expected));
  }

  private static ProducerRecord<byte[], byte[]> record(int key, String value, long timestamp) {
    return new ProducerRecord<>(
        "with-copies", key % 2, timestamp, bytes("key " + key), bytes(value));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Map<String, String> texts(List<ConsumerRecord<byte[], byte[]>> records) {
    Map<String, String> texts = new TreeMap<>();
    records.forEach(
        record ->
            texts.put(
                new String(record.key(), StandardCharsets.UTF_8),
                new String(record.value(), StandardCharsets.UTF_8)));
    return texts;
  }

  /** Reads the topic from its start until it holds so many records. */
  private static List<ConsumerRecord<byte[], byte[]>> read(KafkaBroker broker, int atLeast) {
    List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      TopicPartition partition = new TopicPartition("without-copies", 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long begun = System.nanoTime();
      while (found.size() < atLeast && System.nanoTime() - begun < LIMIT.toNanos()) {
        consumer.poll(Duration.ofMillis(200)).forEach(found::add);
      }
    }
    assertThat(found.size(), greaterThanOrEqualTo(atLeast));
    return found;
  }
}
