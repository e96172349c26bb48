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

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** A clock that stands still until it is set, also where it was deserialised. */
final class SettableClock extends Clock implements java.io.Serializable {
  private static final Map<String, Instant> NOW = new ConcurrentHashMap<>();

  private final String id = UUID.randomUUID().toString();

  SettableClock(String now) {
    NOW.put(id, Instant.parse(now));
  }

  void add(Duration duration) {
    NOW.computeIfPresent(id, (unused, now) -> now.plus(duration));
  }

  @Override
  public Instant instant() {
    return NOW.get(id);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException();
  }
}
