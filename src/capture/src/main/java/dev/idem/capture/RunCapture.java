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
package dev.idem.capture;

import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Runs Debezium's connector for PostgreSQL into a Kafka broker until standard input ends, or the
 * connector does.
 *
 * <p>At least once: an event counts as captured when the broker has acknowledged it and all before
 * it. After a restart the events since the last offsets that were kept are sent again.
 */
public final class RunCapture {

  private final KafkaProducer<byte[], byte[]> producer;

  private RunCapture(String broker) {
    this.producer =
        new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                broker,
                // Every record has its schema, mostly the same.
                ProducerConfig.COMPRESSION_TYPE_CONFIG,
                "gzip"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  /**
   * Runs the connector.
   *
   * @param arguments the broker, the port of PostgreSQL, the connector's name, its tables,
   *     separated by commas, and the file that keeps its offsets
   */
  public static void main(String[] arguments) throws IOException {
    Properties properties =
        Servers.connector(arguments[2], Integer.parseInt(arguments[1]), arguments[3]);
    properties.put("offset.storage", "org.apache.kafka.connect.storage.KafkaOffsetBackingStore");
    properties.put("bootstrap.servers", arguments[0]);
    properties.put("offset.storage.topic", arguments[2] + ".offsets");
    properties.put("offset.storage.partitions", "1");
    properties.put("offset.storage.replication.factor", "1");
    properties.put("offset.flush.interval.ms", "1000");
    // Without schemas nobody could tell the columns' types.
    properties.put("key.converter.schemas.enable", "true");
    properties.put("value.converter.schemas.enable", "true");
    RunCapture capture = new RunCapture(arguments[0]);
    DebeziumEngine<ChangeEvent<String, String>> engine =
        DebeziumEngine.create(Json.class)
            .using(properties)
            .using((success, message, error) -> end(message, error))
            .notifying(capture::send)
            .build();
    Executors.newSingleThreadExecutor().execute(engine);
    Servers.awaitEndOfInput();
    Runtime.getRuntime().halt(0);
  }

  private static void end(String message, Throwable error) {
    System.err.println("Connector must run until it is ended, but did not: " + message);
    if (error != null) {
      error.printStackTrace();
    }
    Runtime.getRuntime().halt(1);
  }

  private void send(
      List<ChangeEvent<String, String>> events,
      DebeziumEngine.RecordCommitter<ChangeEvent<String, String>> committer)
      throws InterruptedException {
    List<Future<RecordMetadata>> sent = new ArrayList<>(events.size());
    for (ChangeEvent<String, String> event : events) {
      sent.add(
          producer.send(
              new ProducerRecord<>(event.destination(), utf8(event.key()), utf8(event.value()))));
    }
    producer.flush();
    for (Future<RecordMetadata> each : sent) {
      try {
        each.get();
      } catch (ExecutionException e) {
        throw new IllegalStateException("Broker must take every event, but did not.", e);
      }
    }
    for (ChangeEvent<String, String> event : events) {
      committer.markProcessed(event);
    }
    committer.markBatchFinished();
  }

  private static byte[] utf8(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }
}
