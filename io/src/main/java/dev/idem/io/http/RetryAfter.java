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

import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** When a server wants to be asked again. */
final class RetryAfter {
  private static final int MOST_DIGITS = 10;

  private RetryAfter() {}

  /** Returns how long an answer asks to wait; empty if it does not, or not for any time. */
  static Optional<Duration> of(HttpResponse<?> answer, Clock clock) {
    return answer
        .headers()
        .firstValue("Retry-After")
        .flatMap(value -> parse(value.strip(), clock))
        .filter(wait -> !wait.isNegative() && !wait.isZero());
  }

  static Optional<Duration> parse(String value, Clock clock) {
    if (value.matches("[0-9]+")) {
      String seconds = value.length() > MOST_DIGITS ? "9".repeat(MOST_DIGITS) : value;
      return Optional.of(Duration.ofSeconds(Long.parseLong(seconds)));
    }
    try {
      Instant then = DateTimeFormatter.RFC_1123_DATE_TIME.parse(value, Instant::from);
      return Optional.of(Duration.between(clock.instant(), then));
    } catch (DateTimeException e) {
      return Optional.empty(); // No date: as if the server had said nothing.
    }
  }
}
