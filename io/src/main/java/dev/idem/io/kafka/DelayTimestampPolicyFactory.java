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

import com.google.auto.value.AutoValue;
import java.io.Serializable;
import java.time.Clock;
import java.util.Optional;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.io.kafka.TimestampPolicy;
import org.apache.beam.sdk.io.kafka.TimestampPolicyFactory;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.kafka.common.TopicPartition;
import org.joda.time.Duration;
import org.joda.time.Instant;

/**
 * Event times and a watermark for {@code KafkaIO}: in each partition the greatest event time so far
 * less a delay, never going back; Beam takes the least over the partitions.
 *
 * <p><b>Guarantee.</b> A record stamped further ahead of the clock than {@linkplain
 * #withMaxFutureSkew the skew allowed} does not move the watermark at all, so one fast clock makes
 * no honest record late; the record itself goes on and is counted by the metric {@code
 * beyondFutureSkew}. A partition with unread records holds the watermark. One that was fully read
 * for {@linkplain #withIdleAfter a while}, or never had a record, follows the clock less the delay
 * instead, so that it does not hold back the others; a record that comes to it later with an older
 * event time is late.
 *
 * <p><b>Replay.</b> The watermark that {@code KafkaIO} restored is never gone below.
 *
 * <p><b>Requirements.</b> {@code KafkaIO.read()} in its form as an unbounded source (no splittable
 * DoFn), for which a policy is made per partition.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * KafkaIO.<String, Order>read()
 *     .withTimestampPolicyFactory(
 *         DelayTimestampPolicyFactory.<String, Order>of(Duration.standardMinutes(5))
 *             .withEventTime(record -> record.getKV().getValue().orderedAt()));
 * }</pre>
 *
 * @param <KeyT> type of the records' keys
 * @param <ValueT> type of the records' values
 */
