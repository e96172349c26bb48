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
package dev.idem.testing;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.stream.Stream;

/*
 * S3Mock looks whether an object exists and then writes it: of two conditional puts at once both may
 * win, as they did for 87 of 200 keys. The gate before it lets one request to a key pass at a time,
 * which is what S3 promises. So these tests show that a writer states the condition and obeys the
 * answer; that S3 keeps to its promise they cannot show.
 */
/**
 * An object store of the S3 protocol: Adobe's S3Mock in a JVM of its own, behind a gate in this one
 * that makes its conditional puts atomic, can lose answers and keeps a list of all requests.
 */
public final class S3Store implements AutoCloseable {

  /**
   * A request.
   *
   * @param method the HTTP method
   * @param path bucket and key, with a slash before each
   * @param ifAbsent whether it is to fail if the key is taken
   */
  public record Request(String method, String path, boolean ifAbsent) {}

  private static final String STARTED = "port ";
  private static final Set<String> OWN_HEADERS =
      Set.of("host", "connection", "content-length", "expect", "upgrade", "transfer-encoding");
  private static final String BUCKET = "idem";

  static {
    // Else every answer waits some 40 ms until its headers are acknowledged.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final Process process;
  private final Path directory;
  private final HttpServer gate;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final int port;
  private final Map<String, Object> locks = new ConcurrentHashMap<>();
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private volatile Predicate<Request> lost = request -> false;

  private S3Store(Process process, Path directory) throws IOException {
    this.process = process;
    this.directory = directory;
    this.port = awaitStart();
    this.gate = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    gate.setExecutor(threads);
    gate.createContext("/", this::pass);
    gate.start();
    exchange(
        HttpRequest.newBuilder(URI.create(endpoint() + "/" + BUCKET))
            .PUT(HttpRequest.BodyPublishers.noBody())
            .build());
    requests.clear();
  }

  /** Starts a store that is empty. */
  public static S3Store start() {
    String module = System.getProperty("idem.s3mock");
    if (module == null) {
      throw new IllegalStateException(
          "System property idem.s3mock must name the directory of src/it/s3mock, but was: null. Run"
              + " the test with Maven, or set the property.");
    }
    try {
      Path target = Path.of(module, "target");
      Path directory = Files.createTempDirectory("idem-s3mock");
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx256m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-Djava.io.tmpdir=" + directory,
                  "-cp",
                  target.resolve("classes")
                      + File.pathSeparator
                      + Files.readString(target.resolve("s3mock.classpath")).strip(),
                  "dev.idem.it.s3mock.RunS3Mock",
                  "--server.port=0",
                  "--com.adobe.testing.s3mock.httpPort=0")
              .redirectErrorStream(true)
              .start();
      return new S3Store(process, directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private int awaitStart() throws IOException {
    BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    List<String> lines = new ArrayList<>();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      lines.add(line);
      if (line.startsWith(STARTED)) {
        // Nobody reads what it says from now on, and a full pipe would stop it.
        threads.execute(() -> output.lines().forEach(ignored -> {}));
        return Integer.parseInt(line.substring(STARTED.length()));
      }
    }
    throw new IllegalStateException("S3Mock must start, but did not.\n" + String.join("\n", lines));
  }

  /** Returns a place in the store under which nobody else writes, for {@code s3a}. */
  public static String location(String name) {
    return "s3a://" + BUCKET + "/" + name;
  }

  /** Returns the address of the store. */
  public String endpoint() {
    return "http://127.0.0.1:" + gate.getAddress().getPort();
  }

  /** Returns the settings that {@code s3a} takes to use the store, except for credentials. */
  public Map<String, String> settings() {
    Map<String, String> settings = new TreeMap<>();
    settings.put("fs.s3a.endpoint", endpoint());
    settings.put("fs.s3a.endpoint.region", "us-east-1");
    settings.put("fs.s3a.path.style.access", "true");
    settings.put("fs.s3a.connection.ssl.enabled", "false");
    return settings;
  }

  /**
   * Carries out requests that {@code which} accepts, and breaks the connection instead of an
   * answer.
   */
  public void loseAnswers(Predicate<Request> which) {
    lost = which;
  }

  /** Returns all requests so far. */
  public List<Request> requests() {
    return List.copyOf(requests);
  }

  /** Returns the store's files that hold a text, by name. */
  public List<String> filesWith(String text) throws IOException {
    byte[] wanted = text.getBytes(StandardCharsets.UTF_8);
    try (Stream<Path> files = Files.walk(directory)) {
      List<String> found = new ArrayList<>();
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
            .contains(new String(wanted, StandardCharsets.ISO_8859_1))) {
          found.add(directory.relativize(file).toString());
        }
      }
      return found;
    }
  }

  private void pass(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      Headers given = exchange.getRequestHeaders();
      Request request =
          new Request(exchange.getRequestMethod(), path, given.containsKey("If-None-Match"));
      byte[] body = exchange.getRequestBody().readAllBytes();
      HttpRequest.Builder forwarded =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + exchange.getRequestURI()))
              .method(request.method(), HttpRequest.BodyPublishers.ofByteArray(body));
      given.forEach(
          (name, values) -> {
            if (!OWN_HEADERS.contains(name.toLowerCase(java.util.Locale.ROOT))) {
              values.forEach(value -> forwarded.header(name, value));
            }
          });
      HttpResponse<byte[]> answer;
      if (request.method().equals("GET") || request.method().equals("HEAD")) {
        answer = exchange(forwarded.build());
      } else {
        synchronized (locks.computeIfAbsent(path, key -> new Object())) {
          answer = exchange(forwarded.build());
        }
      }
      requests.add(request);
      if (lost.test(request)) {
        return;
      }
      boolean head = request.method().equals("HEAD");
      answer
          .headers()
          .map()
          .forEach(
              (name, values) -> {
                boolean own = OWN_HEADERS.contains(name.toLowerCase(java.util.Locale.ROOT));
                if (!own || (head && name.equalsIgnoreCase("content-length"))) {
                  exchange.getResponseHeaders().put(name, values);
                }
              });
      byte[] content = answer.body();
      exchange.sendResponseHeaders(answer.statusCode(), content.length == 0 ? -1 : content.length);
      exchange.getResponseBody().write(content);
    }
  }

  private HttpResponse<byte[]> exchange(HttpRequest request) throws IOException {
    try {
      return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while the store answered.", e);
    }
  }

  @Override
  public void close() throws IOException {
    gate.stop(0);
    process.destroyForcibly();
    threads.shutdownNow();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
