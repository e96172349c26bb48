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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A server that knows idempotency keys until it is told to forget them, and never forgets what
 * effects it had. What goes wrong is decided by {@link Faults}.
 */
public final class EffectServer implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** A request as it came. */
  public record Asked(String method, String path, String key, String body, Headers headers) {}

  /**
   * What goes wrong.
   *
   * @param status what is answered instead of an effect, 0 to have the effect
   * @param headers headers of that answer
   * @param drop whether the connection is closed without an answer
   * @param running how many further requests of the key find the first one running
   */
  public record Fault(int status, Map<String, String> headers, boolean drop, int running) {
    public static final Fault NONE = new Fault(0, Map.of(), false, 0);

    /** Has the effect and closes the connection. */
    public static final Fault ANSWER_LOST = new Fault(0, Map.of(), true, 0);

    /** Closes the connection. */
    public static final Fault REQUEST_LOST = new Fault(500, Map.of(), true, 0);

    /** Has the effect, closes the connection, and is busy with it for some requests. */
    public static Fault running(int requests) {
      return new Fault(0, Map.of(), true, requests);
    }

    /** Answers with a status instead of an effect. */
    public static Fault status(int status) {
      return new Fault(status, Map.of(), false, 0);
    }

    /** Returns the same fault with a header in its answer. */
    Fault with(String header, String value) {
      return new Fault(status, Map.of(header, value), drop, running);
    }
  }

  /** Decides what goes wrong with a request; the number counts from 1. */
  public interface Faults {
    /** Returns what goes wrong. */
    Fault of(int number, Asked request);
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Faults faults;
  private final Map<String, String> remembered = new HashMap<>();
  private final Map<String, Integer> running = new HashMap<>();
  private final List<String> effects = new ArrayList<>();
  final List<Asked> requests = new ArrayList<>();

  /** How many requests were answered with each status. */
  final Map<Integer, Integer> answers = new HashMap<>();

  /** Starts a server on a free port. */
  public EffectServer(Faults faults) throws IOException {
    this.faults = faults;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  /** Returns the URL of a path. */
  public String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  private void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Asked asked =
        new Asked(
            exchange.getRequestMethod(),
            exchange.getRequestURI().toString(),
            exchange.getRequestHeaders().getFirst("Idempotency-Key"),
            body,
            exchange.getRequestHeaders());
    byte[] answer = new byte[0];
    int status;
    synchronized (this) {
      requests.add(asked);
      Fault fault = faults.of(requests.size(), asked);
      if (fault.status() != 0) {
        status = fault.drop() ? 0 : fault.status();
        fault.headers().forEach(exchange.getResponseHeaders()::set);
        answer =
            ("no: " + asked.headers().getFirst("Authorization")).getBytes(StandardCharsets.UTF_8);
      } else if (asked.path().startsWith("/bulk")) {
        answer = bulk(body);
        status = fault.drop() ? 0 : 207;
      } else {
        status = one(asked, fault, exchange.getResponseHeaders());
      }
      answers.merge(status, 1, Integer::sum);
    }
    if (status != 0) {
      exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
      exchange.getResponseBody().write(answer);
    }
    exchange.close();
  }

  private int one(Asked asked, Fault fault, Headers headers) {
    String payload = asked.path() + " " + asked.body();
    String before = remembered.putIfAbsent(asked.key(), payload);
    if (before == null) {
      effects.add(payload);
      running.put(asked.key(), fault.running());
      return fault.drop() ? 0 : 201;
    }
    int left = running.merge(asked.key(), -1, Integer::sum);
    if (left >= 0) {
      return 409;
    }
    headers.set("Idempotency-Replayed", "true");
    return before.equals(payload) ? (fault.drop() ? 0 : 200) : 422;
  }

  /** Items are {@code {"key": .., "text": ..}}; a text with "bad" in it is refused. */
  private byte[] bulk(String body) throws IOException {
    List<Map<String, String>> items = new ArrayList<>();
    if (body.startsWith("[")) {
      items = JSON.readValue(body, new TypeReference<>() {});
    } else {
      for (String line : body.lines().toList()) {
        items.add(JSON.readValue(line, new TypeReference<Map<String, String>>() {}));
      }
    }
    Map<String, String> said = new HashMap<>();
    for (Map<String, String> item : items) {
      String key = item.get("key");
      String text = item.get("text");
      if (text.contains("bad")) {
        said.put(key, "bad");
      } else if (text.contains("slow") && running.merge(key, 1, Integer::sum) < 3) {
        said.put(key, "slow");
      } else if (remembered.putIfAbsent(key, text) == null) {
        effects.add(text);
        said.put(key, "new");
      } else {
        said.put(key, "old");
      }
    }
    return JSON.writeValueAsBytes(said);
  }

  /** Forgets all keys, and no effects. */
  public synchronized void forgetKeys() {
    remembered.clear();
    running.clear();
  }

  /** Returns the effects, each as path and body. */
  public synchronized List<String> effects() {
    return List.copyOf(effects);
  }

  synchronized int asked() {
    return requests.size();
  }

  /** Compares count, distinct, missing and values of effects that came by one path. */
  void assertHasOnce(String path, List<Note> notes) {
    List<String> held = effects();
    List<String> expected =
        notes.stream().map(n -> path + " " + new String(n.body(), StandardCharsets.UTF_8)).toList();
    assertHasOnce(held, expected);
  }

  /** Compares count, distinct, missing and values. */
  public static void assertHasOnce(List<String> held, List<String> expected) {
    TreeSet<String> missing = new TreeSet<>(expected);
    held.forEach(missing::remove);
    assertThat("missing", missing, is(new TreeSet<>()));
    assertThat("count", held.size(), is(expected.size()));
    assertThat("distinct", new HashSet<>(held).size(), is(expected.size()));
    assertThat("values", new HashSet<>(held), equalTo(new HashSet<>(expected)));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
