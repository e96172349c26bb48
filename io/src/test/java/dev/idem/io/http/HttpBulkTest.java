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
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.io.http.EffectServer.Fault;
import dev.idem.testing.Covers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HttpBulkTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  private static byte[] item(Note note, String key) {
    try {
      return JSON.writeValueAsBytes(Map.of("key", key, "text", note.text()));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Map<String, ItemOutcome> outcomes(BulkAnswer answer) {
    Map<String, String> said;
    try {
      said = JSON.readValue(answer.text(), new TypeReference<>() {});
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
    Map<String, ItemOutcome> outcomes = new HashMap<>();
    said.forEach(
        (key, what) ->
            outcomes.put(
                key,
                switch (what) {
                  case "new" -> ItemOutcome.written();
                  case "old" -> ItemOutcome.alreadyWritten();
                  case "slow" -> ItemOutcome.again("slow");
                  default -> ItemOutcome.rejected("bad item", "it is bad");
                }));
    return outcomes;
  }

  private static WriteHttpEffects<Note> bulk(EffectServer server, BulkFormat format) {
    return Sending.keyed(HttpEffectIO.<Note>post(server.url("/bulk")))
        .withShards(2)
        .withBatchSize(20)
        .inBulk(format, HttpBulkTest::item, HttpBulkTest::outcomes);
  }

  @Covers.Row({56, 61, 72})
  @ParameterizedTest
  @EnumSource
  void eachItemHasItsOwnOutcome(BulkFormat format) throws Exception {
    long seed = System.nanoTime();
    System.out.println("HttpBulkTest seed " + seed);
    Random random = new Random(seed);
    List<Note> good = new ArrayList<>(Note.of(0, 200));
    good.add(new Note("s1", 1, "slow one"));
    List<Note> bad = List.of(new Note("b1", 1, "bad 1"), new Note("b2", 1, "bad 2"));
    List<Note> all = new ArrayList<>(good);
    all.addAll(bad);
    try (EffectServer server =
        new EffectServer(
            (number, request) -> random.nextInt(4) == 0 ? Fault.ANSWER_LOST : Fault.NONE)) {
      Sending.Outputs first = Sending.run(all, bulk(server, format));
      Sending.Outputs second = Sending.run(all, bulk(server, format).withBatchSize(33));

      EffectServer.assertHasOnce(server.effects(), good.stream().map(Note::text).toList());
      List<Note> done = new ArrayList<>(first.written());
      done.addAll(first.alreadyWritten());
      assertThat(done, containsInAnyOrder(good.toArray()));
      assertThat(second.alreadyWritten(), containsInAnyOrder(good.toArray()));
      for (Sending.Outputs outputs : List.of(first, second)) {
        assertThat(
            outputs.dead().stream().map(letter -> letter.record()).toList(),
            containsInAnyOrder(bad.toArray()));
        assertThat(outputs.dead().get(0).errorClass(), is("bad item"));
      }
      assertThat(server.requests.get(0).key(), is(nullValue()));
      assertThat(
          server.requests.get(0).headers().getFirst("Content-Type"), is(format.contentType()));
    }
  }

  @Test
  void requestThatIsTooLargeIsHalved() throws Exception {
    try (EffectServer server =
        new EffectServer(
            (number, request) ->
                request.body().split("\\{", -1).length > 4 ? Fault.status(413) : Fault.NONE)) {
      Sending.Outputs outputs =
          Sending.run(Note.of(0, 20), bulk(server, BulkFormat.JSON_ARRAY).withShards(1));

      EffectServer.assertHasOnce(
          server.effects(), Note.of(0, 20).stream().map(Note::text).toList());
      assertThat(outputs.written(), containsInAnyOrder(Note.of(0, 20).toArray()));
      assertThat(server.asked(), is(greaterThan(10)));
    }
  }

  @Test
  void itemsOfWhichTheAnswerSaysNothingAreNotTakenForWritten() throws Exception {
    try (EffectServer server = new EffectServer((number, request) -> Fault.NONE)) {
      var e =
          assertThrows(
              RuntimeException.class,
              () ->
                  Sending.run(
                      Note.of(0, 3),
                      bulk(server, BulkFormat.NDJSON)
                          .inBulk(BulkFormat.NDJSON, HttpBulkTest::item, answer -> Map.of())));

      assertThat(e.getMessage(), containsString("The answer says nothing of the item."));
    }
  }
}
