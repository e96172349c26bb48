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

import dev.idem.io.kafka.KafkaConfig;
import dev.idem.transforms.external.IdempotencyKey;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * Where a sink publishes to, and under which name.
 *
 * @param config how the cluster is reached
 * @param application names the application; stable over restarts, without {@code /}
 * @param sink names the sink among several of the application, without {@code /}
 * @param topic the topic
 * @param progressTopic the compacted topic that remembers batches
 * @param transactionTimeout how long a transaction may be open
 */
public record PublishTarget(
    KafkaConfig config,
    String application,
    String sink,
    String topic,
    String progressTopic,
    Duration transactionTimeout)
    implements Serializable {

  static final String DEFAULT_SINK = "main";
  static final String PROGRESS_SUFFIX = ".idem-progress";
  static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(1);
  private static final String SEPARATOR = "/";

  /** Checks that every name can be told from others. */
  public PublishTarget {
    name("Application id", application);
    name("Sink name", sink);
    name("Topic", topic);
    name("Progress topic", progressTopic);
    if (topic.equals(progressTopic)) {
      throw PublishErrors.sameTopic(topic);
    }
    if (transactionTimeout.compareTo(Duration.ofMillis(1)) < 0) {
      throw PublishErrors.timeout(transactionTimeout);
    }
  }

  /** Returns a target with the defaults: sink {@code main}, {@code TOPIC.idem-progress}, 1 min. */
  public static PublishTarget of(KafkaConfig config, String application, String topic) {
    return new PublishTarget(
        config, application, DEFAULT_SINK, topic, topic + PROGRESS_SUFFIX, DEFAULT_TIMEOUT);
  }

  static String name(String thing, String name) {
    if (name.isBlank() || name.contains(SEPARATOR)) {
      throw PublishErrors.name(thing, name);
    }
    return name;
  }

  /**
   * Returns what names this sink on this topic: {@code application/sink/topic}. It is the key of
   * its plan in the progress topic, the transactional id of whoever writes that, and the namespace
   * of its event ids.
   */
  public String id() {
    return String.join(SEPARATOR, application, sink, topic);
  }

  /** Returns the key of a shard's record and the transactional id of its writer. */
  String shardId(int shard) {
    return id() + SEPARATOR + shard;
  }

  /** Returns the sink id as other targets have it. */
  public String sinkId() {
    return application + SEPARATOR + sink;
  }

  /** Returns the sink id of a plan's key, empty if it is a shard's or of another topic. */
  Optional<String> sinkId(String key) {
    List<String> names = List.of(key.split(SEPARATOR, -1));
    return names.size() == 3 && names.get(2).equals(topic)
        ? Optional.of(names.get(0) + SEPARATOR + names.get(1))
        : Optional.empty();
  }

  String eventId(KafkaEvent event) {
    return IdempotencyKey.of(id(), event.key(), event.sequence());
  }

  ProducerRecord<byte[], byte[]> record(KafkaEvent event, OptionalLong batch) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            topic,
            null,
            event.timestamp() == null ? null : event.timestamp().getMillis(),
            event.key(),
            event.value());
    for (KafkaEvent.Header header : event.headers()) {
      record.headers().add(new RecordHeader(header.name(), header.value()));
    }
    add(record, EventHeaders.EVENT_ID, utf8(eventId(event)));
    batch.ifPresent(id -> add(record, EventHeaders.BATCH_ID, utf8(Long.toString(id))));
    add(record, EventHeaders.SEQUENCE, event.sequence());
    add(record, EventHeaders.APPLICATION_ID, utf8(application));
    return record;
  }

  static long size(KafkaEvent event) {
    long size = (long) event.key().length + event.sequence().length;
    size += event.value() == null ? 0 : event.value().length;
    for (KafkaEvent.Header header : event.headers()) {
      size += header.name().length();
      size += header.value() == null ? 0 : header.value().length;
    }
    return size;
  }

  private static void add(ProducerRecord<byte[], byte[]> record, String name, byte[] value) {
    record.headers().add(new RecordHeader(name, value));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
