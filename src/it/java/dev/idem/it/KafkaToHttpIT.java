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
package dev.idem.it;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.idem.io.http.EffectServer;
import dev.idem.io.http.EffectServer.Fault;
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.testing.Covers.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that send records to a real server, halted at every crash point. */
class KafkaToHttpIT {

  @TempDir Path directory;

  private List<String> command(EventJob events, EffectServer server, String... more) {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("--bootstrapServers", events.broker.bootstrapServers());
    options.put("--topics", events.topic);
    options.put("--url", server.url("/effects"));
    options.put("--key", "id");
    options.put("--checkpoint", directory.resolve("checkpoint").toString());
    options.put("--maxRecordsPerBatch", "10");
    for (String option : more) {
      int equals = option.indexOf('=');
      options.put(option.substring(0, equals), option.substring(equals + 1));
    }
    List<String> command = new ArrayList<>(List.of("kafka-to-http"));
    options.forEach((name, value) -> command.add(name + "=" + value));
    return command;
  }

  private static List<String> effects(int from, int to) {
    return IntStream.range(from, to).mapToObj(id -> "/effects " + EventJob.event(id)).toList();
  }

  @Test
  @Row({35, 61})
  void crashAtEveryPointHasEveryEffectOnce() throws IOException {
    EventJob events = EventJob.in(directory);
    // Of a server the driver keeps no record, so that all other points are like one of these.
    List<CrashPoint> points =
        List.of(
            CrashPoint.BEFORE_TARGET_COMMIT,
            CrashPoint.AFTER_TARGET_WRITE,
            CrashPoint.BEFORE_COMMITS,
            CrashPoint.AFTER_COMMITS);
    // A server that has the effect and closes one connection of ten, and is busy with one of seven.
    try (EffectServer server =
        new EffectServer(
            (number, asked) ->
                number % 10 == 0
                    ? Fault.ANSWER_LOST
                    : number % 7 == 0 ? Fault.running(1) : Fault.NONE)) {
      for (int batch = 0; batch < points.size(); batch++) {
        events.send(batch * 10, batch * 10 + 10);
        String point = points.get(batch).option();
        Forked.idem(command(events, server, "--crashAt=" + point + ":" + batch)).exits(86);
        boolean sent = points.get(batch).compareTo(CrashPoint.BEFORE_TARGET_COMMIT) > 0;
        EffectServer.assertHasOnce(server.effects(), effects(0, batch * 10 + (sent ? 10 : 0)));
      }
      Outcome last = Forked.idem(command(events, server)).done();

      EffectServer.assertHasOnce(server.effects(), effects(0, points.size() * 10));
      assertThat(last.out(), containsString("keeps no record of batches"));
    }
  }

  @Test
  void rowsThatTheServerRefusesAreDeadLettersWithTheirRecord() throws IOException {
    EventJob events = EventJob.in(directory);
    events.send(0, 10);
    events.sendValue("{\"id\":null,\"at\":\"now\",\"amount\":1}");
    try (EffectServer server =
        new EffectServer(
            (number, asked) -> asked.body().contains("\"e7\"") ? Fault.status(422) : Fault.NONE)) {
      Forked.idem(command(events, server, "--maxRecordsPerBatch=100")).done();

      List<String> taken = new ArrayList<>(effects(0, 10));
      taken.remove(7);
      EffectServer.assertHasOnce(server.effects(), taken);
      assertThat(
          JdbcJob.deadLetters(directory.resolve("checkpoint_dead_letter")),
          is(
              List.of(
                  "rejected by target 10 {\"id\":null,\"at\":\"now\",\"amount\":1}",
                  "rejected by target 7 " + EventJob.event(7))));
    }
  }

  @Test
  void placesAreOfEachRowAndCopiesUnderOneSequenceAreOneEffect() throws IOException {
    EventJob events = EventJob.in(directory);
    events.send(0, 10);
    events.send(0, 10);
    events.sendValue("{\"id\":\"e/ 3?\",\"at\":\"now\",\"amount\":5}");
    Map<String, String> last = new TreeMap<>();
    IntStream.range(0, 10).forEach(id -> last.put("/effects/of/e" + id, EventJob.event(id)));
    last.put("/effects/of/e%2F%203%3F", "{\"id\":\"e/ 3?\",\"at\":\"now\",\"amount\":5}");
    try (EffectServer server = new EffectServer((number, asked) -> Fault.NONE)) {
      List<String> command =
          command(
              events,
              server,
              "--method=put",
              "--path=/of/{id}",
              "--sequenceBy=amount",
              "--maxRecordsPerBatch=100");
      Forked.idem(command).done();

      List<String> expected = new ArrayList<>();
      last.forEach((path, body) -> expected.add(path + " " + body));
      EffectServer.assertHasOnce(server.effects(), expected);
    }
  }

  @Test
  void requestOfUnknownOutcomeIsADeadLetterOnceTheServerMayHaveForgottenIt() throws IOException {
    EventJob events = EventJob.in(directory);
    events.send(0, 10);
    try (EffectServer server =
        new EffectServer(
            (number, asked) -> asked.body().contains("\"e7\"") ? Fault.ANSWER_LOST : Fault.NONE)) {
      String[] ledger = {
        "--ledger=" + directory.resolve("ledger"), "--requestTimeout=1s", "--keyMemory=3s"
      };
      Forked.idem(command(events, server, ledger)).done();
      server.forgetKeys();
      Forked.idem(command(events, server, ledger)).done();

      EffectServer.assertHasOnce(server.effects(), effects(0, 10));
      assertThat(
          JdbcJob.deadLetters(directory.resolve("checkpoint_dead_letter")),
          is(List.of("rejected by target 7 " + EventJob.event(7))));
    }
  }

  @Test
  void secretsOfHeadersAreSentAndNowhereElse() throws IOException {
    EventJob events = EventJob.in(directory);
    events.send(0, 3);
    Path headers = directory.resolve("headers.properties");
    Path secret = Files.writeString(directory.resolve("token"), "Bearer s3cr3t-token");
    Files.writeString(headers, "Authorization=${file:" + secret + "}\n");
    try (EffectServer server =
        new EffectServer(
            (number, asked) ->
                "Bearer s3cr3t-token".equals(asked.headers().getFirst("Authorization"))
                    ? Fault.NONE
                    : Fault.status(401))) {
      Outcome sent = Forked.idem(command(events, server, "--headers=" + headers)).done();
      Files.writeString(secret, "Bearer other-s3cr3t");
      events.send(3, 4);
      Outcome refused = Forked.idem(command(events, server, "--headers=" + headers)).exits(1);

      EffectServer.assertHasOnce(server.effects(), effects(0, 3));
      assertThat(refused.err(), containsString("401"));
      assertThat((sent.out() + sent.err() + refused.err()).contains("s3cr3t"), is(false));
    }
  }
}
