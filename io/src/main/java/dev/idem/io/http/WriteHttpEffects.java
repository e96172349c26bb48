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
package dev.idem.io.http;

import com.google.auto.value.AutoValue;
import dev.idem.transforms.external.WriteIdempotently;
import java.io.Serializable;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.SerializableBiFunction;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.apache.beam.sdk.values.PCollection;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;

/**
 * Requests to a server, one for each record or for many, each under an idempotency key. Made by
 * {@link HttpEffectIO}.
 *
 * <p><b>Guarantee.</b> With a server that knows idempotency keys each record has its effect once:
 * the key is made of name, key and sequence and is the same in every attempt and every replay. A
 * record is written, or a dead letter, or the pipeline fails. Requests of a key are sent in the
 * order of their sequence, and none before the one before it is answered; in bulk requests the
 * order within one is the server's matter.
 *
 * <p><b>Replay.</b> A crash before a request: the replay sends it. A crash after it, a timeout, a
 * connection that breaks: nobody knows whether the server has the effect; it is asked again under
 * the same key and answers as before. Two attempts at once ask twice under the same key.
 *
 * <p><i>Servers forget keys.</i> A replay after that has a second effect, unless there is a
 * {@linkplain #withLedger ledger}: requests are noted before they are sent and their results after.
 * What has a result is not sent again; what has none is sent again as long as the server knows the
 * key, and becomes a dead letter of the class {@code unknown} after that. <i>What is not
 * covered:</i> a server that knows no keys, except where a request can be repeated by its nature,
 * as PUT and DELETE of a place can; there an attempt that was thought dead may still set it back.
 * With a ledger, a process that is paused between its look at the clock and its request for longer
 * than the request may take, and a server that remembers keys for a shorter time than it was said
 * to.
 *
 * <p><b>Requirements.</b> As {@link WriteIdempotently}: bounded or unbounded input in any window. A
 * body for POST, PUT and PATCH.
 *
 * <p><b>State and cost.</b> As {@link WriteIdempotently}. A worker waits for each answer before the
 * next request; shards and workers are what goes on at once. One client a process; connections are
 * kept open. A ledger costs two forced files a batch.
 *
 * <p><b>Errors.</b> What a status means can be changed by {@link #withStatus}; the defaults are:
 *
 * <table>
 * <caption>Statuses</caption>
 * <tr><th>Status</th><th>Meaning</th></tr>
 * <tr><td>2xx</td><td>written; already written if a header {@code Idempotency-Replayed} or {@code
 * Idempotent-Replayed} says true</td></tr>
 * <tr><td>409</td><td>an earlier request of the key runs: asked again</td></tr>
 * <tr><td>408, 423, 425, 429, other 5xx</td><td>asked again, not before {@code Retry-After}</td></tr>
 * <tr><td>400, 413, 422, other 4xx</td><td>dead letter</td></tr>
 * <tr><td>404, 410</td><td>with a path of the record: dead letter, for DELETE already written;
 * without: the pipeline fails</td></tr>
 * <tr><td>401, 402, 403, 405, 406, 407, 411, 415, 421, 426, 501, 505, 511, 1xx, 3xx</td><td>the
 * pipeline fails with {@link HttpConfigurationException}; redirects are not followed</td></tr>
 * <tr><td>no answer</td><td>asked again</td></tr>
 * </table>
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * orders.apply(
 *     HttpEffectIO.<Order>post("https://shop.example.org/mails")
 *         .named("orders/mails")
 *         .keyedBy(Order::id, StringUtf8Coder.of())
 *         .sequencedBy(Order::version, VarLongCoder.of())
 *         .withBody(Order::json)
 *         .withHeaders(HttpHeaders.load(Path.of("/etc/orders/headers.properties"))));
 * }</pre>
 *
 * @param <T> the type of the records
 */
