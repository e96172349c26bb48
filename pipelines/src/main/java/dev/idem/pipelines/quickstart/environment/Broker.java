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
package dev.idem.pipelines.quickstart.environment;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.checkerframework.checker.nullness.qual.Nullable;

/** The broker of a quickstart, in its own process. */
public final class Broker implements AutoCloseable {

  /**
   * A record to send.
   *
   * @param value JSON, or what should have been; null for a record without a value
   */
  public record Message(int partition, String key, @Nullable String value) {}

  private final Process process;
  private final String address;
  private final Admin admin;

  private Broker(Server server) {
    this.process = server.process();
    this.address = server.said();
    this.admin = Admin.create(Map.of("bootstrap.servers", address));
  }

  /** Starts the broker and returns once it takes requests. */
  public static Broker start(Children children, Directory directory) throws IOException {
    Server server =
        Server.start(
            children,
            "broker",
            BrokerMain.READY,
            Jvm.likeThis(BrokerMain.class.getName(), List.of(directory.broker().toString()))
                .with("-Xmx384m"));
    return new Broker(server);
  }

  /** Returns its address on the loopback. */
  public String address() {
    return address;
  }

  /** Returns its process. */
  public long pid() {
    return process.pid();
  }

  /** Creates a topic. */
  public void createTopic(String topic, int partitions) {
    done(
        "create a topic",
        admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all());
  }

  /** Sends messages in their order, and returns how many the broker has acknowledged. */
  public long send(String topic, Iterable<Message> messages) {
    Map<String, Object> settings =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, address, ProducerConfig.LINGER_MS_CONFIG, 20);
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (Message message : messages) {
        sent.add(
            producer.send(
                new ProducerRecord<>(
                    topic, message.partition(), utf8(message.key()), utf8(message.value()))));
      }
    }
    sent.forEach(future -> done("take a record", future));
    return sent.size();
  }

  /** Returns how many records a topic holds, by the broker's own offsets. */
  public long records(String topic, int partitions) {
    return sum(topic, partitions, OffsetSpec.latest())
        - sum(topic, partitions, OffsetSpec.earliest());
  }

  private long sum(String topic, int partitions, OffsetSpec which) {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    for (int partition = 0; partition < partitions; partition++) {
      asked.put(new TopicPartition(topic, partition), which);
    }
    return done("tell its offsets", admin.listOffsets(asked).all()).values().stream()
        .mapToLong(ListOffsetsResultInfo::offset)
        .sum();
  }

  private static <T> T done(String what, Future<T> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw QuickstartErrors.kafka(what, e.getCause());
    } catch (InterruptedException e) {
      throw QuickstartErrors.interrupted(e);
    }
  }

  private static byte @Nullable [] utf8(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  /** Closes the client; the process is one of {@link Children}. */
  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
