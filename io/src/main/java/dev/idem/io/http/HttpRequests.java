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

import dev.idem.transforms.external.Effect;
import dev.idem.transforms.external.RejectedRecordException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;

/** Makes the requests of one bundle; knows the secrets of their headers. */
final class HttpRequests<T> {
  private static final String CONTENT_TYPE = "Content-Type";

  private final HttpTarget.Request<T> spec;
  private final String url;
  private final URI base;
  private final Map<String, String> headers;

  HttpRequests(HttpTarget.Request<T> spec) {
    this.spec = spec;
    this.url = HttpHeaders.follow("URL", spec.url());
    this.base = HttpUrl.parse(url, spec.url());
    this.headers = spec.headers().resolve();
  }

  /** Returns what must not be shown. */
  Collection<String> secrets() {
    return headers.values();
  }

  /** Returns the request for one record. */
  HttpRequest one(Effect<T> effect) throws RejectedRecordException {
    HttpRequest.BodyPublisher body = BodyPublishers.noBody();
    String type = null;
    if (spec.body() != null) {
      byte[] bytes = spec.body().apply(effect.record());
      if (bytes == null) {
        throw HttpErrors.nullBody();
      }
      body = BodyPublishers.ofByteArray(bytes);
      type = spec.contentType();
    }
    HttpRequest.Builder builder = builder(uri(effect.record()), type);
    builder.setHeader(spec.keyHeader(), effect.idempotencyKey());
    return builder.method(spec.method().name(), body).build();
  }

  /** Returns the request for many records; their keys are in the body. */
  HttpRequest many(byte[] body, String contentType) {
    return builder(base, contentType)
        .method(spec.method().name(), BodyPublishers.ofByteArray(body))
        .build();
  }

  private HttpRequest.Builder builder(URI uri, String contentType) {
    HttpRequest.Builder builder = HttpRequest.newBuilder(uri);
    if (contentType != null) {
      builder.setHeader(CONTENT_TYPE, contentType);
    }
    headers.forEach(builder::setHeader);
    return builder;
  }

  private URI uri(T record) throws RejectedRecordException {
    if (spec.path() == null) {
      return base;
    }
    String path = Objects.requireNonNullElse(spec.path().apply(record), "");
    URI uri;
    try {
      uri = URI.create(url + path);
    } catch (IllegalArgumentException e) {
      throw new RejectedRecordException(HttpErrors.badPath(spec.toString()));
    }
    // A record must not choose the server, nor leave the path that the headers are for.
    boolean inside =
        Objects.equals(uri.getScheme(), base.getScheme())
            && Objects.equals(uri.getRawAuthority(), base.getRawAuthority())
            && uri.normalize().getRawPath().startsWith(base.normalize().getRawPath());
    if (!inside) {
      throw new RejectedRecordException(HttpErrors.badPath(spec.toString()));
    }
    return uri;
  }
}
