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

/** The cluster refused the client: authentication, authorisation or encryption failed. */
public final class KafkaAccessException extends KafkaSourceException {
  private static final long serialVersionUID = 1L;

  private final String bootstrapServers;

  KafkaAccessException(String message, String bootstrapServers, Throwable cause) {
    super(message, cause);
    this.bootstrapServers = bootstrapServers;
  }

  /** Returns the addresses that were used. */
  public String bootstrapServers() {
    return bootstrapServers;
  }
}
