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
import java.net.ConnectException;
import java.net.http.HttpRequest;
import java.util.Arrays;
import java.util.List;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * What is not done keeps the later records of its key waiting, and nothing else, so that one lost
 * answer costs one request. Once the server says that it wants to be left alone, or fails several
 * times in a row, all that is left waits.
 */
/** Asks for one record after the other. */
final class SingleClient<T> extends CheckedClient<T> {
  private static final int MOST_FAILURES = 3;

  /** The error class of a record whose path makes no URL of the server. */
  private static final String BAD_PATH = "path";

  private final HttpSender sender;
  private final HttpRequests<T> requests;
  private final AnswerReader answers;

  SingleClient(
      HttpSender sender, HttpRequests<T> requests, AnswerReader answers, SentCheck<T> check) {
    super(check);
    this.sender = sender;
    this.requests = requests;
    this.answers = answers;
  }

  @Override
  void ask(List<Effect<T>> admitted, Effects<T> effects) throws Exception {
    Exception stop = null;
    byte @Nullable [] waitingKey = null;
    Exception waitingFor = null;
    int failures = 0;
    for (Effect<T> effect : admitted) {
      byte[] key = effect.key();
      if (stop != null) {
        effects.again(effect, stop);
        continue;
      }
      if (Arrays.equals(key, waitingKey)) {
        effects.again(effect, waitingFor);
        continue;
      }
      if (!check.mayAsk(effect, effects)) {
        continue;
      }
      AnswerReader.Meaning meaning = ask(effect);
      if (meaning instanceof AnswerReader.Meaning.Again again) {
        effects.again(effect, again.cause());
        waitingKey = key;
        waitingFor = again.cause();
        failures = again.down() ? failures + 1 : 0;
        stop = again.all() || failures == MOST_FAILURES ? again.cause() : null;
        continue;
      }
      failures = 0;
      if (meaning instanceof AnswerReader.Meaning.Rejected rejected) {
        reject(effect, effects, rejected.errorClass(), rejected.message());
      } else if (meaning instanceof AnswerReader.Meaning.AlreadyWritten) {
        alreadyWritten(effect, effects);
      } else {
        check.written(effect);
      }
    }
  }

  private AnswerReader.Meaning ask(Effect<T> effect) throws InterruptedException {
    HttpRequest request;
    try {
      request = requests.one(effect);
    } catch (RejectedRecordException e) {
      return new AnswerReader.Meaning.Rejected(BAD_PATH, String.valueOf(e.getMessage()));
    }
    try {
      return answers.meaning(sender.send(request));
    } catch (IOException e) {
      // Whether the server has the effect is not known: the next request has the same key.
      return new AnswerReader.Meaning.Again(e, e instanceof ConnectException, true);
    }
  }
}
