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
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.Set;
import org.apache.beam.sdk.io.BoundedSource;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.io.kafka.KafkaTimestampType;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.record.TimestampType;
import org.joda.time.Instant;

/**
 * Reads ranges with one consumer.
 *
 * <p>A range has ended when the consumer's position has reached its end. The offset of the last
 * record says nothing: markers, aborted records and compaction may leave none near the end.
 */
final class KafkaRangeReader extends BoundedSource.BoundedReader<KafkaRecord<byte[], byte[]>> {
  private static final Duration DIAGNOSIS = Duration.ofSeconds(5);
  private static final long LEAST_TIMESTAMP = BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis();
  private static final long GREATEST_TIMESTAMP = GlobalWindow.INSTANCE.maxTimestamp().getMillis();

  private final KafkaRangeSource source;

  /** The ranges not yet read to their end, and for each the offset to read next. */
  private final Map<TopicPartition, KafkaRange> unread = new HashMap<>();

  private final Map<TopicPartition, Long> positions = new HashMap<>();
  private final Queue<Fetched> fetched = new ArrayDeque<>();
  private Iterator<ConsumerRecord<byte[], byte[]>> records = Collections.emptyIterator();
  private long end;
  private ConsumerRecord<byte[], byte[]> current;
  private Consumer<byte[], byte[]> consumer;
  private Duration timeout;

  /** Whether the last use of the consumer did not come to its end. */
  private boolean broken;

  /** Records of one partition, in the order of their offsets, and the end of its range. */
  private record Fetched(Iterator<ConsumerRecord<byte[], byte[]>> records, long end) {}

  KafkaRangeReader(KafkaRangeSource source) {
    this.source = source;
  }

  @Override
  public boolean start() {
    for (KafkaRange range : source.ranges()) {
      if (range.size() > 0) {
        TopicPartition partition = new TopicPartition(range.topic(), range.partition());
        unread.put(partition, range);
        positions.put(partition, range.start());
      }
    }
    if (!unread.isEmpty()) {
      timeout = KafkaClients.timeout(source.config());
      consumer = ConsumerPool.shared().borrow(source.config());
      broken = true;
      consumer.assign(unread.keySet());
      positions.forEach(consumer::seek);
      broken = false;
    }
    return advance();
  }

  @Override
  public boolean advance() {
    while (true) {
      if (records.hasNext()) {
        ConsumerRecord<byte[], byte[]> next = records.next();
        if (next.offset() < end) {
          current = next;
          return true;
        }
        records = Collections.emptyIterator();
      } else if (!fetched.isEmpty()) {
        Fetched next = fetched.remove();
        records = next.records();
        end = next.end();
      } else if (!unread.isEmpty()) {
        fetch();
      } else {
        current = null;
        return false;
      }
    }
  }

  private void fetch() {
    broken = true;
    try {
      // Returns early only with records or a moved position, so one call is one time limit.
      ConsumerRecords<byte[], byte[]> polled = consumer.poll(timeout);
      for (TopicPartition partition : polled.partitions()) {
        fetched.add(new Fetched(polled.records(partition).iterator(), unread.get(partition).end()));
      }
      if (!moveOn() && polled.isEmpty()) {
        throw stalled();
      }
      broken = false;
    } catch (OffsetOutOfRangeException e) {
      throw outOfRange(e);
    } catch (ApiException e) {
      throw KafkaClients.explained(e, source.config(), timeout);
    }
  }

  /**
   * Takes over the consumer's positions and drops what was read to its end; false if none moved.
   */
  private boolean moveOn() {
    boolean moved = false;
    for (TopicPartition partition : Set.copyOf(unread.keySet())) {
      long position = consumer.position(partition, timeout);
      moved |= position != positions.put(partition, position);
      if (position >= unread.get(partition).end()) {
        unread.remove(partition);
        positions.remove(partition);
        consumer.pause(Set.of(partition));
      }
    }
    return moved;
  }

  private KafkaSourceException outOfRange(OffsetOutOfRangeException e) {
    Map.Entry<TopicPartition, Long> first =
        e.offsetOutOfRangePartitions().entrySet().iterator().next();
    TopicPartition partition = first.getKey();
    long wanted = first.getValue();
    long earliest = consumer.beginningOffsets(Set.of(partition), timeout).get(partition);
    if (wanted < earliest) {
      return KafkaErrors.outOfRetention(partition, wanted, earliest, e);
    }
    long logEnd = consumer.endOffsets(Set.of(partition), timeout).get(partition);
    return KafkaErrors.beyondEnd(partition, wanted, logEnd, e);
  }

  /** Finds out why nothing came: no broker, no topic, or nothing readable below the end. */
  private KafkaSourceException stalled() {
    TopicPartition partition = unread.keySet().iterator().next();
    long position = positions.get(partition);
    long wantedEnd = unread.get(partition).end();
    Duration limit = timeout.compareTo(DIAGNOSIS) < 0 ? timeout : DIAGNOSIS;
    try {
      Long stable = consumer.endOffsets(Set.of(partition), limit).get(partition);
      return KafkaErrors.stalled(partition, position, wantedEnd, stable.toString(), timeout);
    } catch (TimeoutException noAnswer) {
      try {
        if (!consumer.listTopics(limit).containsKey(partition.topic())) {
          return KafkaErrors.noTopic(partition.topic(), partition.partition(), noAnswer);
        }
      } catch (TimeoutException unreachable) {
        return KafkaErrors.unavailable(source.config().bootstrapServers(), timeout, unreachable);
      }
      return KafkaErrors.stalled(partition, position, wantedEnd, "unknown", timeout);
    }
  }

  @Override
  public KafkaRecord<byte[], byte[]> getCurrent() {
    ConsumerRecord<byte[], byte[]> record = record();
    return new KafkaRecord<>(
        record.topic(),
        record.partition(),
        record.offset(),
        record.timestamp(),
        type(record.timestampType()),
        record.headers(),
        record.key(),
        record.value());
  }

  private static KafkaTimestampType type(TimestampType type) {
    return switch (type) {
      case CREATE_TIME -> KafkaTimestampType.CREATE_TIME;
      case LOG_APPEND_TIME -> KafkaTimestampType.LOG_APPEND_TIME;
      case NO_TIMESTAMP_TYPE -> KafkaTimestampType.NO_TIMESTAMP_TYPE;
    };
  }

  @Override
  public Instant getCurrentTimestamp() {
    // Producers may set any time, and Beam takes less than a long holds.
    return Instant.ofEpochMilli(
        Math.max(LEAST_TIMESTAMP, Math.min(record().timestamp(), GREATEST_TIMESTAMP)));
  }

  private ConsumerRecord<byte[], byte[]> record() {
    if (current == null) {
      throw new NoSuchElementException();
    }
    return current;
  }

  @Override
  public KafkaRangeSource getCurrentSource() {
    return source;
  }

  @Override
  public void close() {
    if (consumer == null) {
      return;
    }
    Consumer<byte[], byte[]> done = consumer;
    consumer = null;
    if (broken) {
      ConsumerPool.shared().discard(done);
    } else {
      ConsumerPool.shared().giveBack(source.config(), done);
    }
  }
}
