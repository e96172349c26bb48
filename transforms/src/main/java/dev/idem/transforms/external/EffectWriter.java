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
package dev.idem.transforms.external;

import dev.failsafe.CircuitBreakerOpenException;
import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeException;
import dev.failsafe.RetryPolicy;
import dev.idem.transforms.external.IdempotentTarget.ErrorClass;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * Records are applied in batches; a batch is applied until it is, each time with what is open of
 * it. An error that belongs to a record makes two batches of one, in order, down to the record.
 * Both repeat what the target may have done already; it bears that, which is all it has to.
 *
 * A client that failed is not used again: nobody knows what its connection is in the middle of.
 */
/** Applies the records of one bundle, with one client at a time. */
final class EffectWriter<T> {

  /**
   * How often and how fast records are applied again.
   *
   * @param attempts at most so often
   * @param least the first pause between two attempts; each is twice the one before it
   * @param most the longest pause
   */
  record Retries(int attempts, Duration least, Duration most) implements Serializable {}

  /** Takes what became of records. */
  interface Outcomes<T> {
    void written(Effect<T> effect);

    void alreadyWritten(Effect<T> effect);

    void dead(Effect<T> effect, DeadLetter<T> letter);

    void attempted(int again);
  }

  /** Which part of a pause is random, in both directions. */
  private static final double JITTER = 0.25;

  private final IdempotentTarget<T> target;
  private final Throttle throttle;
  private final Retries retries;
  private final int batchSize;
  private final long batchBytes;
  private final Outcomes<T> outcomes;
  private IdempotentTarget.@Nullable Client<T> client;

  EffectWriter(
      IdempotentTarget<T> target,
      Throttle throttle,
      Retries retries,
      int batchSize,
      long batchBytes,
      Outcomes<T> outcomes) {
    this.target = target;
    this.throttle = throttle;
    this.retries = retries;
    this.batchSize = batchSize;
    this.batchBytes = batchBytes;
    this.outcomes = outcomes;
  }

  /** Applies records that are in order, batch after batch. */
  void write(List<Effect<T>> effects) throws InterruptedException {
    int from = 0;
    long bytes = 0;
    for (int i = 0; i < effects.size(); i++) {
      int size = effects.get(i).size();
      if (i > from && (i - from == batchSize || bytes + size > batchBytes)) {
        writeBatch(effects.subList(from, i));
        from = i;
        bytes = 0;
      }
      bytes += size;
    }
    if (from < effects.size()) {
      writeBatch(effects.subList(from, effects.size()));
    }
  }

  private void writeBatch(List<Effect<T>> effects) throws InterruptedException {
    Attempts attempts = new Attempts(effects);
    Exception error = attempts.run();
    if (error == null) {
      return;
    }
    List<Effect<T>> open = attempts.open;
    if (classify(error) != ErrorClass.RECORD) {
      throw ExternalErrors.failed(target, open.size(), attempts.count, error);
    }
    if (open.size() == 1) {
      Effect<T> bad = open.get(0);
      reject(bad, error.getClass().getName(), String.valueOf(error.getMessage()), attempts.count);
      return;
    }
    int half = open.size() / 2;
    writeBatch(open.subList(0, half));
    writeBatch(open.subList(half, open.size()));
  }

  /** Returns the pause that an error asks for, a negative one if it asks for none. */
  private Duration pause(@Nullable Throwable error) {
    if (error instanceof RetryLaterException later) {
      // As much longer as the random part may make it shorter.
      return Duration.ofNanos((long) Math.ceil(later.after().toNanos() / (1 - JITTER)));
    }
    return error instanceof CircuitBreakerOpenException
        ? throttle.breaker().getRemainingDelay()
        : Duration.ofNanos(-1);
  }

  private void reject(Effect<T> effect, String errorClass, String message, int attempts) {
    outcomes.dead(
        effect,
        new DeadLetter<>(effect.record(), effect.idempotencyKey(), errorClass, message, attempts));
  }

  private ErrorClass classify(Throwable error) {
    if (error instanceof CircuitBreakerOpenException) {
      return ErrorClass.TRANSIENT;
    }
    return error instanceof Exception exception ? target.classify(exception) : ErrorClass.FATAL;
  }

  /** The attempts at one batch. */
  private final class Attempts {
    private List<Effect<T>> open;
    private int openBefore;
    private int count;
    private int sinceProgress;
    private final List<Throwable> failures = new ArrayList<>();

    Attempts(List<Effect<T>> effects) {
      this.open = List.copyOf(effects);
      this.openBefore = effects.size();
    }

    /** Returns the error that no further attempt would mend, null if all is done. */
    @Nullable Exception run() throws InterruptedException {
      RetryPolicy<Object> again =
          RetryPolicy.builder()
              .handleIf(error -> classify(error) == ErrorClass.TRANSIENT)
              .withMaxAttempts(-1)
              .abortIf((result, error) -> sinceProgress >= retries.attempts())
              .withBackoff(retries.least(), retries.most())
              .withJitter(JITTER)
              .withDelayFn(context -> pause(context.getLastException()))
              .onFailedAttempt(event -> failed(event.getLastException()))
              .build();
      try {
        Failsafe.with(again, throttle.breaker()).run(this::attempt);
        return null;
      } catch (FailsafeException e) {
        if (e.getCause() instanceof InterruptedException) {
          Thread.currentThread().interrupt();
          throw new InterruptedException("Interrupted while records were applied.");
        }
        Exception error = e.getCause() instanceof Exception cause ? cause : e;
        return withEarlier(error);
      } catch (RuntimeException e) {
        return withEarlier(e);
      }
    }

    /** A receiver that takes a few records each time is not down, however long it takes. */
    private void failed(Throwable error) {
      failures.add(error);
      sinceProgress = open.size() < openBefore ? 1 : sinceProgress + 1;
      openBefore = open.size();
    }

    private Exception withEarlier(Exception last) {
      for (Throwable earlier : failures) {
        if (earlier != last) {
          last.addSuppressed(earlier);
        }
      }
      return last;
    }

    private void attempt() throws Exception {
      throttle.await(open.size());
      count++;
      if (count > 1) {
        outcomes.attempted(open.size());
      }
      Effects<T> effects = new Effects<>(open);
      try {
        client().apply(effects);
      } catch (Exception e) {
        open = effects.open();
        settle(effects, false);
        abandon(e);
        if (open.isEmpty()) {
          return;
        }
        throw e;
      }
      settle(effects, true);
      open = effects.again();
      if (!open.isEmpty()) {
        throw effects.cause();
      }
    }

    private void settle(Effects<T> effects, boolean returned) {
      for (Effect<T> effect : effects) {
        Effects.Said said = effects.of(effect);
        if (said instanceof Effects.Said.AlreadyWritten) {
          outcomes.alreadyWritten(effect);
        } else if (said instanceof Effects.Said.Rejected rejected) {
          reject(effect, rejected.errorClass(), rejected.message(), count);
        } else if (said == null && returned) {
          outcomes.written(effect);
        }
      }
    }
  }

  private IdempotentTarget.Client<T> client() throws Exception {
    if (client == null) {
      client = Objects.requireNonNull(target.open(), "client");
    }
    return client;
  }

  private void abandon(Exception error) {
    try {
      close();
    } catch (Exception e) {
      error.addSuppressed(e);
    }
  }

  void close() throws Exception {
    IdempotentTarget.Client<T> open = client;
    client = null;
    if (open != null) {
      open.close();
    }
  }
}
