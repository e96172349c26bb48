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

import com.google.auto.value.AutoValue;
import dev.idem.transforms.NoOutput;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.Coder.NonDeterministicException;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VoidCoder;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.PInput;
import org.apache.beam.sdk.values.POutput;
import org.apache.beam.sdk.values.PValue;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.TupleTagList;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;

/**
 * A write of records to something outside that bears being asked twice, with all that makes such a
 * write safe: one client a bundle, key order, batches, retries, a rate limit, a circuit breaker,
 * and dead letters.
 *
 * <p><b>Guarantee.</b> Every record is written at least once, or is a dead letter, or the pipeline
 * fails; with a target that keeps what {@link IdempotentTarget} asks, its effect is there once.
 * Every attempt and every replay has the same {@link IdempotencyKey}, made of namespace, key and
 * sequence. Of records with one key and one sequence that meet, one is applied: copies are counted
 * as already written, another content is a dead letter of the class {@code conflict}.
 *
 * <p><i>Bounded input:</i> all records of a key meet, and are applied in the order of their
 * sequence. <i>Unbounded input:</i> only those of a bundle do; over bundles the order is the
 * runner's, so the target must compare sequences itself, or order must not matter.
 *
 * <p><b>Replay.</b> A crash before a record is applied: it is applied by the replay. A crash in the
 * middle of a batch, or after it, or an answer that is lost: the replay asks again, under the same
 * idempotency keys, and the target has the effect already. Two attempts at once, such as a
 * speculative one, ask twice in the same way. What is not covered: a target that keeps the last
 * writer's record can be set back by an attempt that was thought dead; it must compare sequences.
 *
 * <p><b>Requirements.</b> A deterministic coder for keys and sequences. Bounded or unbounded input
 * in any window; no stable input, no state and no timers.
 *
 * <p><b>State and cost.</b> <i>Bounded input:</i> one shuffle by key into {@code shards} groups; a
 * worker holds the records of one shard. <i>Unbounded input:</i> no shuffle; a worker holds the
 * records of a batch. Outputs of a bounded input have the end of their window as timestamp.
 *
 * <p><b>Errors.</b> {@link TargetFailedException} if the target fails with a transient error at
 * every attempt, or with a fatal one.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * WriteIdempotently.Result<Order> result =
 *     orders.apply(
 *         WriteIdempotently.to(new Mails("mail.example.org"))
 *             .named("orders/mail")
 *             .keyedBy(Order::id, StringUtf8Coder.of())
 *             .sequencedBy(Order::version, VarLongCoder.of()));
 * result.deadLetters().apply(new KeepForReview());
 * invoices.apply(Wait.on(result.written()));
 * }</pre>
 *
 * @param <T> the type of the records
 */
