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
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;

/** The one transaction of an attempt, under an id that it takes from every earlier attempt. */
final class PublishTransaction implements AutoCloseable {

  private static final String BROKERS_LIMIT = "transaction.max.timeout.ms";

  private final PublishTarget target;
  private final String id;
  private final Clock clock;
  private final Producer<byte[], byte[]> producer;

  private record Refused(KafkaEvent event, Exception error) {}

  private PublishTransaction(PublishTarget target, String id, Clock clock) {
    this.target = target;
    this.id = id;
    this.clock = clock;
    this.producer =
        KafkaClients.transactionalProducer(target.config(), id, target.transactionTimeout());
  }

  /**
   * Takes the id: the transaction of an earlier attempt is ended, and it can commit no more. What
   * it had committed before is in the topics when this returns.
   */
  static PublishTransaction take(PublishTarget target, String id, Clock clock) {
    PublishTransaction transaction = new PublishTransaction(target, id, clock);
    try {
      transaction.producer.initTransactions();
    } catch (KafkaException e) {
      transaction.close();
      throw transaction.explained(e, clock.instant());
    }
    return transaction;
  }

  /**
   * Publishes events and, last, the record that says so: other attempts wait for what is behind
   * that record, so it is sent when nothing but the commit is left to do.
   */
  void commit(
      List<KafkaEvent> events, OptionalLong batch, String progressKey, byte[] progressValue) {
    Instant start = clock.instant();
    AtomicReference<Refused> refused = new AtomicReference<>();
    try {
      producer.beginTransaction();
      for (KafkaEvent event : events) {
        if (refused.get() != null) {
          break;
        }
        Future<RecordMetadata> unused =
            producer.send(
                target.record(event, batch),
                (metadata, error) -> {
                  if (error != null) {
                    refused.compareAndSet(null, new Refused(event, error));
                  }
                });
      }
      producer.flush();
      if (refused.get() != null) {
        throw new KafkaException(refused.get().error());
      }
      // Its errors come out of the commit.
      Future<RecordMetadata> unused =
          producer.send(
              new ProducerRecord<>(
                  target.progressTopic(), 0, progressKey.getBytes(UTF_8), progressValue));
      producer.commitTransaction();
    } catch (KafkaException e) {
      RuntimeException told = told(e, refused.get(), start);
      abort(e, told);
      throw told;
    }
  }

  private RuntimeException told(KafkaException e, Refused refused, Instant start) {
    if (refused != null && refused.error() instanceof RecordTooLargeException) {
      return PublishErrors.eventRefused(target, refused.event(), refused.error());
    }
    return explained(e, start);
  }

  /** Leaves nothing open behind a failure, unless the outcome of the commit is unknown. */
  private void abort(KafkaException e, RuntimeException told) {
    if (isFenced(e) || e instanceof TimeoutException || e instanceof InterruptException) {
      return;
    }
    try {
      producer.abortTransaction();
    } catch (KafkaException failed) {
      told.addSuppressed(failed);
    }
  }

  private RuntimeException explained(KafkaException e, Instant start) {
    if (e instanceof InterruptException) {
      return e;
    }
    // The client has no type for it and gives the broker's message alone.
    if (String.valueOf(e.getMessage()).contains(BROKERS_LIMIT)) {
      return PublishErrors.timeoutTooLong(target, id, e);
    }
    if (isFenced(e)) {
      // The broker fences a transaction that lasts too long in the way another attempt does.
      Duration open = Duration.between(start, clock.instant());
      return open.compareTo(target.transactionTimeout()) >= 0
          ? PublishErrors.timedOut(target, id, open, e)
          : PublishErrors.fenced(target, id, e);
    }
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof ApiException told) {
        return KafkaClients.explained(told, target.config(), KafkaClients.timeout(target.config()));
      }
    }
    return e;
  }

  private static boolean isFenced(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof ProducerFencedException
          || cause instanceof InvalidProducerEpochException
          || cause instanceof InvalidTxnStateException) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() {
    // Nothing is left to be sent: it was committed, or it must not be.
    producer.close(Duration.ZERO);
  }
}
