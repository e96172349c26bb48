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
package dev.idem.pipelines.quickstart;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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

/** The broker of the quickstart, in its own process. */
final class Broker implements AutoCloseable {

  /**
   * A record to send.
   *
   * @param value JSON, or what should have been; null for a record without a value
   */
  record Message(int partition, String key, @Nullable String value) {}

  private final Process process;
  private final String address;
  private final Admin admin;

  private Broker(Process process, String address) {
    this.process = process;
    this.address = address;
    this.admin = Admin.create(Map.of("bootstrap.servers", address));
  }

  /** Starts the broker and returns once it takes requests. */
  static Broker start(Children children, Directory directory) throws IOException {
    Process process =
        children.start(
            "broker",
            Redirect.PIPE,
            List.of("-Xmx384m"),
            BrokerMain.class.getName(),
            directory.broker().toString());
    CompletableFuture<String> ready = new CompletableFuture<>();
    Thread reader = new Thread(() -> read(process, ready), "quickstart-broker-output");
    reader.setDaemon(true);
    reader.start();
    try {
      return new Broker(process, ready.get());
    } catch (ExecutionException e) {
      throw QuickstartErrors.brokerNotReady(directory.log("broker"));
    } catch (InterruptedException e) {
      throw QuickstartErrors.interrupted(e);
    }
  }

  /** Reads on to the end, so that the broker never waits for a reader. */
  private static void read(Process process, CompletableFuture<String> ready) {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(BrokerMain.READY)) {
          ready.complete(line.substring(BrokerMain.READY.length()));
        }
      }
      ready.completeExceptionally(new IOException("Output ended."));
    } catch (IOException e) {
      ready.completeExceptionally(e);
    }
  }

  String address() {
    return address;
  }

  long pid() {
    return process.pid();
  }

  void createTopic(String topic, int partitions) {
    done(
        "create a topic",
        admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all());
  }

  /** Sends messages in their order, and returns how many the broker has acknowledged. */
  long send(String topic, Iterable<Message> messages) {
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
  long records(String topic, int partitions) {
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
