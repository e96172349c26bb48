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

import dev.idem.io.kafka.KafkaClients;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;

/** Reads committed records of a progress topic, from an offset on, as far as it is told. */
final class ProgressReader implements AutoCloseable {

  private static final Duration MARGIN = Duration.ofSeconds(30);

  private final PublishTarget target;
  private final Clock clock;
  private final Consumer<byte[], byte[]> consumer;
  private final TopicPartition partition;
  private final Map<String, ConsumerRecord<byte[], byte[]>> latest = new HashMap<>();

  private ProgressReader(PublishTarget target, Clock clock) {
    this.target = target;
    this.clock = clock;
    this.partition = ProgressTopic.partition(target);
    this.consumer = KafkaClients.consumer(target.config());
  }

  static ProgressReader from(PublishTarget target, long offset, Clock clock) {
    ProgressReader reader = new ProgressReader(target, clock);
    reader.consumer.assign(List.of(reader.partition));
    reader.consumer.seek(reader.partition, offset);
    return reader;
  }

  /**
   * Reads on until the position is at least {@code end}. A consumer of committed records stops at
   * the first open transaction; what is behind it counts too, so this waits until that has ended,
   * at most for as long as a transaction may last.
   */
  void readTo(long end) {
    Duration limit = target.transactionTimeout().plus(MARGIN);
    Instant start = clock.instant();
    Duration timeout = KafkaClients.timeout(target.config());
    try {
      while (consumer.position(partition, timeout) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          latest.put(new String(record.key(), UTF_8), record);
        }
        if (clock.instant().isAfter(start.plus(limit))) {
          throw PublishErrors.stuck(target, consumer.position(partition, timeout), end, limit);
        }
      }
    } catch (ApiException e) {
      throw KafkaClients.explained(e, target.config(), timeout);
    }
  }

  /** Returns the record of the sink's last batch. */
  Optional<BatchRecord> batch() {
    return batch(target.id());
  }

  /** Returns the records of the last batches of all sinks of the topic, by application and sink. */
  Map<String, BatchRecord> batches() {
    Map<String, BatchRecord> batches = new TreeMap<>();
    for (String key : latest.keySet()) {
      target.sinkId(key).ifPresent(sink -> batch(key).ifPresent(batch -> batches.put(sink, batch)));
    }
    return batches;
  }

  private Optional<BatchRecord> batch(String key) {
    ConsumerRecord<byte[], byte[]> found = latest.get(key);
    if (found == null) {
      return Optional.empty();
    }
    try {
      BatchRecord record = ProgressCodec.batch(found.value());
      return Optional.of(record.since() < 0 ? record.withSince(found.offset()) : record);
    } catch (IOException | RuntimeException e) {
      throw PublishErrors.damaged(target, key, e.getMessage(), e);
    }
  }

  /** Returns the record of a shard. */
  Optional<ShardRecord> shard(int shard) {
    String key = target.shardId(shard);
    ConsumerRecord<byte[], byte[]> found = latest.get(key);
    if (found == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(ProgressCodec.shard(found.value()));
    } catch (IOException | RuntimeException e) {
      throw PublishErrors.damaged(target, key, e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    consumer.close(Duration.ofSeconds(5));
  }
}
