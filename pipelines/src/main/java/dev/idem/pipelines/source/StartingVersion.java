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
package dev.idem.pipelines.source;

import java.time.DateTimeException;
import java.time.Instant;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Where the first batch of a table's versions begins.
 *
 * @param kind which of the ways it is said in
 * @param version the version, under {@link Kind#VERSION}
 * @param time the time, under {@link Kind#TIME}
 */
record StartingVersion(Kind kind, long version, @Nullable Instant time) {

  private static final String TIMESTAMP = "timestamp:";

  enum Kind {
    /** The table as it is, then what is added. */
    SNAPSHOT,
    /** What is added after the first start. */
    LATEST,
    /** A version and all that follow. */
    VERSION,
    /** The first version since a time and all that follow. */
    TIME
  }

  static StartingVersion parse(String text) {
    if (text.equals("snapshot")) {
      return new StartingVersion(Kind.SNAPSHOT, 0, null);
    }
    if (text.equals("latest")) {
      return new StartingVersion(Kind.LATEST, 0, null);
    }
    try {
      if (text.startsWith(TIMESTAMP)) {
        return new StartingVersion(Kind.TIME, 0, Instant.parse(text.substring(TIMESTAMP.length())));
      }
      long version = Long.parseLong(text);
      if (version > 0) {
        return new StartingVersion(Kind.VERSION, version, null);
      }
    } catch (DateTimeException | NumberFormatException e) {
      // Falls through to the refusal that says what would do.
    }
    throw new IllegalArgumentException(
        "Starting version must be snapshot, latest, a version from 1 on, or timestamp: with an ISO"
            + " 8601 instant, but was: \""
            + text
            + "\".");
  }
}
