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
import dev.idem.transforms.external.DeadLetter;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Instant;

/** Sends events and ends a bundle once all of them are acknowledged. */
final class SendEventsFn extends DoFn<KafkaEvent, Void> {

  private static final long serialVersionUID = 1L;

  private final PublishTarget target;
  private final @Nullable Long batch;
  private transient Producer<byte[], byte[]> producer;
  private transient SendFailures failures;
  private transient Queue<TooLarge> tooLarge;
  private transient Map<BoundedWindow, Count> counts;

  /** An event that was refused for its size, and where it came from. */
  private record TooLarge(
      KafkaEvent event, Instant timestamp, BoundedWindow window, RecordTooLargeException error) {}

  /** The events of a window, and the greatest of their timestamps. */
  private record Count(long events, Instant timestamp) {

    Count plus(Count other) {
      return new Count(
          events + other.events, timestamp.isAfter(other.timestamp) ? timestamp : other.timestamp);
    }
  }

  SendEventsFn(PublishTarget target, @Nullable Long batch) {
    this.target = target;
    this.batch = batch;
  }

  @StartBundle
  public void start() {
    if (producer == null) {
      producer = KafkaClients.producer(target.config());
    }
    failures = new SendFailures();
    tooLarge = new ConcurrentLinkedQueue<>();
    counts = new HashMap<>();
  }

  @ProcessElement
  public void send(@Element KafkaEvent event, @Timestamp Instant timestamp, BoundedWindow window) {
    failures.throwIfAny(target);
    SendFailures failed = failures;
    Queue<TooLarge> large = tooLarge;
    // Its outcome comes to the callback.
    Future<RecordMetadata> unused =
        producer.send(
            target.record(event, batch == null ? OptionalLong.empty() : OptionalLong.of(batch)),
            (metadata, error) -> {
              if (error instanceof RecordTooLargeException refused) {
                large.add(new TooLarge(event, timestamp, window, refused));
              } else if (error != null) {
                failed.add(error);
              }
            });
    counts.merge(window, new Count(1, timestamp), Count::plus);
  }

  @FinishBundle
  public void finish(FinishBundleContext context) {
    producer.flush();
    failures.throwIfAny(target);
    for (TooLarge letter : tooLarge) {
      context.output(
          PublishResult.DEAD_LETTERS,
          new DeadLetter<>(
              letter.event(),
              target.eventId(letter.event()),
              letter.error().getClass().getName(),
              letter.error().getMessage(),
              1),
          letter.timestamp(),
          letter.window());
      counts.merge(letter.window(), new Count(-1, letter.timestamp()), Count::plus);
    }
    long id = batch == null ? -1 : batch;
    counts.forEach(
        (window, count) ->
            context.output(
                PublishResult.OUTCOMES,
                new PublishOutcome(target.topic(), id, false, count.events(), ""),
                count.timestamp(),
                window));
  }

  @Teardown
  public void teardown() {
    if (producer != null) {
      // What a failed bundle has left unsent is sent again by whoever retries it.
      producer.close(Duration.ZERO);
      producer = null;
    }
  }
}
