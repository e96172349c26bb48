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
package dev.idem.io.debezium;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.io.file.References;
import dev.idem.io.file.UnresolvedReferenceException;
import java.io.IOException;
import java.io.Serial;
import java.io.Serializable;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.SchemaParseException;
import org.apache.beam.sdk.util.Sleeper;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A client of a schema registry that speaks the API of Confluent's over HTTP: that one, Karapace,
 * Apicurio in its compatible mode.
 *
 * <p>Schemas are read by their id, with those they refer to. An id always means the same schema, so
 * what was read is kept. Attempts that fail by the network, by a timeout or by the server (429 and
 * 5xx) are repeated, {@link #withAttempts five times} in all, after pauses of half a second that
 * double each time.
 *
 * <p><b>Secrets</b> are references, {@code ${env:NAME}} and {@code ${file:PATH}}, which are
 * followed where a request is sent and are never kept. No secret is in {@link #toString()}, in the
 * serialised form or in an error. Certificates are those that the JVM trusts.
 *
 * <p><b>Errors.</b> A registry that does not answer, or refuses the client, is a {@link
 * SchemaRegistryException}; an id that it does not know is a matter of the record.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * SchemaRegistry.at("https://registry:8081")
 *     .withBasicAuth("reader", "${file:/run/secrets/registry-password}");
 * }</pre>
 */
public final class SchemaRegistry implements Serializable {
  @Serial private static final long serialVersionUID = 1L;

  private static final int NOT_FOUND = 404;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;
  private static final Set<Integer> NO_ACCESS = Set.of(401, 403);
  private static final String NO_SUCH_SCHEMA = "40403";
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Connections are shared by all that read in this JVM. */
  private static final HttpClient CLIENT =
      HttpClient.newBuilder()
          // Else it asks every plain server to speak HTTP/2, which some do not answer.
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();

  private final String url;
  private final String user;
  private final String secret;
  private final int attempts;
  private final Duration timeout;
  private final transient Sleeper sleeper;

  private SchemaRegistry(
      String url, String user, String secret, int attempts, Duration timeout, Sleeper sleeper) {
    this.url = url;
    this.user = user;
    this.secret = secret;
    this.attempts = attempts;
    this.timeout = timeout;
    this.sleeper = sleeper;
  }

  /** Returns a client of the registry at a URL, which must not hold a user or a password. */
  public static SchemaRegistry at(String url) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException e) {
      throw RegistryErrors.notUrl();
    }
    boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    if (!http || uri.getHost() == null || uri.getUserInfo() != null) {
      throw RegistryErrors.notUrl();
    }
    String base = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    return new SchemaRegistry(base, "", "", 5, Duration.ofSeconds(10), Sleeper.DEFAULT);
  }

  /** Sends a user and a password; the password must be a reference. */
  public SchemaRegistry withBasicAuth(String name, String password) {
    return withSecret(name, password);
  }

  /** Sends a bearer token, which must be a reference. */
  public SchemaRegistry withBearerToken(String token) {
    return withSecret("", token);
  }

  private SchemaRegistry withSecret(String name, String reference) {
    if (!References.isReference(reference)) {
      throw RegistryErrors.literalSecret();
    }
    return new SchemaRegistry(url, name, reference, attempts, timeout, sleeper);
  }

  /** Sets how often a request is sent at the most, 1 or more; default 5. */
  public SchemaRegistry withAttempts(int most) {
    if (most < 1) {
      throw RegistryErrors.noAttempts(most);
    }
    return new SchemaRegistry(url, user, secret, most, timeout, sleeper);
  }

  /** Sets how long an answer may take; default 10 seconds. */
  public SchemaRegistry withTimeout(Duration longest) {
    if (longest.isNegative() || longest.isZero()) {
      throw RegistryErrors.noTime(longest);
    }
    return new SchemaRegistry(url, user, secret, attempts, longest, sleeper);
  }

  SchemaRegistry withSleeper(Sleeper other) {
    return new SchemaRegistry(url, user, secret, attempts, timeout, other);
  }

  /** Returns the schema of an id, nothing if there is none. */
  Optional<Schema> schema(int id) throws BadEventException {
    Optional<JsonNode> answer = get("/schemas/ids/" + id);
    if (answer.isEmpty()) {
      return Optional.empty();
    }
    try {
      Schema.Parser parser = new Schema.Parser().setValidateDefaults(false);
      parseReferences(answer.get(), parser, new HashSet<>());
      return Optional.of(parser.parse(text(answer.get())));
    } catch (SchemaParseException e) {
      throw BadEventException.parse("", "The schema of a record must be an Avro schema.");
    }
  }

  private void parseReferences(JsonNode answer, Schema.Parser parser, Set<String> seen)
      throws BadEventException {
    for (JsonNode reference : answer.path("references")) {
      String subject = reference.path("subject").asText();
      String path =
          "/subjects/%s/versions/%d"
              .formatted(
                  URLEncoder.encode(subject, StandardCharsets.UTF_8).replace("+", "%20"),
                  reference.path("version").asInt());
      if (seen.add(path)) {
        JsonNode referred =
            get(path).orElseThrow(() -> RegistryErrors.unexpected(url, path, NOT_FOUND));
        parseReferences(referred, parser, seen);
        parser.parse(text(referred));
      }
    }
  }

  private static String text(JsonNode answer) throws BadEventException {
    // Without a type it is Avro, as it was before there were others.
    if (!answer.path("schemaType").asText("AVRO").equals("AVRO")) {
      throw BadEventException.parse("", "The schema of a record must be an Avro schema.");
    }
    return answer.path("schema").asText();
  }

  private Optional<JsonNode> get(String path) {
    HttpResponse<String> response = send(path);
    int status = response.statusCode();
    JsonNode body = json(response.body());
    if (status == NOT_FOUND
        && body != null
        && body.path("error_code").asText().equals(NO_SUCH_SCHEMA)) {
      return Optional.empty();
    }
    if (NO_ACCESS.contains(status)) {
      throw RegistryErrors.refused(url, path, status);
    }
    if (status / 100 != 2 || body == null || !body.path("schema").isTextual()) {
      throw RegistryErrors.unexpected(url, path, status);
    }
    return Optional.of(body);
  }

  private static @Nullable JsonNode json(String body) {
    try {
      return MAPPER.readTree(body);
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  private HttpResponse<String> send(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + path))
            .timeout(timeout)
            .header("Accept", "application/vnd.schemaregistry.v1+json, application/json");
    if (!secret.isEmpty()) {
      request.header("Authorization", authorization());
    }
    try {
      return send(request.build(), path);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RegistryErrors.interrupted(url, path, e);
    }
  }

  private HttpResponse<String> send(HttpRequest request, String path) throws InterruptedException {
    Duration next = FIRST_PAUSE;
    for (int attempt = 1; ; attempt++) {
      try {
        HttpResponse<String> response =
            CLIENT.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        int status = response.statusCode();
        if (status != TOO_MANY_REQUESTS && status < SERVER_ERROR) {
          return response;
        }
        if (attempt == attempts) {
          throw RegistryErrors.unavailable(url, path, attempts, status, null);
        }
      } catch (IOException e) {
        if (attempt == attempts) {
          throw RegistryErrors.unavailable(url, path, attempts, 0, e);
        }
      }
      sleeper.sleep(next.toMillis());
      next = next.multipliedBy(2);
    }
  }

  private String authorization() {
    String found;
    try {
      found = References.follow(secret);
    } catch (UnresolvedReferenceException e) {
      throw RegistryErrors.noSecret(url, e.name());
    }
    return user.isEmpty()
        ? "Bearer " + found
        : "Basic "
            + Base64.getEncoder()
                .encodeToString((user + ":" + found).getBytes(StandardCharsets.UTF_8));
  }

  @Serial
  private Object readResolve() {
    return new SchemaRegistry(url, user, secret, attempts, timeout, Sleeper.DEFAULT);
  }

  @Override
  public String toString() {
    return "SchemaRegistry{url=%s}".formatted(url);
  }
}
