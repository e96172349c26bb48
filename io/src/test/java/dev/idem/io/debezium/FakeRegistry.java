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

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.checkerframework.checker.nullness.qual.Nullable;

/** A schema registry's documented API over HTTP, and its faults. */
public final class FakeRegistry implements AutoCloseable {

  /** A status that stands for no answer at all within the client's patience. */
  static final int SILENCE = 0;

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final HttpServer server;
  private final Map<String, String> answers = new TreeMap<>();
  private final Queue<Integer> faults = new ArrayDeque<>();
  private final List<String> requests = new ArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable String authorization;
  private int ids;

  /** Starts a registry without schemas. */
  public FakeRegistry() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
  }

  /** Returns where it listens. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Adds an Avro schema, with what it refers to as {@code name, subject, version}. */
  synchronized int add(String schema, String... references) {
    answers.put("/schemas/ids/" + ++ids, body(schema, null, references));
    return ids;
  }

  /** Adds a schema of another type. */
  synchronized int addOther(String schema, String type) {
    answers.put("/schemas/ids/" + ++ids, body(schema, type));
    return ids;
  }

  /** Adds a version of a subject. */
  synchronized void addVersion(String path, String schema, String... references) {
    answers.put("/subjects/" + path, body(schema, null, references));
  }

  private static String body(String schema, @Nullable String type, String... references) {
    ObjectNode body = MAPPER.createObjectNode().put("schema", schema);
    if (type != null) {
      body.put("schemaType", type);
    }
    if (references.length > 0) {
      ArrayNode all = body.putArray("references");
      for (int i = 0; i < references.length; i += 3) {
        all.addObject()
            .put("name", references[i])
            .put("subject", references[i + 1])
            .put("version", Integer.parseInt(references[i + 2]));
      }
    }
    return body.toString();
  }

  /** Answers the next requests with these statuses. */
  synchronized FakeRegistry failing(int... statuses) {
    for (int status : statuses) {
      faults.add(status);
    }
    return this;
  }

  /** Answers only requests that have this header. */
  public synchronized void require(String header) {
    authorization = header;
  }

  /** Returns the paths that were asked for. */
  synchronized List<String> requests() {
    return List.copyOf(requests);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      int status;
      String body;
      synchronized (this) {
        String path = exchange.getRequestURI().getRawPath();
        requests.add(path);
        Integer fault = faults.poll();
        String given = exchange.getRequestHeaders().getFirst("Authorization");
        body = answers.get(path);
        if (fault != null) {
          status = fault;
          body = "<html>not JSON</html>";
        } else if (authorization != null && !authorization.equals(given)) {
          status = 401;
          body = "{\"error_code\":40101,\"message\":\"Unauthorized\"}";
        } else if (body == null) {
          status = 404;
          body =
              path.startsWith("/schemas")
                  ? "{\"error_code\":40403,\"message\":\"Schema not found\"}"
                  : "{\"error_code\":40401,\"message\":\"Subject not found\"}";
        } else {
          status = 200;
        }
      }
      respond(exchange, status, body);
    }
  }

  private void respond(HttpExchange exchange, int status, String body) throws IOException {
    if (status == SILENCE) {
      awaitClose();
      return;
    }
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private void awaitClose() {
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
  }
}
