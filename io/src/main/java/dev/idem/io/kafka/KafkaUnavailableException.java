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
package dev.idem.io.kafka;

import java.time.Duration;

/** No broker answered in time. */
public final class KafkaUnavailableException extends KafkaSourceException {
  private static final long serialVersionUID = 1L;

  private final String bootstrapServers;
  private final Duration timeout;

  KafkaUnavailableException(
      String message, String bootstrapServers, Duration timeout, Throwable cause) {
    super(message, cause);
    this.bootstrapServers = bootstrapServers;
    this.timeout = timeout;
  }

  /** Returns the addresses that were tried. */
  public String bootstrapServers() {
    return bootstrapServers;
  }

  /** Returns how long the answer was waited for. */
  public Duration timeout() {
    return timeout;
  }
}
