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

import dev.idem.transforms.external.RetryLaterException;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Says what answers mean. */
final class AnswerReader {
  private static final int MOST_SHOWN = 300;
  private static final int SHORTEST_HIDDEN = 3;

  private final HttpTarget.Request<?> request;
  private final HttpTarget.Answers rules;
  private final List<String> secrets;

  AnswerReader(
      HttpTarget.Request<?> request, HttpTarget.Answers rules, Collection<String> secrets) {
    this.request = request;
    this.rules = rules;
    this.secrets =
        secrets.stream()
            // Of "Bearer abc" the scheme is no secret.
            .map(value -> value.substring(value.lastIndexOf(' ') + 1))
            .filter(value -> value.length() >= SHORTEST_HIDDEN)
            .sorted((a, b) -> Integer.compare(b.length(), a.length()))
            .toList();
  }

  /** What an answer means. */
  sealed interface Meaning {
    record Written() implements Meaning {}

    record AlreadyWritten() implements Meaning {}

    /**
     * The server is to be asked again.
     *
     * @param all whether it is not to be asked for other records either until then
     * @param down whether it may be down
     */
    record Again(Exception cause, boolean all, boolean down) implements Meaning {}

    record Rejected(String errorClass, String message) implements Meaning {}
  }

  Meaning meaning(HttpResponse<byte[]> answer) {
    int status = answer.statusCode();
    return switch (rules.statuses().meaning(status, request.method(), request.path() != null)) {
      case WRITTEN -> isReplay(answer) ? new Meaning.AlreadyWritten() : new Meaning.Written();
      case ALREADY_WRITTEN -> new Meaning.AlreadyWritten();
      case RUNNING -> new Meaning.Again(again(answer), false, false);
      case RETRY -> {
        Exception cause = again(answer);
        yield new Meaning.Again(cause, cause instanceof RetryLaterException, true);
      }
      case REJECTED -> new Meaning.Rejected("http " + status, shown(answer));
      case CONFIGURATION -> throw HttpErrors.configuration(request.toString(), status);
    };
  }

  private boolean isReplay(HttpResponse<?> answer) {
    return rules.replayHeaders().stream()
        .anyMatch(
            name -> answer.headers().firstValue(name).filter("true"::equalsIgnoreCase).isPresent());
  }

  private Exception again(HttpResponse<byte[]> answer) {
    String message = "Server of " + request + " answered: " + answer.statusCode();
    Optional<Duration> wait = RetryAfter.of(answer, rules.clock());
    if (wait.isEmpty()) {
      return new IOException(message);
    }
    if (wait.get().compareTo(rules.longestWait()) > 0) {
      throw HttpErrors.tooLong(request.toString(), wait.get(), rules.longestWait());
    }
    return new RetryLaterException(message, wait.get());
  }

  /** Returns what a server said, in short and without what it was told in headers. */
  private String shown(HttpResponse<byte[]> answer) {
    String said = hide(new String(answer.body(), StandardCharsets.UTF_8)).strip();
    String start = said.length() > MOST_SHOWN ? said.substring(0, MOST_SHOWN) + "..." : said;
    return "HTTP " + answer.statusCode() + (start.isEmpty() ? "" : ": " + start);
  }

  String hide(String text) {
    String hidden = text;
    for (String secret : secrets) {
      hidden = hidden.replace(secret, "[hidden]");
    }
    return hidden;
  }
}