@AutoValue
public abstract class DelayTimestampPolicyFactory<KeyT, ValueT>
    implements TimestampPolicyFactory<KeyT, ValueT> {
  private static final long serialVersionUID = 1L;
  private static final Duration DEFAULT_SKEW = Duration.standardMinutes(5);

  /** The name of the metric that counts records too far in the future. */
  static final String BEYOND_FUTURE_SKEW = "beyondFutureSkew";

  abstract Duration delay();

  abstract Duration idleAfter();

  abstract Duration maxFutureSkew();

  abstract SerializableFunction<KafkaRecord<KeyT, ValueT>, Instant> eventTime();

  abstract Clock clock();

  abstract Builder<KeyT, ValueT> toBuilder();

  @AutoValue.Builder
  abstract static class Builder<KeyT, ValueT> {
    abstract Builder<KeyT, ValueT> setDelay(Duration delay);

    abstract Builder<KeyT, ValueT> setIdleAfter(Duration idleAfter);

    abstract Builder<KeyT, ValueT> setMaxFutureSkew(Duration skew);

    abstract Builder<KeyT, ValueT> setEventTime(
        SerializableFunction<KafkaRecord<KeyT, ValueT>, Instant> eventTime);

    abstract Builder<KeyT, ValueT> setClock(Clock clock);

    abstract DelayTimestampPolicyFactory<KeyT, ValueT> build();
  }

  /**
   * Returns a policy whose watermark lags the greatest event time of a partition by a delay: as
   * long as a record may come behind others without being late. Event time is the timestamp of the
   * Kafka record, a partition is idle after the delay, and the future skew allowed is 5 minutes.
   *
   * @param <KeyT> type of the records' keys
   * @param <ValueT> type of the records' values
   */
  public static <KeyT, ValueT> DelayTimestampPolicyFactory<KeyT, ValueT> of(Duration delay) {
    checkNotNegative("Watermark delay", delay);
    return new AutoValue_DelayTimestampPolicyFactory.Builder<KeyT, ValueT>()
        .setDelay(delay)
        .setIdleAfter(delay)
        .setMaxFutureSkew(DEFAULT_SKEW)
        .setEventTime(record -> Instant.ofEpochMilli(record.getTimestamp()))
        .setClock(Clock.systemUTC())
        .build();
  }

  /**
   * Returns this policy with another source of event time, for records that carry it in their key,
   * value or headers. A null result fails the read.
   */
  public DelayTimestampPolicyFactory<KeyT, ValueT> withEventTime(
      SerializableFunction<KafkaRecord<KeyT, ValueT>, Instant> eventTime) {
    return toBuilder().setEventTime(eventTime).build();
  }

  /**
   * Returns this policy with another time after which a fully read partition is idle. Less lets
   * windows close sooner when a partition falls silent; more waits longer for producers that pause.
   */
  public DelayTimestampPolicyFactory<KeyT, ValueT> withIdleAfter(Duration idleAfter) {
    checkNotNegative("Idle time", idleAfter);
    return toBuilder().setIdleAfter(idleAfter).build();
  }

  /**
   * Returns this policy with another limit to how far an event time may be ahead of the clock. More
   * follows producers whose clocks are worse, and lets one of them make others late by as much.
   */
  public DelayTimestampPolicyFactory<KeyT, ValueT> withMaxFutureSkew(Duration skew) {
    checkNotNegative("Future skew", skew);
    return toBuilder().setMaxFutureSkew(skew).build();
  }

  /** Returns this policy with another clock, for tests; it must be serializable. */
  public DelayTimestampPolicyFactory<KeyT, ValueT> withClock(Clock clock) {
    if (!(clock instanceof Serializable)) {
      throw new IllegalArgumentException(
          "Clock must be serializable, but was: %s. Use one of java.time.Clock."
              .formatted(clock.getClass().getName()));
    }
    return toBuilder().setClock(clock).build();
  }

  @Override
  public TimestampPolicy<KeyT, ValueT> createTimestampPolicy(
      TopicPartition partition, Optional<Instant> previousWatermark) {
    return new Policy<>(
        eventTime(),
        new WatermarkPolicy(
            java(delay()),
            java(idleAfter()),
            java(maxFutureSkew()),
            clock(),
            previousWatermark.map(DelayTimestampPolicyFactory::java)));
  }

  private static void checkNotNegative(String thing, Duration duration) {
    if (duration.getMillis() < 0) {
      throw new IllegalArgumentException(
          "%s must be at least 0, but was: %s. Give a span of time.".formatted(thing, duration));
    }
  }

  private static java.time.Duration java(Duration duration) {
    return java.time.Duration.ofMillis(duration.getMillis());
  }

  private static java.time.Instant java(Instant instant) {
    return java.time.Instant.ofEpochMilli(instant.getMillis());
  }

  /** The policy of one partition as Beam wants it. */
  private static final class Policy<KeyT, ValueT> extends TimestampPolicy<KeyT, ValueT> {
    private final Counter beyondFutureSkew =
        Metrics.counter(DelayTimestampPolicyFactory.class, BEYOND_FUTURE_SKEW);
    private final SerializableFunction<KafkaRecord<KeyT, ValueT>, Instant> eventTime;
    private final WatermarkPolicy watermark;

    Policy(
        SerializableFunction<KafkaRecord<KeyT, ValueT>, Instant> eventTime,
        WatermarkPolicy watermark) {
      this.eventTime = eventTime;
      this.watermark = watermark;
    }

    @Override
    public Instant getTimestampForRecord(
        PartitionContext context, KafkaRecord<KeyT, ValueT> record) {
      Instant time = eventTime.apply(record);
      if (time == null) {
        throw KafkaErrors.noEventTime(record.getTopic(), record.getPartition(), record.getOffset());
      }
      if (!watermark.observe(java(time))) {
        beyondFutureSkew.inc();
      }
      return time;
    }

    @Override
    public Instant getWatermark(PartitionContext context) {
      if (context.getMessageBacklog() == 0) {
        watermark.observeNoBacklog(java(context.getBacklogCheckTime()));
      }
      return watermark
          .watermark()
          .map(instant -> Instant.ofEpochMilli(instant.toEpochMilli()))
          .orElse(BoundedWindow.TIMESTAMP_MIN_VALUE);
    }
  }
}
