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

import dev.idem.transforms.external.Effect;
import dev.idem.transforms.external.Effects;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * An effect may be asked for as long as the server still knows its key from the first request that
 * anyone can have sent: so until the memory of keys has passed since the first note, whoever wrote
 * it. That is looked at just before each request, with the time a request may take to spare. An
 * attempt that was paused, and wakes when another one has had its effect and the server has
 * forgotten it, finds its own note too old.
 */
/** Decides by a ledger which effects a server may be asked for. */
final class SentCheck<T> {

  /** The error class of a record of which nobody knows whether the server has its effect. */
  static final String UNKNOWN = "unknown";

  private final SentLedger.@Nullable Log log;
  private final Duration keyMemory;
  private final Duration spare;
  private final Clock clock;
  private final Map<String, Instant> since = new HashMap<>();
  private final Map<String, SentLedger.Result> results = new HashMap<>();

  private SentCheck(SentLedger.@Nullable Log log, Duration keyMemory, Duration spare, Clock clock) {
    this.log = log;
    this.keyMemory = keyMemory;
    this.spare = spare;
    this.clock = clock;
  }

  /** Returns a check that lets everything pass and remembers nothing. */
  static <T> SentCheck<T> none() {
    return new SentCheck<>(null, Duration.ZERO, Duration.ZERO, Clock.systemUTC());
  }

  static <T> SentCheck<T> of(HttpTarget.Remembering remembering, Duration spare, Clock clock)
      throws IOException {
    return new SentCheck<>(remembering.ledger().open(), remembering.keyMemory(), spare, clock);
  }

  /** Notes effects, and returns those that are to be asked for; of the others it says why not. */
  List<Effect<T>> admit(Effects<T> effects) throws IOException {
    List<Effect<T>> admitted = new ArrayList<>();
    if (log == null) {
      effects.forEach(admitted::add);
      return admitted;
    }
    List<String> keys = new ArrayList<>();
    effects.forEach(effect -> keys.add(effect.idempotencyKey()));
    Map<String, SentLedger.Entry> entries = log.note(keys, clock.instant());
    since.clear();
    for (Effect<T> effect : effects) {
      SentLedger.Entry entry = entries.get(effect.idempotencyKey());
      SentLedger.Result result = entry.result().orElse(null);
      if (result instanceof SentLedger.Result.Written) {
        effects.alreadyWritten(effect);
        continue;
      }
      since.put(effect.idempotencyKey(), entry.since());
      if (result instanceof SentLedger.Result.Rejected rejected && !inTime(effect)) {
        effects.reject(effect, rejected.errorClass(), HttpErrors.rejectedBefore());
      } else {
        admitted.add(effect);
      }
    }
    return admitted;
  }

  /** Returns whether the server may be asked now; if not, the effect is a dead letter. */
  boolean mayAsk(Effect<T> effect, Effects<T> effects) {
    if (inTime(effect)) {
      return true;
    }
    Instant noted = since.get(effect.idempotencyKey());
    effects.reject(effect, UNKNOWN, HttpErrors.unknown(noted.toString(), keyMemory));
    return false;
  }

  private boolean inTime(Effect<T> effect) {
    if (log == null) {
      return true;
    }
    Instant last = since.get(effect.idempotencyKey()).plus(keyMemory).minus(spare);
    return clock.instant().isBefore(last);
  }

  void written(Effect<T> effect) {
    results.put(effect.idempotencyKey(), new SentLedger.Result.Written());
  }

  void rejected(Effect<T> effect, String errorClass) {
    results.put(effect.idempotencyKey(), new SentLedger.Result.Rejected(errorClass));
  }

  /** Remembers what came of effects, so that no replay has to ask. */
  void settle() throws IOException {
    if (log != null) {
      log.settle(Map.copyOf(results), clock.instant());
    }
    results.clear();
  }
}
