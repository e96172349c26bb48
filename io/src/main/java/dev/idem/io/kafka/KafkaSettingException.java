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

/** A client setting cannot be used: a reference leads nowhere, or the client refused it. */
public final class KafkaSettingException extends KafkaSourceException {
  private static final long serialVersionUID = 1L;

  private final String setting;

  KafkaSettingException(String message, String setting, Throwable cause) {
    super(message, cause);
    this.setting = setting;
  }

  /**
   * Returns the name of the setting, or the settings file, or the kind of client if Kafka does not
   * tell which setting it was.
   */
  public String setting() {
    return setting;
  }
}
