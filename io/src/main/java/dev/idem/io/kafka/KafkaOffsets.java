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
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * What a planner needs to know of a cluster: its identity, its topics and where their logs begin
 * and end. It is used on the driver by one thread at a time.
 *
 * <p><b>State and cost.</b> One administration client; a consumer for each check for truncation.
 * Every call takes one round trip or two, for all partitions at once, and ends within {@code
 * default.api.timeout.ms} (60 s).
 *
 * <p><b>Errors.</b> {@link KafkaUnavailableException}, {@link KafkaAccessException}, {@link
 * TopicNotFoundException}, {@link KafkaSettingException}.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * try (KafkaOffsets offsets = KafkaOffsets.connect(KafkaConfig.of("localhost:9092"))) {
 *   var partitions = offsets.partitions(Set.of("orders"));
 *   var ends = offsets.lastStable(partitions);
 * }
 * }</pre>
 */
public final class KafkaOffsets implements AutoCloseable {
  private final KafkaConfig config;
  private final Duration timeout;
  private final Admin admin;

  private KafkaOffsets(KafkaConfig config) {
    this.config = config;
    this.timeout = KafkaClients.timeout(config);
    this.admin = KafkaClients.admin(config);
  }

  /** Returns a view of a cluster; nothing is asked before the first question. */
  public static KafkaOffsets connect(KafkaConfig config) {
    return new KafkaOffsets(config);
  }

  /** Returns the id that the cluster was given when it was set up. */
  public String clusterId() {
    return await(admin.describeCluster().clusterId(), "", -1);
  }

  /** Returns each topic's id, which is another one once a topic was deleted and created again. */
  public SortedMap<String, String> topicIds(Collection<String> topics) {
    SortedMap<String, String> ids = new TreeMap<>();
    describe(topics).forEach((name, topic) -> ids.put(name, topic.topicId().toString()));
    return ids;
  }

  /** Returns the number of partitions of each topic; they are numbered from 0. */
  public SortedMap<String, Integer> partitionCounts(Collection<String> topics) {
    SortedMap<String, Integer> counts = new TreeMap<>();
    describe(topics).forEach((name, topic) -> counts.put(name, topic.partitions().size()));
    return counts;
  }

  /** Returns the partitions of the topics. */
  public Set<TopicPartition> partitions(Collection<String> topics) {
    Set<TopicPartition> partitions = new LinkedHashSet<>();
    partitionCounts(topics)
        .forEach(
            (topic, count) -> {
              for (int partition = 0; partition < count; partition++) {
                partitions.add(new TopicPartition(topic, partition));
              }
            });
    return partitions;
  }

  /** Returns the first offset that each partition still has. */
  public Map<TopicPartition, Long> earliest(Collection<TopicPartition> partitions) {
    return offsets(partitions, OffsetSpec.earliest(), ListOffsetsResultInfo::offset);
  }

  /**
   * Returns the offset behind the last one that can be read in each partition: the first offset of
   * the oldest open transaction, else the end of the log. With it comes the leader epoch of the
   * answer, which {@link #checkNotTruncated} takes later; no record below the offset has a greater
   * one.
   */
  public Map<TopicPartition, StableOffset> lastStable(Collection<TopicPartition> partitions) {
    return offsets(
        partitions,
        OffsetSpec.latest(),
        found -> new StableOffset(found.offset(), found.leaderEpoch().orElse(-1)));
  }

  /**
   * Returns the offset of the first record in each partition whose timestamp is at or after an
   * instant; the last stable offset where there is none.
   */
  public Map<TopicPartition, Long> atOrAfter(
      Collection<TopicPartition> partitions, Instant instant) {
    Map<TopicPartition, StableOffset> ends = lastStable(partitions);
    Map<TopicPartition, Long> found =
        offsets(
            partitions,
            OffsetSpec.forTimestamp(instant.toEpochMilli()),
            ListOffsetsResultInfo::offset);
    found.replaceAll((partition, offset) -> offset < 0 ? ends.get(partition).offset() : offset);
    return found;
  }

  /**
   * Checks that no log lost records below a known offset. The broker is asked where the leader
   * epoch of the offset ends in its log; an end below the offset means that a later leader replaced
   * records, or that the log lost its tail. A newer epoch alone is no error. Offsets without a
   * leader epoch are not checked.
   *
   * @throws LogTruncatedException if a log no longer continues what was read
   */
  public void checkNotTruncated(Map<TopicPartition, StableOffset> known) {
    Map<TopicPartition, StableOffset> checked = new HashMap<>(known);
    checked.values().removeIf(offset -> offset.leaderEpoch() < 0);
    if (checked.isEmpty()) {
      return;
    }
    try (Consumer<byte[], byte[]> consumer = KafkaClients.consumer(config)) {
      consumer.assign(checked.keySet());
      // A position is only checked against a leader that the client knows, so it asks one first.
      consumer.endOffsets(checked.keySet(), timeout);
      checked.forEach(
          (partition, offset) ->
              consumer.seek(
                  partition,
                  new OffsetAndMetadata(offset.offset(), Optional.of(offset.leaderEpoch()), "")));
      for (TopicPartition partition : checked.keySet()) {
        // Waits until the broker has confirmed the position under its epoch.
        consumer.position(partition, timeout);
      }
    } catch (LogTruncationException e) {
      throw truncated(e, checked);
    } catch (ApiException e) {
      throw KafkaClients.explained(e, config, timeout);
    }
  }

  private static LogTruncatedException truncated(
      LogTruncationException e, Map<TopicPartition, StableOffset> checked) {
    TopicPartition first = e.offsetOutOfRangePartitions().keySet().iterator().next();
    OffsetAndMetadata divergent = e.divergentOffsets().get(first);
    return KafkaErrors.truncated(
        first, checked.get(first), divergent == null ? -1 : divergent.offset(), e);
  }

  @Override
  public void close() {
    admin.close(timeout);
  }

  private Map<String, TopicDescription> describe(Collection<String> topics) {
    Map<String, KafkaFuture<TopicDescription>> asked =
        admin.describeTopics(topics).topicNameValues();
    Map<String, TopicDescription> answers = new HashMap<>();
    asked.forEach((topic, answer) -> answers.put(topic, await(answer, topic, -1)));
    return answers;
  }

  private <T> Map<TopicPartition, T> offsets(
      Collection<TopicPartition> partitions,
      OffsetSpec spec,
      Function<ListOffsetsResultInfo, T> take) {
    Map<TopicPartition, OffsetSpec> question = new HashMap<>();
    partitions.forEach(partition -> question.put(partition, spec));
    var asked = admin.listOffsets(question, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED));
    Map<TopicPartition, T> answers = new HashMap<>();
    for (TopicPartition partition : question.keySet()) {
      answers.put(
          partition,
          take.apply(
              await(asked.partitionResult(partition), partition.topic(), partition.partition())));
    }
    return answers;
  }

  private <T> T await(KafkaFuture<T> answer, String topic, int partition) {
    try {
      // The client gives up by itself at the timeout; a little later it must have done so.
      return answer.get(2 * timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException && !topic.isEmpty()) {
        throw KafkaErrors.noTopic(topic, partition, e.getCause());
      }
      if (e.getCause() instanceof ApiException told) {
        throw KafkaClients.explained(told, config, timeout);
      }
      throw KafkaErrors.unavailable(config.bootstrapServers(), timeout, e.getCause());
    } catch (java.util.concurrent.TimeoutException e) {
      throw KafkaErrors.unavailable(config.bootstrapServers(), timeout, e);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }
}
