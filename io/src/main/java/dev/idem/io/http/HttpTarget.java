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

import dev.idem.transforms.external.IdempotentTarget;
import java.io.IOException;
import java.io.Serializable;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.transforms.SerializableBiFunction;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.checkerframework.checker.nullness.qual.Nullable;

/** A server, what it is asked for records, and what its answers mean. */
record HttpTarget<T>(
    Request<T> request, Answers answers, @Nullable Bulk<T> bulk, @Nullable Remembering remembering)
    implements IdempotentTarget<T> {

  /**
   * What is sent.
   *
   * @param url as the user wrote it, references not followed
   * @param path what comes after the URL, null if nothing does
   * @param body null if there is none
   * @param keyHeader the header with the idempotency key
   */
  record Request<T>(
      HttpMethod method,
      String url,
      @Nullable SerializableFunction<T, String> path,
      @Nullable SerializableFunction<T, byte[]> body,
      String contentType,
      HttpHeaders headers,
      String keyHeader,
      Duration connectTimeout,
      Duration requestTimeout)
      implements Serializable {

    /** Neither a query, which may hold a secret, nor what a reference leads to. */
    @Override
    public String toString() {
      int query = url.indexOf('?');
      return method + " " + (query < 0 ? url : url.substring(0, query));
    }
  }

  /**
   * What answers mean.
   *
   * @param replayHeaders headers that say, with {@code true}, that the server had the effect
   * @param longestWait how long a server may ask to be left alone
   */
  record Answers(
      StatusTable statuses, List<String> replayHeaders, Duration longestWait, Clock clock)
      implements Serializable {
    Answers {
      replayHeaders = List.copyOf(replayHeaders);
    }
  }

  /**
   * How many records are one request.
   *
   * @param item returns a record's bytes, given its idempotency key
   * @param outcomes returns what an answer says of the items, by key
   */
  record Bulk<T>(
      BulkFormat format,
      SerializableBiFunction<T, String, byte[]> item,
      SerializableFunction<BulkAnswer, Map<String, ItemOutcome>> outcomes)
      implements Serializable {}

  /**
   * What is remembered of requests.
   *
   * @param keyMemory for how long the server remembers keys
   */
  record Remembering(SentLedger ledger, Duration keyMemory) implements Serializable {}

  @Override
  public Client<T> open() throws IOException {
    HttpSender sender = HttpSender.of(request.connectTimeout(), request.requestTimeout());
    HttpRequests<T> requests = new HttpRequests<>(request);
    AnswerReader reader = new AnswerReader(request, answers, requests.secrets());
    SentCheck<T> check =
        remembering == null
            ? SentCheck.none()
            : SentCheck.of(remembering, request.requestTimeout(), answers.clock());
    return bulk == null
        ? new SingleClient<>(sender, requests, reader, check)
        : new BulkClient<>(sender, requests, reader, check, bulk);
  }

  @Override
  public String toString() {
    return request.toString();
  }
}