@AutoValue
public abstract class WriteHttpEffects<T>
    extends PTransform<PCollection<T>, WriteIdempotently.Result<T>> {

  /** The header with the idempotency key, unless told otherwise. */
  public static final String DEFAULT_KEY_HEADER = "Idempotency-Key";

  private static final List<String> REPLAY_HEADERS =
      List.of("Idempotency-Replayed", "Idempotent-Replayed");

  WriteHttpEffects() {}

  /** What is set of the write that the requests are part of. */
  interface Setting<T> extends UnaryOperator<WriteIdempotently<T>>, Serializable {}

  abstract HttpMethod method();

  abstract String url();

  abstract Setting<T> setting();

  abstract @Nullable SerializableFunction<T, String> path();

  abstract @Nullable SerializableFunction<T, byte[]> body();

  abstract String contentType();

  abstract HttpHeaders headers();

  abstract String keyHeader();

  abstract @Nullable String replayHeader();

  abstract StatusTable statuses();

  abstract java.time.Duration connectTimeout();

  abstract java.time.Duration requestTimeout();

  abstract java.time.Duration longestWait();

  abstract HttpTarget.@Nullable Bulk<T> bulk();

  abstract HttpTarget.@Nullable Remembering remembering();

  abstract int batchSize();

  abstract long rateRecords();

  abstract Clock clock();

  abstract Builder<T> toBuilder();

  static <T> WriteHttpEffects<T> of(HttpMethod method, String url) {
    return new AutoValue_WriteHttpEffects.Builder<T>()
        .setMethod(method)
        .setUrl(HttpUrl.check(url))
        .setSetting(write -> write)
        .setContentType("application/json")
        .setHeaders(HttpHeaders.none())
        .setKeyHeader(DEFAULT_KEY_HEADER)
        .setStatuses(new StatusTable(List.of()))
        .setConnectTimeout(java.time.Duration.ofSeconds(10))
        .setRequestTimeout(java.time.Duration.ofSeconds(30))
        .setLongestWait(java.time.Duration.ofMinutes(10))
        .setBatchSize(WriteIdempotently.DEFAULT_BATCH_SIZE)
        .setRateRecords(Long.MAX_VALUE)
        .setClock(Clock.systemUTC())
        .build();
  }

  /**
   * Names who asks and whom, such as application and server; it is part of every idempotency key
   * and must stay the same over restarts. Required.
   */
  public WriteHttpEffects<T> named(String namespace) {
    return with(write -> write.named(namespace));
  }

  /** Sets what a record is about. Required; never null, or the pipeline fails. */
  public <K> WriteHttpEffects<T> keyedBy(SerializableFunction<T, K> function, Coder<K> coder) {
    return with(write -> write.keyedBy(function, coder));
  }

  /**
   * Sets what orders the records of a key, and tells two of them apart. Default: a key has one
   * record.
   */
  public <S extends Comparable<? super S>> WriteHttpEffects<T> sequencedBy(
      SerializableFunction<T, S> function, Coder<S> coder) {
    return with(write -> write.sequencedBy(function, coder));
  }

  /** Sends of each key only the latest record of those that meet. Needs a sequence. */
  public WriteHttpEffects<T> latestPerKey() {
    return with(WriteIdempotently::latestPerKey);
  }

  /** Sets what is sent of a record. Required, except for DELETE and bulk requests; never null. */
  public WriteHttpEffects<T> withBody(SerializableFunction<T, byte[]> body) {
    return toBuilder().setBody(body).build();
  }

  /** Sets the content type of bodies that are not bulk. Default: {@code application/json}. */
  public WriteHttpEffects<T> withContentType(String contentType) {
    return toBuilder().setContentType(contentType).build();
  }

  /**
   * Sets what comes after the URL for a record, encoded as URLs are, so that it has a place of its
   * own. It stays on the URL's server and below its path, or the record is a dead letter.
   */
  public WriteHttpEffects<T> withPath(SerializableFunction<T, String> path) {
    return toBuilder().setPath(path).build();
  }

  /** Sets further headers, such as those with credentials. */
  public WriteHttpEffects<T> withHeaders(HttpHeaders headers) {
    return toBuilder().setHeaders(headers).build();
  }

  /** Sets the header with the idempotency key: 64 hexadecimal digits without quotes. */
  public WriteHttpEffects<T> withKeyHeader(String name) {
    HttpHeaders.check(name);
    return toBuilder().setKeyHeader(name).build();
  }

  /** Sets the header by which the server says, with {@code true}, that it had the effect before. */
  public WriteHttpEffects<T> withReplayHeader(String name) {
    HttpHeaders.check(name);
    return toBuilder().setReplayHeader(name).build();
  }

  /** Sets what a status means. */
  public WriteHttpEffects<T> withStatus(int status, StatusClass meaning) {
    return withStatus(status, status, meaning);
  }

  /** Sets what statuses mean, both ends included; what is said last wins. */
  public WriteHttpEffects<T> withStatus(int from, int to, StatusClass meaning) {
    return toBuilder().setStatuses(statuses().with(from, to, meaning)).build();
  }

  /**
   * Sets how long a connection may take, and how long a request until its answer is whole. Default:
   * 10 and 30 seconds. What takes longer is asked again.
   */
  public WriteHttpEffects<T> withTimeouts(Duration connect, Duration request) {
    return toBuilder()
        .setConnectTimeout(positive("Timeout of connections", connect))
        .setRequestTimeout(positive("Timeout of requests", request))
        .build();
  }

  /**
   * Sets for how long a server may ask to be left alone, by {@code Retry-After}; if it wants more
   * the pipeline fails. It is never asked earlier. Default: 10 minutes.
   */
  public WriteHttpEffects<T> withLongestWait(Duration wait) {
    return toBuilder().setLongestWait(positive("Longest wait", wait)).build();
  }

  /**
   * Sends many records with a request, as many as are a batch. The request bears no idempotency
   * key, since its repetition may hold other records: each item bears its own. An answer that
   * rejects the request makes two of it, down to the record.
   *
   * @param item returns what is sent of a record, given its idempotency key
   * @param outcomes returns what an answer says of the items, by idempotency key; those of which it
   *     says nothing are asked for again
   */
  public WriteHttpEffects<T> inBulk(
      BulkFormat format,
      SerializableBiFunction<T, String, byte[]> item,
      SerializableFunction<BulkAnswer, Map<String, ItemOutcome>> outcomes) {
    return toBuilder().setBulk(new HttpTarget.Bulk<>(format, item, outcomes)).build();
  }

  /**
   * Remembers requests in a ledger, for a server that forgets keys.
   *
   * @param keyMemory for how long the server remembers a key at least, from its first request
   */
  public WriteHttpEffects<T> withLedger(SentLedger ledger, Duration keyMemory) {
    java.time.Duration memory = positive("Memory of keys", keyMemory);
    if (ledger.retention().compareTo(memory) <= 0) {
      throw HttpErrors.retention(ledger.retention(), memory);
    }
    return toBuilder().setRemembering(new HttpTarget.Remembering(ledger, memory)).build();
  }

  /** Sets how many records are a batch at most: of a bulk request, or of a ledger's file. */
  public WriteHttpEffects<T> withBatchSize(int records) {
    return with(write -> write.withBatchSize(records)).toBuilder().setBatchSize(records).build();
  }

  /** Sets into how many shards a bounded input is grouped: see {@link WriteIdempotently}. */
  public WriteHttpEffects<T> withShards(int shards) {
    return with(write -> write.withShards(shards));
  }

  /** Sets how often and how fast a server is asked again: see {@link WriteIdempotently}. */
  public WriteHttpEffects<T> withRetries(int attempts, Duration leastPause, Duration mostPause) {
    return with(write -> write.withRetries(attempts, leastPause, mostPause));
  }

  /**
   * Sets how many records all workers of a process send in a period; no batch is larger. Those that
   * wait for another attempt count again.
   */
  public WriteHttpEffects<T> withRateLimit(long records, Duration period) {
    return with(write -> write.withRateLimit(records, period)).toBuilder()
        .setRateRecords(records)
        .build();
  }

  /** Sets when a server that fails is left alone: see {@link WriteIdempotently}. */
  public WriteHttpEffects<T> withCircuitBreaker(int failures, Duration pause) {
    return with(write -> write.withCircuitBreaker(failures, pause));
  }

  WriteHttpEffects<T> withClock(Clock clock) {
    return toBuilder().setClock(clock).build();
  }

  /** Adds a setting of the write, which is tried at once so that a bad one fails where it is. */
  private WriteHttpEffects<T> with(Setting<T> more) {
    Setting<T> before = setting();
    Setting<T> all = write -> more.apply(before.apply(write));
    Objects.requireNonNull(all.apply(WriteIdempotently.to(target())), "write");
    return toBuilder().setSetting(all).build();
  }

  private static java.time.Duration positive(String thing, Duration duration) {
    java.time.Duration same = java.time.Duration.ofMillis(duration.getMillis());
    if (same.isNegative() || same.isZero()) {
      throw HttpErrors.notPositive(thing, same);
    }
    return same;
  }

  HttpTarget<T> target() {
    String own = replayHeader();
    List<String> replayHeaders = own == null ? REPLAY_HEADERS : List.of(own);
    return new HttpTarget<>(
        new HttpTarget.Request<>(
            method(),
            url(),
            path(),
            body(),
            contentType(),
            headers(),
            keyHeader(),
            connectTimeout(),
            requestTimeout()),
        new HttpTarget.Answers(statuses(), replayHeaders, longestWait(), clock()),
        bulk(),
        remembering());
  }

  @Override
  public WriteIdempotently.Result<T> expand(PCollection<T> records) {
    if (bulk() == null && body() == null && method() != HttpMethod.DELETE) {
      throw HttpErrors.missing("a body", "withBody");
    }
    if (bulk() != null && path() != null) {
      throw HttpErrors.pathInBulk();
    }
    if (path() != null && url().contains("?")) {
      throw HttpErrors.pathAfterQuery();
    }
    HttpTarget.Remembering remembered = remembering();
    if (remembered != null && remembered.keyMemory().compareTo(requestTimeout()) <= 0) {
      throw HttpErrors.keyMemory(remembered.keyMemory(), requestTimeout());
    }
    return records.apply(
        "Send",
        setting()
            .apply(WriteIdempotently.to(target()))
            .withBatchSize((int) Math.min(batchSize(), rateRecords())));
  }

  @Override
  public void populateDisplayData(DisplayData.Builder builder) {
    builder.add(DisplayData.item("target", target().toString()));
  }

  @Override
  public final String toString() {
    return "WriteHttpEffects(" + target() + ")";
  }

  @AutoValue.Builder
  abstract static class Builder<T> {
    abstract Builder<T> setMethod(HttpMethod value);

    abstract Builder<T> setUrl(String value);

    abstract Builder<T> setSetting(Setting<T> value);

    abstract Builder<T> setPath(@Nullable SerializableFunction<T, String> value);

    abstract Builder<T> setBody(@Nullable SerializableFunction<T, byte[]> value);

    abstract Builder<T> setContentType(String value);

    abstract Builder<T> setHeaders(HttpHeaders value);

    abstract Builder<T> setKeyHeader(String value);

    abstract Builder<T> setReplayHeader(@Nullable String value);

    abstract Builder<T> setStatuses(StatusTable value);

    abstract Builder<T> setConnectTimeout(java.time.Duration value);

    abstract Builder<T> setRequestTimeout(java.time.Duration value);

    abstract Builder<T> setLongestWait(java.time.Duration value);

    abstract Builder<T> setBulk(HttpTarget.@Nullable Bulk<T> value);

    abstract Builder<T> setRemembering(HttpTarget.@Nullable Remembering value);

    abstract Builder<T> setBatchSize(int value);

    abstract Builder<T> setRateRecords(long value);

    abstract Builder<T> setClock(Clock value);

    abstract WriteHttpEffects<T> build();
  }
}
