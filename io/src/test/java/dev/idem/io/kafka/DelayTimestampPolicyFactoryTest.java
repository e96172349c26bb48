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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.KafkaBroker;
import dev.idem.testing.RunnerUnderTest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.io.kafka.KafkaIO;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.io.kafka.KafkaTimestampType;
import org.apache.beam.sdk.io.kafka.TimestampPolicy;
import org.apache.beam.sdk.metrics.MetricNameFilter;
import org.apache.beam.sdk.metrics.MetricResult;
import org.apache.beam.sdk.metrics.MetricsFilter;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Values;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.util.SerializableUtils;
import org.apache.beam.sdk.values.PCollection;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DelayTimestampPolicyFactoryTest {
  private static final Instant NOW = Instant.parse("2026-01-10T10:12:00Z");
  private static final Clock CLOCK =
      Clock.fixed(java.time.Instant.ofEpochMilli(NOW.getMillis()), ZoneOffset.UTC);
  private static final DelayTimestampPolicyFactory<String, String> FACTORY =
      DelayTimestampPolicyFactory.<String, String>of(Duration.standardMinutes(1)).withClock(CLOCK);

  @Test
  void delayDecidesTheWatermark() {
    TimestampPolicy<String, String> policy = policy(FACTORY);
    Instant start = policy.getWatermark(backlog(3));

    Instant time = policy.getTimestampForRecord(backlog(2), record("2026-01-10T10:00:00Z"));

    assertThat(start, equalTo(BoundedWindow.TIMESTAMP_MIN_VALUE));
    assertThat(time, equalTo(Instant.parse("2026-01-10T10:00:00Z")));
    assertThat(policy.getWatermark(backlog(2)), equalTo(Instant.parse("2026-01-10T09:59:00Z")));
  }

  @Test
  void partitionWithABacklogHoldsTheWatermark() {
    TimestampPolicy<String, String> policy = policy(FACTORY.withIdleAfter(Duration.ZERO));
    policy.getTimestampForRecord(backlog(1), record("2026-01-10T10:00:00Z"));
    Instant unread = policy.getWatermark(backlog(1));
    Instant unknown = policy.getWatermark(backlog(-1));

    Instant idle = policy.getWatermark(backlog(0));

    assertThat(unread, equalTo(Instant.parse("2026-01-10T09:59:00Z")));
    assertThat(unknown, equalTo(Instant.parse("2026-01-10T09:59:00Z")));
    assertThat(idle, equalTo(Instant.parse("2026-01-10T10:11:00Z")));
  }

  @Test
  void idleTimeDecidesWhenASilentPartitionStopsHolding() {
    TimestampPolicy<String, String> policy =
        policy(FACTORY.withIdleAfter(Duration.standardSeconds(1)));
    policy.getTimestampForRecord(backlog(0), record("2026-01-10T10:00:00Z"));

    assertThat(policy.getWatermark(backlog(0)), equalTo(Instant.parse("2026-01-10T09:59:00Z")));
  }

  @Test
  void skewDecidesWhichRecordsMoveTheWatermark() {
    TimestampPolicy<String, String> strict = policy(FACTORY);
    TimestampPolicy<String, String> lenient =
        policy(FACTORY.withMaxFutureSkew(Duration.standardDays(2)));

    Instant time = strict.getTimestampForRecord(backlog(1), record("2026-01-11T10:00:00Z"));
    lenient.getTimestampForRecord(backlog(1), record("2026-01-11T10:00:00Z"));

    assertThat(time, equalTo(Instant.parse("2026-01-11T10:00:00Z")));
    assertThat(strict.getWatermark(backlog(1)), equalTo(BoundedWindow.TIMESTAMP_MIN_VALUE));
    assertThat(lenient.getWatermark(backlog(1)), equalTo(Instant.parse("2026-01-11T09:59:00Z")));
  }

  @Test
  void restoredWatermarkIsNotGoneBelow() {
    Instant restored = Instant.parse("2026-01-10T10:05:00Z");
    TimestampPolicy<String, String> policy =
        FACTORY.createTimestampPolicy(new TopicPartition("t", 0), Optional.of(restored));

    policy.getTimestampForRecord(backlog(1), record("2026-01-10T10:01:00Z"));

    assertThat(policy.getWatermark(backlog(1)), equalTo(restored));
  }

  @Test
  void recordWithoutEventTimeIsNamed() {
    TimestampPolicy<String, String> policy = policy(FACTORY.withEventTime(record -> null));

    var e =
        assertThrows(
            MissingEventTimeException.class,
            () -> policy.getTimestampForRecord(backlog(1), record("2026-01-10T10:00:00Z")));

    assertThat(
        e.getMessage(),
        equalTo(
            "Record 17 of \"t-0\" must have an event time, but was: none. Let the event time function give one for every record."));
  }

  @Test
  void negativeTimesAndClocksThatCannotTravelAreRefused() {
    Duration negative = Duration.millis(-1);
    Clock stuck = new NotSerializableClock();

    assertThrows(IllegalArgumentException.class, () -> DelayTimestampPolicyFactory.of(negative));
    assertThrows(IllegalArgumentException.class, () -> FACTORY.withIdleAfter(negative));
    assertThrows(IllegalArgumentException.class, () -> FACTORY.withMaxFutureSkew(negative));
    var e = assertThrows(IllegalArgumentException.class, () -> FACTORY.withClock(stuck));
    assertThat(
        e.getMessage(),
        equalTo(
            "Clock must be serializable, but was: %s. Use one of java.time.Clock."
                .formatted(NotSerializableClock.class.getName())));
    SerializableUtils.ensureSerializable(FACTORY);
  }

  /** DEV-03, with KafkaIO's own reader and clients made by the settings. */
  @Test
  void recordADayAheadIsReadOnceAndCounted(@TempDir Path directory) throws Exception {
    KafkaBroker broker = KafkaBroker.shared();
    broker.createTopic("skewed", 1, Map.of());
    broker.createTopic("copied", 1, Map.of());
    List<String> ids = new ArrayList<>();
    send(broker, ids, "h00", "2026-01-10T10:00:00Z");
    send(broker, ids, "bad1", "2026-01-11T10:00:00Z");
    for (int i = 1; i <= 10; i++) {
      send(broker, ids, "h%02d".formatted(i), "2026-01-10T10:%02d:00Z".formatted(i + 1));
    }
    Path password = Files.writeString(directory.resolve("password"), KafkaBroker.SASL_PASSWORD);
    KafkaConfig config =
        KafkaConfig.of(broker.saslBootstrapServers())
            .with("security.protocol", "SASL_PLAINTEXT")
            .with("sasl.mechanism", "PLAIN")
            .with("auto.offset.reset", "earliest")
            .with(
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"${file:%s}\";"
                    .formatted(KafkaBroker.SASL_USER, password));

    Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
    PCollection<String> values =
        pipeline
            .apply(
                KafkaIO.<String, String>read()
                    .withBootstrapServers(broker.saslBootstrapServers())
                    .withTopic("skewed")
                    .withKeyDeserializer(StringDeserializer.class)
                    .withValueDeserializer(StringDeserializer.class)
                    .withConsumerFactoryFn(config.consumerFactory())
                    .withTimestampPolicyFactory(FACTORY)
                    .withMaxNumRecords(12)
                    .withoutMetadata())
            .apply(Values.create());
    PAssert.that(values).containsInAnyOrder(ids);
    values.apply(
        KafkaIO.<Void, String>write()
            .withBootstrapServers(broker.saslBootstrapServers())
            .withTopic("copied")
            .withValueSerializer(StringSerializer.class)
            .withProducerFactoryFn(config.producerFactory())
            .values());
    PipelineResult result = pipeline.run();
    result.waitUntilFinish();

    assertThat(counted(result), equalTo(List.of(1L)));
    assertThat(
        Records.readHere(new KafkaRange("copied", 0, 0, 12)).stream()
            .map(text -> text.replaceAll(".*='(.*)'", "$1"))
            .sorted()
            .toList(),
        equalTo(ids.stream().sorted().toList()));
  }

  private static void send(KafkaBroker broker, List<String> ids, String id, String time) {
    ids.add(id);
    broker.send(
        new ProducerRecord<>(
            "skewed",
            0,
            Instant.parse(time).getMillis(),
            new byte[0],
            id.getBytes(StandardCharsets.UTF_8)));
  }

  private static List<Long> counted(PipelineResult result) {
    List<Long> counts = new ArrayList<>();
    for (MetricResult<Long> counter :
        result
            .metrics()
            .queryMetrics(
                MetricsFilter.builder()
                    .addNameFilter(
                        MetricNameFilter.named(
                            DelayTimestampPolicyFactory.class,
                            DelayTimestampPolicyFactory.BEYOND_FUTURE_SKEW))
                    .build())
            .getCounters()) {
      counts.add(counter.getAttempted());
    }
    return counts;
  }

  private static TimestampPolicy<String, String> policy(
      DelayTimestampPolicyFactory<String, String> factory) {
    return factory.createTimestampPolicy(new TopicPartition("t", 0), Optional.empty());
  }

  private static KafkaRecord<String, String> record(String time) {
    return new KafkaRecord<>(
        "t",
        0,
        17,
        Instant.parse(time).getMillis(),
        KafkaTimestampType.CREATE_TIME,
        new RecordHeaders(),
        "k",
        "v");
  }

  private static TimestampPolicy.PartitionContext backlog(long messages) {
    return new TimestampPolicy.PartitionContext() {
      @Override
      public long getMessageBacklog() {
        return messages;
      }

      @Override
      public Instant getBacklogCheckTime() {
        return NOW;
      }
    };
  }

  private static final class NotSerializableClock extends Clock {
    @Override
    public java.time.ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(java.time.ZoneId zone) {
      return this;
    }

    @Override
    public java.time.Instant instant() {
      return java.time.Instant.EPOCH;
    }
  }
}
