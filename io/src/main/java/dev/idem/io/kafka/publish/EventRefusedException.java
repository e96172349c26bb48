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
package dev.idem.io.kafka.publish;

/** An event that the producer or the broker does not take. */
public final class EventRefusedException extends KafkaPublishException {
  private static final long serialVersionUID = 1L;

  private final String eventId;
  private final long size;

  EventRefusedException(String topic, String message, Throwable cause, String eventId, long size) {
    super(topic, message, cause);
    this.eventId = eventId;
    this.size = size;
  }

  /** Returns the event id. */
  public String eventId() {
    return eventId;
  }

  /** Returns the size of key, value and headers in bytes. */
  public long size() {
    return size;
  }
}
