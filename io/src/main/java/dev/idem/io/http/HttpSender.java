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

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/*
 * The JDK's client repeats a request by itself if no connection could be made, which no server
 * sees, and if a pooled connection turns out to be closed, but then only GET and HEAD: of what is
 * sent here every attempt is one of ours. The system property jdk.httpclient.enableAllMethodRetry
 * changes that; the repetition then has the same idempotency key.
 */
/** Sends requests by the one client that a process has for a configuration. */
final class HttpSender {
  private static final ConcurrentMap<Duration, HttpClient> OF_PROCESS = new ConcurrentHashMap<>();

  private final HttpClient client;
  private final Duration timeout;

  private HttpSender(HttpClient client, Duration timeout) {
    this.client = client;
    this.timeout = timeout;
  }

  static HttpSender of(Duration connectTimeout, Duration requestTimeout) {
    return new HttpSender(
        OF_PROCESS.computeIfAbsent(connectTimeout, HttpSender::create), requestTimeout);
  }

  private static HttpClient create(Duration connectTimeout) {
    return HttpClient.newBuilder()
        .connectTimeout(connectTimeout)
        .followRedirects(HttpClient.Redirect.NEVER)
        .version(HttpClient.Version.HTTP_1_1)
        .build();
  }

  /** Sends a request; the timeout is that of the whole answer, not only of its headers. */
  HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<byte[]>> answer =
        client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
    try {
      return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new HttpTimeoutException("No whole answer within " + timeout + ".");
    } catch (InterruptedException e) {
      answer.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException("A request must be one that can be sent.", e.getCause());
    }
  }
}
