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

import dev.idem.io.kafka.KafkaClients;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Asks the brokers about a target's topics, and what they must do once. */
final class ProgressTopic implements AutoCloseable {

  /*
   * The log is read from its beginning when a batch is opened, and only closed segments are
   * compacted, so they are small: else a job of many small batches would read a gigabyte.
   */
  private static final Map<String, String> SETTINGS =
      Map.of(
          TopicConfig.CLEANUP_POLICY_CONFIG,
          TopicConfig.CLEANUP_POLICY_COMPACT,
          TopicConfig.SEGMENT_BYTES_CONFIG,
          String.valueOf(1 << 20),
          TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG,
          "0.1");

  private final PublishTarget target;
  private final Clock clock;
  private final Duration timeout;
  private final Admin admin;

  ProgressTopic(PublishTarget target, Clock clock) {
    this.target = target;
    this.clock = clock;
    this.timeout = KafkaClients.timeout(target.config());
    this.admin = KafkaClients.admin(target.config());
  }

  static TopicPartition partition(PublishTarget target) {
    return new TopicPartition(target.progressTopic(), 0);
  }

  /** Makes the topic if there is none, and refuses one that forgets. */
  void ensure() {
    if (describe(target.progressTopic()).isEmpty()) {
      create();
    }
    List<String> name = List.of(target.progressTopic());
    int partitions =
        awaitKnown(() -> admin.describeTopics(name).topicNameValues().get(target.progressTopic()))
            .partitions()
            .size();
    if (partitions != 1) {
      throw PublishErrors.partitions(target, partitions);
    }
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, target.progressTopic());
    Config config = awaitKnown(() -> admin.describeConfigs(List.of(topic)).values().get(topic));
    ConfigEntry policy = config.get(TopicConfig.CLEANUP_POLICY_CONFIG);
    if (!TopicConfig.CLEANUP_POLICY_COMPACT.equals(policy.value())) {
      throw PublishErrors.forgetful(target, policy.value());
    }
  }

  boolean exists() {
    return describe(target.progressTopic()).isPresent();
  }

  /** Returns the id of the topic that is published to. */
  String topicId() {
    return describe(target.topic())
        .orElseThrow(() -> PublishErrors.noTopic(target))
        .topicId()
        .toString();
  }

  /** Returns the end of the progress topic, records of open transactions included. */
  long end() {
    return end(IsolationLevel.READ_UNCOMMITTED);
  }

  /** Returns the end of the progress topic up to the first open transaction. */
  long stableEnd() {
    return end(IsolationLevel.READ_COMMITTED);
  }

  /** Ends the transactions of all shards, so that no earlier attempt commits any more. */
  void fence(int shards) {
    await(
        admin.fenceProducers(IntStream.range(0, shards).mapToObj(target::shardId).toList()).all());
  }

  private long end(IsolationLevel isolation) {
    TopicPartition partition = partition(target);
    return awaitKnown(
            () ->
                admin
                    .listOffsets(
                        Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(isolation))
                    .partitionResult(partition))
        .offset();
  }

  private void create() {
    NewTopic topic =
        new NewTopic(target.progressTopic(), Optional.of(1), Optional.empty()).configs(SETTINGS);
    try {
      get(admin.createTopics(List.of(topic)).all());
    } catch (ExecutionException e) {
      // Another run made it at the same time.
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw explained(e.getCause());
      }
    }
  }

  private Optional<TopicDescription> describe(String topic) {
    try {
      return Optional.of(get(admin.describeTopics(List.of(topic)).topicNameValues().get(topic)));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return Optional.empty();
      }
      throw explained(e.getCause());
    }
  }

  /**
   * Asks again while a broker does not know the progress topic: the controller answers before all
   * of them do. Each question is a round trip.
   */
  private <T> T awaitKnown(Supplier<KafkaFuture<T>> question) {
    Instant last = clock.instant().plus(timeout);
    while (true) {
      try {
        return get(question.get());
      } catch (ExecutionException e) {
        boolean unknown = e.getCause() instanceof UnknownTopicOrPartitionException;
        if (!unknown || clock.instant().isAfter(last)) {
          throw explained(e.getCause());
        }
      }
    }
  }

  private <T> T await(KafkaFuture<T> answer) {
    try {
      return get(answer);
    } catch (ExecutionException e) {
      throw explained(e.getCause());
    }
  }

  private <T> T get(KafkaFuture<T> answer) throws ExecutionException {
    try {
      // The client gives up by itself at the timeout; a little later it must have done so.
      return answer.get(2 * timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw KafkaClients.explained(
          new org.apache.kafka.common.errors.TimeoutException(e), target.config(), timeout);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  private RuntimeException explained(Throwable error) {
    return error instanceof ApiException told
        ? KafkaClients.explained(told, target.config(), timeout)
        : new IllegalStateException(
            "Kafka must answer with a result or an error of its own.", error);
  }

  @Override
  public void close() {
    admin.close(timeout);
  }
}
