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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import com.sun.net.httpserver.HttpServer;
import dev.idem.testing.Covers;
import dev.idem.transforms.Runner;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.SerializableCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.TypeDescriptor;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The target of the guide, against a server that loses answers. */
class OwnTargetTest {

  @Covers.Row({13, 61})
  @ParameterizedTest
  @EnumSource
  void mailsAreSentOnceAlthoughAnswersAreLost(Runner runner) throws IOException {
    Map<String, String> sent = new HashMap<>();
    AtomicInteger requests = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/mails/",
        exchange -> {
          String key = exchange.getRequestURI().getPath().substring("/mails/".length());
          String text =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          synchronized (sent) {
            sent.putIfAbsent(key, text);
          }
          exchange.sendResponseHeaders(requests.incrementAndGet() % 11 == 0 ? 503 : 204, -1);
          exchange.close();
        });
    server.start();
    List<Order> orders =
        IntStream.range(0, 200).mapToObj(id -> new Order("o" + id, 1, "mail " + id)).toList();

    for (int run = 0; run < 2; run++) {
      Pipeline pipeline = runner.newPipeline();
      pipeline
          .apply(Create.of(orders).withCoder(SerializableCoder.of(TypeDescriptor.of(Order.class))))
          .apply(
              WriteIdempotently.to(new Mails("127.0.0.1:" + server.getAddress().getPort()))
                  .named("orders/mail")
                  .keyedBy(Order::id, StringUtf8Coder.of())
                  .sequencedBy(Order::version, VarLongCoder.of())
                  .withBatchSize(5)
                  .withCircuitBreaker(100, Duration.millis(1))
                  .withRetries(12, Duration.millis(1), Duration.millis(10)));
      pipeline.run().waitUntilFinish();
    }
    server.stop(0);

    List<String> texts = new ArrayList<>(sent.values());
    Set<String> expected = orders.stream().map(Order::text).collect(Collectors.toSet());
    assertThat("count", texts.size(), is(200));
    assertThat("values", new HashSet<>(texts), equalTo(expected));
  }

  @Test
  void guideShowsThisTarget() throws IOException {
    Path module = Path.of("").toAbsolutePath();
    String guide = Files.readString(module.resolve("../src/site/markdown/external.md"));
    String source =
        Files.readString(module.resolve("src/test/java/dev/idem/transforms/external/Mails.java"));

    String code =
        Arrays.stream(source.substring(source.indexOf("record Mails")).split("\n"))
            .filter(line -> !line.strip().equals("@Override"))
            .collect(Collectors.joining("\n"));

    assertThat(guide, containsString(code.strip()));
  }
}
