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
import org.apache.kafka.common.TopicPartition;

/** The one place that words what can go wrong while Kafka is read. */
final class KafkaErrors {
  private KafkaErrors() {}

  static OffsetOutOfRetentionException outOfRetention(
      TopicPartition partition, long wanted, long earliest, Throwable cause) {
    return new OffsetOutOfRetentionException(
        "Offset to read of \"%s\" must be at least the earliest one the broker has (%d), but was: %d. %d offsets are gone; restore them, or decide to go on without them."
            .formatted(partition, earliest, wanted, earliest - wanted),
        partition.topic(),
        partition.partition(),
        wanted,
        earliest,
        cause);
  }

  static OffsetBeyondEndException beyondEnd(
      TopicPartition partition, long wanted, long logEnd, Throwable cause) {
    return new OffsetBeyondEndException(
        "Offset to read of \"%s\" must be at most the end of the log (%d), but was: %d. Check whether the topic was created again or lost records."
            .formatted(partition, logEnd, wanted),
        partition.topic(),
        partition.partition(),
        wanted,
        logEnd,
        cause);
  }

  static LogTruncatedException truncated(
      TopicPartition partition, StableOffset known, long divergence, Throwable cause) {
    return new LogTruncatedException(
        "Log of \"%s\" must continue what was read up to offset %d under leader epoch %d, but was: truncated%s. Records that were read are no longer in it; compare the targets with the topic before going on."
            .formatted(
                partition,
                known.offset(),
                known.leaderEpoch(),
                divergence < 0 ? "" : " at offset " + divergence),
        partition.topic(),
        partition.partition(),
        known.offset(),
        known.leaderEpoch(),
        divergence,
        cause);
  }

  static RangeStalledException stalled(
      TopicPartition partition, long position, long end, String stable, Duration timeout) {
    return new RangeStalledException(
        "Range of \"%s\" must be readable up to offset %d within %s, but was: stuck at offset %d (last stable offset: %s). End the range at the last stable offset, or end the open transaction."
            .formatted(partition, end, timeout, position, stable),
        partition.topic(),
        partition.partition(),
        position,
        end,
        timeout,
        null);
  }

  static KafkaUnavailableException unavailable(
      String bootstrapServers, Duration timeout, Throwable cause) {
    return new KafkaUnavailableException(
        "Kafka cluster must answer within %s, but was: unreachable at \"%s\". Check the address, the network and that a broker runs."
            .formatted(timeout, bootstrapServers),
        bootstrapServers,
        timeout,
        cause);
  }

  static KafkaAccessException refused(String bootstrapServers, Throwable cause) {
    return new KafkaAccessException(
        "Kafka cluster must accept the client, but was: \"%s\" answered %s. Check the user, its permissions and the security settings."
            .formatted(bootstrapServers, cause.getClass().getSimpleName()),
        bootstrapServers,
        cause);
  }

  static TopicNotFoundException noTopic(String topic, int partition, Throwable cause) {
    return new TopicNotFoundException(
        "Topic \"%s\" must exist%s, but was: not found. Check its name and the cluster."
            .formatted(topic, partition < 0 ? "" : " with partition " + partition),
        topic,
        partition,
        cause);
  }

  static MissingEventTimeException noEventTime(String topic, int partition, long offset) {
    return new MissingEventTimeException(
        "Record %d of \"%s-%d\" must have an event time, but was: none. Let the event time function give one for every record."
            .formatted(offset, topic, partition),
        topic,
        partition,
        offset);
  }

  static KafkaSettingException noEnvironment(String setting, String name) {
    return new KafkaSettingException(
        "Kafka setting \"%s\" must refer to an environment variable that is set, but was: \"${env:%s}\". Set it where the clients are created, on every worker."
            .formatted(setting, name),
        setting,
        null);
  }

  static KafkaSettingException noFile(String setting, String path, Throwable cause) {
    return new KafkaSettingException(
        "Kafka setting \"%s\" must refer to a readable file, but was: \"${file:%s}\". Put it where the clients are created, on every worker."
            .formatted(setting, path),
        setting,
        cause);
  }

  static KafkaSettingException noSettingsFile(String path, Throwable cause) {
    return new KafkaSettingException(
        "Kafka settings file must be readable, but was: \"%s\". Put it at the same path on every worker."
            .formatted(path),
        path,
        cause);
  }

  static KafkaSettingException notAllowed(String setting, String rule, String purpose) {
    return new KafkaSettingException(
        "Kafka setting \"%s\" must be %s for %s, but was: something else. Leave it out."
            .formatted(setting, rule, purpose),
        setting,
        null);
  }

  static KafkaSettingException unusable(String setting, String told) {
    // Without a cause: the messages of Kafka's exceptions quote the values of settings.
    return new KafkaSettingException(
        "Kafka setting \"%s\" must be accepted by the client, but was: refused (%s). Correct it; values are not shown."
            .formatted(setting, told),
        setting,
        null);
  }
}
