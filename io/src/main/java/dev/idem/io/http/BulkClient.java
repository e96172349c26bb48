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
import dev.idem.transforms.external.Effects;
import dev.idem.transforms.external.RejectedRecordException;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Asks for many records at once. */
final class BulkClient<T> extends CheckedClient<T> {
  private final HttpSender sender;
  private final HttpRequests<T> requests;
  private final AnswerReader answers;
  private final HttpTarget.Bulk<T> bulk;

  BulkClient(
      HttpSender sender,
      HttpRequests<T> requests,
      AnswerReader answers,
      SentCheck<T> check,
      HttpTarget.Bulk<T> bulk) {
    super(check);
    this.sender = sender;
    this.requests = requests;
    this.answers = answers;
    this.bulk = bulk;
  }

  @Override
  void ask(List<Effect<T>> admitted, Effects<T> effects) throws Exception {
    List<Effect<T>> asked = new ArrayList<>();
    List<byte[]> items = new ArrayList<>();
    List<String> keys = new ArrayList<>();
    for (Effect<T> effect : admitted) {
      if (check.mayAsk(effect, effects)) {
        asked.add(effect);
        keys.add(effect.idempotencyKey());
        items.add(bulk.item().apply(effect.record(), effect.idempotencyKey()));
      }
    }
    if (asked.isEmpty()) {
      return;
    }
    HttpResponse<byte[]> answer =
        sender.send(requests.many(bulk.format().body(items), bulk.format().contentType()));
    AnswerReader.Meaning meaning = answers.meaning(answer);
    if (meaning instanceof AnswerReader.Meaning.Again again) {
      throw again.cause();
    }
    if (meaning instanceof AnswerReader.Meaning.Rejected rejected) {
      if (asked.size() == 1) {
        reject(asked.get(0), effects, rejected.errorClass(), rejected.message());
        return;
      }
      // One of them is bad, or they are too many: halves are asked for.
      throw new RejectedRecordException(rejected.message());
    }
    String text = new String(answer.body(), StandardCharsets.UTF_8);
    settle(
        asked,
        bulk.outcomes().apply(new BulkAnswer(answer.statusCode(), text, List.copyOf(keys))),
        effects);
  }

  private void settle(
      List<Effect<T>> asked, Map<String, ItemOutcome> outcomes, Effects<T> effects) {
    for (Effect<T> effect : asked) {
      ItemOutcome outcome = outcomes.get(effect.idempotencyKey());
      if (outcome instanceof ItemOutcome.Written) {
        check.written(effect);
      } else if (outcome instanceof ItemOutcome.AlreadyWritten) {
        alreadyWritten(effect, effects);
      } else if (outcome instanceof ItemOutcome.Rejected rejected) {
        reject(effect, effects, rejected.errorClass(), answers.hide(rejected.message()));
      } else {
        String why =
            outcome instanceof ItemOutcome.Again again
                ? answers.hide(again.reason())
                : "The answer says nothing of the item.";
        effects.again(effect, new IOException(why));
      }
    }
  }
}
