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

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/** The headers that every published record bears. */
public final class EventHeaders {

  /** What the names of all these headers begin with; no other header of an event may. */
  public static final String PREFIX = "idem-";

  /** Names the event: 64 hexadecimal digits, the same in every copy and in no other event. */
  public static final String EVENT_ID = PREFIX + "event-id";

  /** Has the batch id as decimal text; absent if the record was published in no batch. */
  public static final String BATCH_ID = PREFIX + "batch-id";

  /** Has the bytes of the event's sequence. */
  public static final String SEQUENCE = PREFIX + "sequence";

  /** Has the application id. */
  public static final String APPLICATION_ID = PREFIX + "application-id";

  private EventHeaders() {}

  /** Returns the event id of a record, empty if it was published by something else. */
  public static Optional<String> eventId(Headers headers) {
    Header header = headers == null ? null : headers.lastHeader(EVENT_ID);
    return header == null || header.value() == null
        ? Optional.empty()
        : Optional.of(new String(header.value(), UTF_8));
  }
}
