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

import java.io.IOException;
import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * Remembers which requests were about to be sent, and what came of them, for longer than a server
 * remembers idempotency keys.
 *
 * <p>What an implementation must keep: when {@link Log#note} returns, its notes survive a crash,
 * and of two processes that note one key at the same time at least one is told of the other's note.
 * The first note of a key stands.
 */
public interface SentLedger extends Serializable {

  /** For how long a ledger keeps entries unless told otherwise. */
  Duration DEFAULT_RETENTION = Duration.ofDays(30);

  /** Opens the ledger, on a worker. */
  Log open() throws IOException;

  /** Returns for how long an entry is kept; a request that is replayed later may be sent twice. */
  Duration retention();

  /** Returns a ledger in a directory that is kept for 30 days: see {@link DirectoryLedger}. */
  static SentLedger in(String location) {
    return new DirectoryLedger(location, Map.of(), DEFAULT_RETENTION);
  }

  /**
   * Returns a ledger in a directory: see {@link DirectoryLedger}.
   *
   * @param hadoopConfiguration settings for a place that is not a local disk
   */
  static SentLedger in(
      String location, Map<String, String> hadoopConfiguration, Duration retention) {
    return new DirectoryLedger(location, hadoopConfiguration, retention);
  }

  /** An open ledger; it is used by several threads. */
  interface Log {

    /**
     * Notes that effects are about to be asked for, unless it is noted already, and returns what is
     * known of each of them then.
     */
    Map<String, Entry> note(Collection<String> keys, Instant now) throws IOException;

    /** Remembers what came of effects that are noted. */
    void settle(Map<String, Result> results, Instant now) throws IOException;
  }

  /**
   * What is known of an effect.
   *
   * @param since when it was noted first
   * @param result what came of it, empty if nobody knows
   */
  record Entry(Instant since, Optional<Result> result) {}

  /** What came of an effect. */
  sealed interface Result {
    /** The server has it. */
    record Written() implements Result {}

    /** The server refused it, with an error class. */
    record Rejected(String errorClass) implements Result {}
  }
}