@AutoValue
public abstract class WriteIdempotently<T>
    extends PTransform<PCollection<T>, WriteIdempotently.Result<T>> {

  /** How many records are applied at once at most, unless told otherwise. */
  public static final int DEFAULT_BATCH_SIZE = 500;

  /** How many bytes of encoded records are applied at once at most, unless told otherwise. */
  public static final long DEFAULT_BATCH_BYTES = 8L << 20;

  /** Into how many shards a bounded input is grouped, unless told otherwise. */
  public static final int DEFAULT_SHARDS = 16;

  WriteIdempotently() {}

  abstract IdempotentTarget<T> target();

  abstract @Nullable String namespace();

  abstract EffectFactory.@Nullable Part<T, ?> key();

  abstract EffectFactory.@Nullable Part<T, ?> sequence();

  abstract boolean latest();

  abstract int batchSize();

  abstract long batchBytes();

  abstract Duration maxBuffering();

  abstract int shards();

  abstract int attempts();

  abstract Duration leastPause();

  abstract Duration mostPause();

  abstract long rateRecords();

  abstract Duration ratePeriod();

  abstract int breakerFailures();

  abstract Duration breakerPause();

  abstract Clock clock();

  abstract Builder<T> toBuilder();

  /** Returns a write to a target; it lacks a name and a key. */
  public static <T> WriteIdempotently<T> to(IdempotentTarget<T> target) {
    return new AutoValue_WriteIdempotently.Builder<T>()
        .setTarget(target)
        .setLatest(false)
        .setBatchSize(DEFAULT_BATCH_SIZE)
        .setBatchBytes(DEFAULT_BATCH_BYTES)
        .setMaxBuffering(Duration.standardSeconds(1))
        .setShards(DEFAULT_SHARDS)
        .setAttempts(8)
        .setLeastPause(Duration.millis(100))
        .setMostPause(Duration.standardSeconds(30))
        .setRateRecords(0)
        .setRatePeriod(Duration.standardSeconds(1))
        .setBreakerFailures(10)
        .setBreakerPause(Duration.standardSeconds(10))
        .setClock(Clock.systemUTC())
        .build();
  }

  /**
   * Names who writes and to what, such as application id and target; it is part of every
   * idempotency key and must stay the same over restarts. Required.
   */
  public WriteIdempotently<T> named(String namespace) {
    if (namespace.isBlank()) {
      throw ExternalErrors.blankNamespace();
    }
    return toBuilder().setNamespace(namespace).build();
  }

  /** Sets what a record is about. Required; never null, or the pipeline fails. */
  public <K> WriteIdempotently<T> keyedBy(SerializableFunction<T, K> function, Coder<K> coder) {
    return toBuilder()
        .setKey(new EffectFactory.Part<>(function, deterministic("keys", coder)))
        .build();
  }

  /**
   * Sets what orders the records of a key, and tells two of them apart. Default: a key has one
   * record, and another one with other content is a conflict. Never null, or the pipeline fails.
   */
  public <S extends Comparable<? super S>> WriteIdempotently<T> sequencedBy(
      SerializableFunction<T, S> function, Coder<S> coder) {
    return toBuilder()
        .setSequence(new EffectFactory.Part<>(function, deterministic("sequences", coder)))
        .build();
  }

  private static <V> Coder<V> deterministic(String thing, Coder<V> coder) {
    try {
      coder.verifyDeterministic();
    } catch (NonDeterministicException e) {
      throw ExternalErrors.nondeterministic(thing, e);
    }
    return coder;
  }

  /**
   * Applies of each key only the latest record of those that meet; for targets that keep the last
   * one. The others are in {@link Result#superseded}. Needs a sequence. At equal sequence the
   * record with the greater encoding counts as the later one.
   */
  public WriteIdempotently<T> latestPerKey() {
    return toBuilder().setLatest(true).build();
  }

  /** Sets how many records are applied at once at most. */
  public WriteIdempotently<T> withBatchSize(int records) {
    return toBuilder().setBatchSize((int) positive("Batch size", records)).build();
  }

  /** Sets how many bytes of encoded records are applied at once at most; one record always is. */
  public WriteIdempotently<T> withBatchBytes(long bytes) {
    return toBuilder().setBatchBytes(positive("Batch bytes", bytes)).build();
  }

  /**
   * Sets for how long records of an unbounded input wait for others at most, checked whenever one
   * comes; the end of a bundle applies all. Default: 1 second.
   */
  public WriteIdempotently<T> withMaxBuffering(Duration duration) {
    return toBuilder().setMaxBuffering(positive("Longest buffering", duration)).build();
  }

  /**
   * Sets into how many shards a bounded input is grouped, a power of two: so many clients are open
   * at most. Fewer make larger groups, which a worker must hold.
   */
  public WriteIdempotently<T> withShards(int shards) {
    if (shards < 1 || Integer.bitCount(shards) != 1) {
      throw ExternalErrors.notPowerOfTwo(shards);
    }
    return toBuilder().setShards(shards).build();
  }

  /**
   * Sets how often records are applied that fail with a transient error. Default: 8 attempts, with
   * pauses from 100 milliseconds, each twice the one before, to 30 seconds, a quarter of it random.
   * Once some of a batch are done, the attempts at the others are counted anew.
   */
  public WriteIdempotently<T> withRetries(int attempts, Duration leastPause, Duration mostPause) {
    positive("First pause", leastPause);
    if (!mostPause.isLongerThan(leastPause)) {
      throw ExternalErrors.notLonger(leastPause, mostPause);
    }
    return toBuilder()
        .setAttempts((int) positive("Attempts", attempts))
        .setLeastPause(leastPause)
        .setMostPause(mostPause)
        .build();
  }

  /** Sets how many records all workers of a process apply in a period. Default: any number. */
  public WriteIdempotently<T> withRateLimit(long records, Duration period) {
    return toBuilder()
        .setRateRecords(positive("Records of a period", records))
        .setRatePeriod(positive("Period", period))
        .build();
  }

  /**
   * Sets after how many transient failures one after another, of all workers of a process, the
   * target is left alone, and for how long. Default: 10 failures, 10 seconds.
   */
  public WriteIdempotently<T> withCircuitBreaker(int failures, Duration pause) {
    return toBuilder()
        .setBreakerFailures((int) positive("Failures", failures))
        .setBreakerPause(positive("Pause", pause))
        .build();
  }

  WriteIdempotently<T> withClock(Clock clock) {
    return toBuilder().setClock(clock).build();
  }

  private static long positive(String thing, long number) {
    if (number < 1) {
      throw ExternalErrors.notPositive(thing, number);
    }
    return number;
  }

  private static Duration positive(String thing, Duration duration) {
    if (duration.getMillis() < 1) {
      throw ExternalErrors.notPositive(thing, duration);
    }
    return duration;
  }

  @Override
  public Result<T> expand(PCollection<T> records) {
    if (namespace() == null) {
      throw ExternalErrors.blankNamespace();
    }
    if (key() == null) {
      throw ExternalErrors.noKey();
    }
    if (latest() && sequence() == null) {
      throw ExternalErrors.noSequence();
    }
    Coder<T> coder = records.getCoder();
    EffectFactory<T> factory = new EffectFactory<>(namespace(), coder, key(), sequence());
    ApplySettings<T> settings = settings();
    PCollectionTuple outputs =
        records.isBounded() == PCollection.IsBounded.BOUNDED
            ? records
                .apply("AssignShards", ParDo.of(new AssignShards<>(factory, shards())))
                .setCoder(KvCoder.of(VarIntCoder.of(), coder))
                .apply("GroupShards", GroupByKey.create())
                .apply("ApplyShards", applying(new ApplyShards<>(factory, settings)))
            : records.apply("ApplyBundles", applying(new ApplyBundles<>(factory, settings)));
    return new Result<>(outputs, coder);
  }

  private ApplySettings<T> settings() {
    return new ApplySettings<>(
        UUID.randomUUID().toString(), // names the throttle of this write, decides nothing
        target(),
        latest(),
        batchSize(),
        batchBytes(),
        millis(maxBuffering()),
        new EffectWriter.Retries(attempts(), millis(leastPause()), millis(mostPause())),
        new Throttle.Limits(
            rateRecords(), millis(ratePeriod()), breakerFailures(), millis(breakerPause())),
        clock());
  }

  private static java.time.Duration millis(Duration duration) {
    return java.time.Duration.ofMillis(duration.getMillis());
  }

  private static <I> ParDo.MultiOutput<I, Void> applying(DoFn<I, Void> fn) {
    return ParDo.of(fn)
        .withOutputTags(
            NoOutput.TAG,
            TupleTagList.of(
                List.of(Tags.WRITTEN, Tags.ALREADY_WRITTEN, Tags.SUPERSEDED, Tags.DEAD_LETTERS)));
  }

  @Override
  public void populateDisplayData(DisplayData.Builder builder) {
    builder
        .addIfNotNull(DisplayData.item("namespace", namespace()))
        .add(DisplayData.item("target", target().toString()));
  }

  @Override
  public final String toString() {
    return "WriteIdempotently(" + namespace() + ")";
  }

  /** Sends a record to the shard of its key. */
  private static final class AssignShards<T> extends DoFn<T, KV<Integer, T>> {
    private final EffectFactory<T> factory;
    private final int shards;

    AssignShards(EffectFactory<T> factory, int shards) {
      this.factory = factory;
      this.shards = shards;
    }

    @ProcessElement
    public void process(@Element T record, OutputReceiver<KV<Integer, T>> output) {
      output.output(KV.of(Fingerprint.of(factory.key(record)).shard(shards), record));
    }
  }

  /**
   * What became of the records of {@link WriteIdempotently}; each is in exactly one output.
   *
   * @param <T> the type of the records
   */
  public static final class Result<T> implements POutput {
    private final PCollectionTuple outputs;
    private final PCollection<T> written;
    private final PCollection<T> alreadyWritten;
    private final PCollection<T> superseded;
    private final PCollection<DeadLetter<T>> deadLetters;

    private Result(PCollectionTuple outputs, Coder<T> coder) {
      this.outputs = outputs;
      this.written = outputs.get(Tags.<T>written()).setCoder(coder);
      this.alreadyWritten = outputs.get(Tags.<T>alreadyWritten()).setCoder(coder);
      this.superseded = outputs.get(Tags.<T>superseded()).setCoder(coder);
      this.deadLetters = outputs.get(Tags.<T>deadLetters()).setCoder(DeadLetter.coder(coder));
      outputs.get(NoOutput.TAG).setCoder(VoidCoder.of());
    }

    /** Returns the records that the target took. */
    public PCollection<T> written() {
      return written;
    }

    /** Returns the copies of records, and those of which the target said that it had them. */
    public PCollection<T> alreadyWritten() {
      return alreadyWritten;
    }

    /** Returns the records that were not applied, since a later one of their key was. */
    public PCollection<T> superseded() {
      return superseded;
    }

    /** Returns the records that the target will never take. */
    public PCollection<DeadLetter<T>> deadLetters() {
      return deadLetters;
    }

    @Override
    public Pipeline getPipeline() {
      return outputs.getPipeline();
    }

    @Override
    public Map<TupleTag<?>, PValue> expand() {
      return outputs.expand();
    }

    @Override
    public void finishSpecifyingOutput(
        String transformName, PInput input, PTransform<?, ?> transform) {
      // Coders are set and nothing is left to be named.
    }
  }

  @AutoValue.Builder
  abstract static class Builder<T> {
    abstract Builder<T> setTarget(IdempotentTarget<T> value);

    abstract Builder<T> setNamespace(@Nullable String value);

    abstract Builder<T> setKey(EffectFactory.@Nullable Part<T, ?> value);

    abstract Builder<T> setSequence(EffectFactory.@Nullable Part<T, ?> value);

    abstract Builder<T> setLatest(boolean value);

    abstract Builder<T> setBatchSize(int value);

    abstract Builder<T> setBatchBytes(long value);

    abstract Builder<T> setMaxBuffering(Duration value);

    abstract Builder<T> setShards(int value);

    abstract Builder<T> setAttempts(int value);

    abstract Builder<T> setLeastPause(Duration value);

    abstract Builder<T> setMostPause(Duration value);

    abstract Builder<T> setRateRecords(long value);

    abstract Builder<T> setRatePeriod(Duration value);

    abstract Builder<T> setBreakerFailures(int value);

    abstract Builder<T> setBreakerPause(Duration value);

    abstract Builder<T> setClock(Clock value);

    abstract WriteIdempotently<T> build();
  }
}
