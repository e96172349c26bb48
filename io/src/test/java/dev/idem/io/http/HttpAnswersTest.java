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
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.http.EffectServer.Fault;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.Row;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpAnswersTest {

  private static Throwable root(Throwable error) {
    return error.getCause() == null ? error : root(error.getCause());
  }

  /** Which requests were answered badly, by key, so that each is so once. */
  private static EffectServer.Faults onceEach(Fault fault) {
    Set<String> seen = new HashSet<>();
    return (number, request) -> seen.add(request.key()) ? fault : Fault.NONE;
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 409, 423, 425, 429, 500, 502, 503, 504, 599})
  void statusOfAServerThatCannotNowIsAskedAgainWithTheSameKey(int status) throws Exception {
    try (EffectServer server = new EffectServer(onceEach(Fault.status(status)))) {
      Sending.Outputs outputs = Sending.run(Note.of(0, 4), Sending.post(server.url("/notes")));

      server.assertHasOnce("/notes", Note.of(0, 4));
      assertThat(outputs.written(), containsInAnyOrder(Note.of(0, 4).toArray()));
      assertThat(server.asked(), is(8));
      assertThat(server.requests.stream().map(EffectServer.Asked::key).distinct().count(), is(4L));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 412, 413, 414, 422, 424, 428, 431, 499})
  void statusOfARecordMakesADeadLetterOfItAndOfNoOther(int status) throws Exception {
    try (EffectServer server =
        new EffectServer(
            (number, request) ->
                request.body().startsWith("n2 ") ? Fault.status(status) : Fault.NONE)) {
      Sending.Outputs outputs = Sending.run(Note.of(0, 4), Sending.post(server.url("/notes")));

      List<Note> good = List.of(Note.of(0), Note.of(1), Note.of(3));
      server.assertHasOnce("/notes", good);
      assertThat(outputs.written(), containsInAnyOrder(good.toArray()));
      assertThat(outputs.dead().size(), is(1));
      assertThat(outputs.dead().get(0).record(), is(Note.of(2)));
      assertThat(outputs.dead().get(0).errorClass(), is("http " + status));
      assertThat(outputs.dead().get(0).message(), containsString("HTTP " + status + ": no"));
      assertThat(server.asked(), is(4));
    }
  }

  @ParameterizedTest
  @ValueSource(
      ints = {301, 302, 304, 307, 308, 401, 402, 403, 404, 405, 407, 410, 411, 415, 501, 505})
  void statusThatAnyRecordWouldGetFailsThePipeline(int status) throws Exception {
    try (EffectServer server =
        new EffectServer(
            (number, request) -> Fault.status(status).with("Location", "/elsewhere"))) {
      var e =
          assertThrows(
              Pipeline.PipelineExecutionException.class,
              () -> Sending.run(Note.of(0, 4), Sending.post(server.url("/notes")).withShards(1)));

      assertThat(root(e), is(instanceOf(HttpConfigurationException.class)));
      assertThat(root(e).getMessage(), containsString("answered: " + status));
      assertThat(server.asked(), is(1));
      assertThat(server.effects(), is(empty()));
    }
  }

  @Test
  void whatAStatusMeansCanBeChanged() throws Exception {
    Map<String, Integer> statuses = Map.of("n0", 409, "n1", 304, "n2", 250);
    try (EffectServer server =
        new EffectServer(
            (number, request) -> Fault.status(statuses.get(request.body().substring(0, 2))))) {
      Sending.Outputs outputs =
          Sending.run(
              Note.of(0, 3),
              Sending.post(server.url("/notes"))
                  .withStatus(200, 299, StatusClass.ALREADY_WRITTEN)
                  .withStatus(409, StatusClass.REJECTED)
                  .withStatus(300, 399, StatusClass.REJECTED)
                  .withStatus(304, StatusClass.WRITTEN));

      assertThat(outputs.written(), is(List.of(Note.of(1))));
      assertThat(outputs.alreadyWritten(), is(List.of(Note.of(2))));
      assertThat(outputs.dead().size(), is(1));
      assertThat(outputs.dead().get(0).errorClass(), is("http 409"));
    }
  }

  @Test
  void recordsThatTheServerHadAreAlreadyWritten() throws Exception {
    try (EffectServer server = new EffectServer((number, request) -> Fault.NONE)) {
      WriteHttpEffects<Note> write = Sending.post(server.url("/notes"));
      Sending.run(Note.of(0, 10), write);

      Sending.Outputs second = Sending.run(Note.of(0, 12), write);

      server.assertHasOnce("/notes", Note.of(0, 12));
      assertThat(second.written(), containsInAnyOrder(Note.of(10), Note.of(11)));
      assertThat(second.alreadyWritten(), containsInAnyOrder(Note.of(0, 10).toArray()));
    }
  }

  @Test
  void otherContentUnderAKeyThatTheServerKnowsIsADeadLetter() throws Exception {
    try (EffectServer server = new EffectServer((number, request) -> Fault.NONE)) {
      WriteHttpEffects<Note> write = Sending.post(server.url("/notes"));
      Sending.run(List.of(Note.of(1)), write);

      Sending.Outputs second = Sending.run(List.of(new Note("n1", 1, "other")), write);

      server.assertHasOnce("/notes", List.of(Note.of(1)));
      assertThat(second.dead().size(), is(1));
      assertThat(second.dead().get(0).errorClass(), is("http 422"));
    }
  }

  @Test
  void lostAnswerHoldsTheLaterRecordsOfItsKeyBackAndNoOthers() throws Exception {
    List<Note> notes = new ArrayList<>();
    for (int id = 0; id < 20; id++) {
      for (int version = 1; version <= 5; version++) {
        notes.add(new Note("n" + id, version, "v" + version));
      }
    }
    Set<String> lost = new HashSet<>();
    EffectServer.Faults faults =
        (number, request) ->
            number % 7 == 0 && lost.add(request.key()) ? Fault.REQUEST_LOST : Fault.NONE;
    try (EffectServer server = new EffectServer(faults)) {
      Sending.run(notes, Sending.post(server.url("/notes")));

      server.assertHasOnce("/notes", notes);
      Map<String, List<String>> byId = new HashMap<>();
      for (String effect : server.effects()) {
        String[] parts = effect.split(" ", -1);
        byId.computeIfAbsent(parts[1], unused -> new ArrayList<>()).add(parts[2]);
      }
      byId.forEach((id, order) -> assertThat(id, order, is(List.of("1", "2", "3", "4", "5"))));
    }
  }

  @Test
  void everyRequestIsOneOfOurAttempts() throws Exception {
    try (EffectServer server = new EffectServer((number, request) -> Fault.REQUEST_LOST)) {
      for (WriteHttpEffects<Note> write :
          List.of(
              Sending.post(server.url("/notes")),
              Sending.keyed(HttpEffectIO.<Note>put(server.url("/notes"))).withBody(Note::body),
              Sending.keyed(HttpEffectIO.<Note>delete(server.url("/notes"))))) {
        int before = server.asked();

        var e =
            assertThrows(
                Pipeline.PipelineExecutionException.class,
                () ->
                    Sending.run(
                        Note.of(0, 1),
                        write.withRetries(3, Duration.millis(1), Duration.millis(2))));

        assertThat(e.getMessage(), containsString("failed at each of 3 attempts"));
        assertThat(server.asked() - before, is(3));
      }
    }
  }

  @Test
  void serverThatFailsSeveralTimesInARowIsLeftAloneUntilTheNextAttempt() throws Exception {
    try (EffectServer server = new EffectServer((number, request) -> Fault.status(503))) {
      assertThrows(
          Pipeline.PipelineExecutionException.class,
          () ->
              Sending.run(
                  Note.of(0, 100),
                  Sending.post(server.url("/notes"))
                      .withShards(1)
                      .withRetries(2, Duration.millis(1), Duration.millis(2))));

      assertThat(server.asked(), is(6));
    }
  }

  @Test
  void serverThatTakesAFewAtATimeIsAskedAsLateAsItWants() throws Exception {
    List<Long> times = new ArrayList<>();
    EffectServer.Faults faults =
        (number, request) -> {
          times.add(System.nanoTime());
          return number % 4 == 0 ? Fault.status(429).with("Retry-After", "1") : Fault.NONE;
        };
    try (EffectServer server = new EffectServer(faults)) {
      Sending.run(
          Note.of(0, 8),
          Sending.post(server.url("/notes"))
              .withShards(1)
              .withRetries(2, Duration.millis(1), Duration.millis(2)));

      server.assertHasOnce("/notes", Note.of(0, 8));
      assertThat(server.asked(), is(10));
      assertThat(times.get(4) - times.get(3), is(greaterThanOrEqualTo(1_000_000_000L)));
      assertThat(times.get(8) - times.get(7), is(greaterThanOrEqualTo(1_000_000_000L)));
    }
  }

  @Test
  void longestPauseThatIsAskedForIsKeptForAll() throws Exception {
    List<Long> times = new ArrayList<>();
    EffectServer.Faults faults =
        (number, request) -> {
          times.add(System.nanoTime());
          return switch (number) {
            case 1 -> Fault.status(500);
            case 2 -> Fault.status(429).with("Retry-After", "1");
            default -> Fault.NONE;
          };
        };
    try (EffectServer server = new EffectServer(faults)) {
      Sending.run(Note.of(0, 3), Sending.post(server.url("/notes")).withShards(1));

      server.assertHasOnce("/notes", Note.of(0, 3));
      assertThat(server.asked(), is(5));
      assertThat(times.get(2) - times.get(1), is(greaterThanOrEqualTo(1_000_000_000L)));
    }
  }

  @Test
  void retryAfterIsSecondsOrADate() {
    Clock clock = Clock.fixed(Instant.parse("2026-03-01T10:00:00Z"), ZoneOffset.UTC);

    assertThat(RetryAfter.parse("7", clock).orElseThrow(), is(java.time.Duration.ofSeconds(7)));
    assertThat(
        RetryAfter.parse("Sun, 01 Mar 2026 10:02:30 GMT", clock).orElseThrow(),
        is(java.time.Duration.ofSeconds(150)));
    assertThat(RetryAfter.parse("soon", clock).isEmpty(), is(true));
    assertThat(
        RetryAfter.parse("99999999999999999999", clock).orElseThrow(),
        is(java.time.Duration.ofSeconds(9_999_999_999L)));
  }

  @Test
  void serverThatWantsToBeLeftAloneForTooLongFailsThePipeline() throws Exception {
    EffectServer.Faults faults =
        (number, request) -> Fault.status(503).with("Retry-After", "Sun, 01 Mar 2026 11:00:00 GMT");
    try (EffectServer server = new EffectServer(faults)) {
      var e =
          assertThrows(
              Pipeline.PipelineExecutionException.class,
              () ->
                  Sending.run(
                      Note.of(0, 1),
                      Sending.post(server.url("/notes"))
                          .withLongestWait(Duration.standardMinutes(59))
                          .withClock(
                              Clock.fixed(Instant.parse("2026-03-01T10:00:00Z"), ZoneOffset.UTC))));

      assertThat(root(e).getMessage(), allOf(containsString("PT59M"), containsString("PT1H")));
      assertThat(server.asked(), is(1));
    }
  }

  @Test
  void answerThatDoesNotEndIsAskedForAgain() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    var socket = new java.net.ServerSocket(0, 10, java.net.InetAddress.getLoopbackAddress());
    List<java.net.Socket> connections = new ArrayList<>();
    Thread server =
        new Thread(
            () -> {
              try {
                while (true) {
                  var connection = socket.accept();
                  connections.add(connection);
                  // Headers at once, and never the body.
                  connection
                      .getOutputStream()
                      .write(
                          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
                              .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                }
              } catch (java.io.IOException e) {
                end.countDown();
              }
            });
    server.start();

    var e =
        assertThrows(
            Pipeline.PipelineExecutionException.class,
            () ->
                Sending.run(
                    Note.of(0, 1),
                    Sending.post("http://127.0.0.1:" + socket.getLocalPort() + "/notes")
                        .withTimeouts(Duration.millis(200), Duration.millis(200))
                        .withRetries(2, Duration.millis(1), Duration.millis(2))));
    socket.close();
    end.await();

    assertThat(root(e).getMessage(), is("No whole answer within PT0.2S."));
    assertThat(connections.size(), is(2));
  }

  @Test
  void recordsHaveTheirOwnPlaces() throws Exception {
    Set<String> seen = new HashSet<>();
    EffectServer.Faults faults =
        (number, request) -> request.path().endsWith("n3") ? Fault.status(404) : Fault.NONE;
    try (EffectServer server = new EffectServer(faults)) {
      Sending.Outputs put =
          Sending.run(
              Note.of(2, 4),
              Sending.keyed(HttpEffectIO.<Note>put(server.url("/notes/")))
                  .withBody(Note::body)
                  .withPath(Note::id));
      Sending.Outputs deleted =
          Sending.run(
              Note.of(2, 4),
              Sending.keyed(HttpEffectIO.<Note>delete(server.url("/notes/")))
                  .named("app/deletes")
                  .withPath(Note::id));

      assertThat(put.written(), is(List.of(Note.of(2))));
      assertThat(put.dead().get(0).errorClass(), is("http 404"));
      assertThat(deleted.written(), is(List.of(Note.of(2))));
      assertThat(deleted.alreadyWritten(), is(List.of(Note.of(3))));
      server.requests.forEach(r -> seen.add(r.method() + " " + r.path()));
      assertThat(
          seen,
          equalTo(
              Set.of("PUT /notes/n2", "PUT /notes/n3", "DELETE /notes/n2", "DELETE /notes/n3")));
    }
  }

  @Test
  void recordCannotChooseTheServerNorLeaveThePath() throws Exception {
    try (EffectServer server = new EffectServer((number, request) -> Fault.NONE)) {
      List<Note> bad =
          List.of(
              new Note("@evil.example.org/", 1, ""),
              new Note("/../../admin", 1, ""),
              new Note(" not a url", 1, ""));

      Sending.Outputs outputs =
          Sending.run(
              bad,
              Sending.keyed(HttpEffectIO.<Note>post(server.url("/notes")))
                  .withBody(Note::body)
                  .withPath(Note::id));

      assertThat(
          outputs.dead().stream().map(letter -> letter.record()).toList(),
          containsInAnyOrder(new Note("/../../admin", 1, ""), new Note(" not a url", 1, "")));
      assertThat(server.requests.size(), is(1));
      assertThat(server.requests.get(0).path(), is("/notes@evil.example.org/"));
    }
    Sending.Outputs outputs =
        Sending.run(
            List.of(new Note("@127.0.0.1:1/", 1, "")),
            Sending.keyed(HttpEffectIO.<Note>post("http://localhost"))
                .withBody(Note::body)
                .withPath(Note::id));

    assertThat(outputs.dead().get(0).errorClass(), is("path"));
  }

  @Test
  void rowsAreSentByFunctions() throws Exception {
    Schema schema = Schema.builder().addStringField("id").addStringField("text").build();
    try (EffectServer server = new EffectServer((number, request) -> Fault.NONE)) {
      Pipeline pipeline = Pipeline.create();
      pipeline
          .apply(
              Create.of(Row.withSchema(schema).addValues("a", "{}").build()).withRowSchema(schema))
          .apply(
              HttpEffectIO.<Row>patch(server.url("/rows"))
                  .named("rows")
                  .keyedBy(row -> row.getString("id"), StringUtf8Coder.of())
                  .withBody(
                      row ->
                          row.getString("text").getBytes(java.nio.charset.StandardCharsets.UTF_8))
                  .withKeyHeader("Idempotency-Key")
                  .withContentType("application/merge-patch+json"));
      pipeline.run().waitUntilFinish();

      assertThat(server.effects(), is(List.of("/rows {}")));
      assertThat(
          server.requests.get(0).headers().getFirst("Content-Type"),
          is("application/merge-patch+json"));
      assertThat(server.requests.get(0).key().length(), is(64));
    }
  }

  @Test
  void allWorkersOfAProcessKeepTheRateLimitAndNoBatchIsLargerThanIt() throws Exception {
    List<Long> times = new ArrayList<>();
    EffectServer.Faults faults =
        (number, request) -> {
          times.add(System.nanoTime());
          return Fault.NONE;
        };
    try (EffectServer server = new EffectServer(faults)) {
      Sending.run(
          Note.of(0, 40),
          Sending.post(server.url("/notes")).withShards(1).withRateLimit(5, Duration.millis(50)));

      server.assertHasOnce("/notes", Note.of(0, 40));
      // 40 records by 5 in 50 ms; the first batch need not wait.
      assertThat(times.get(39) - times.get(0), is(greaterThanOrEqualTo(300_000_000L)));
    }
  }

  @Test
  void serverThatIsDownIsLeftAlone() throws Exception {
    try (EffectServer server = new EffectServer((number, request) -> Fault.status(503))) {
      assertThrows(
          Pipeline.PipelineExecutionException.class,
          () ->
              Sending.run(
                  Note.of(0, 1),
                  Sending.post(server.url("/notes"))
                      .withRetries(3, Duration.millis(1), Duration.millis(2))
                      .withCircuitBreaker(2, Duration.millis(50))));

      // The third attempt found the breaker open.
      assertThat(server.asked(), is(2));
    }
  }
}
