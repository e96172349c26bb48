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
package dev.idem.transforms.dedup;

import dev.idem.transforms.fingerprint.Fingerprint;
import org.apache.beam.sdk.coders.CoderException;
import org.joda.time.Instant;

/**
 * An element on its way to the shard or bucket that decides about it. Numbers are held as
 * primitives, because a batch holds millions of these at once.
 *
 * @param role what the element takes part in
 * @param high first half of the fingerprint of its key, or of whatever else spreads it
 * @param low second half of that fingerprint
 * @param payload hash of its payload
 * @param timestamp its event time, in milliseconds
 * @param element the element itself
 */
record Copy<T>(Role role, long high, long low, long payload, long timestamp, T element) {

  /** What an element takes part in. */
  enum Role {
    /** Deduplicated by its key. */
    KEYED(0),
    /** Passed through: a key column is null. */
    INVALID(1),
    /** Passed through: no row. */
    OTHER(2);

    private final int code;

    Role(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }

    static Role of(int code) throws CoderException {
      return switch (code) {
        case 0 -> KEYED;
        case 1 -> INVALID;
        case 2 -> OTHER;
        default -> throw new CoderException("Role must be 0 to 2, but was: " + code + ".");
      };
    }
  }

  Fingerprint key() {
    return new Fingerprint(high, low);
  }

  Instant eventTime() {
    return Instant.ofEpochMilli(timestamp);
  }

  boolean hasKeyOf(Copy<T> other) {
    return high == other.high && low == other.low;
  }

  /** Returns the verdict about a copy that has no key to be decided by. */
  Verdict<T> passThrough() {
    return Verdict.of(role == Role.INVALID ? Verdict.Kind.INVALID : Verdict.Kind.OTHER, element);
  }
}
