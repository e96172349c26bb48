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
package dev.idem.io.delta.table;

import dev.idem.io.delta.error.CommitConflictException;
import dev.idem.io.delta.error.CommitUnknownException;
import dev.idem.io.delta.error.DeltaTableException;
import dev.idem.io.delta.kernel.KernelConflictException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.beam.sdk.util.BackOff;
import org.apache.beam.sdk.util.BackOffUtils;
import org.apache.beam.sdk.util.FluentBackoff;
import org.apache.beam.sdk.util.Sleeper;
import org.joda.time.Duration;

/*
 * After an error nobody knows what of a round has happened, so nothing of it is repeated: the next
 * round reads the table and finds out. That holds for a force, too. One that failed may have dropped
 * what it was to write, and the next one would not say so; a round writes new files and forces those.
 */
/** The rounds of one commit, each of which looks at the table anew. */
final class CommitRounds {

  private static final FluentBackoff PAUSES =
      FluentBackoff.DEFAULT
          .withInitialBackoff(Duration.millis(50))
          .withMaxBackoff(Duration.standardSeconds(1))
          .withMaxRetries(5);

  private final String table;
  private final String what;
  private final int rounds;
  private final Sleeper sleeper;

  /** Describes the commit for its errors; {@code sleeper} waits after failures of storage. */
  CommitRounds(String table, String what, int rounds, Sleeper sleeper) {
    this.table = table;
    this.what = what;
    this.rounds = rounds;
    this.sleeper = sleeper;
  }

  /** One look at the table, and what follows from it. */
  interface Round<T> {
    T run() throws KernelConflictException, IOException;
  }

  /**
   * Runs rounds until one ends without a conflict and without a failure of storage.
   *
   * @throws CommitConflictException if other writers came first in every round
   * @throws CommitUnknownException if storage failed each time
   */
  <T> T run(Round<T> round) {
    BackOff pauses = PAUSES.backoff();
    Exception last = null;
    for (int i = 0; i < rounds; i++) {
      try {
        return round.run();
      } catch (KernelConflictException | IOException | RuntimeException e) {
        boolean storage = isOfStorage(e);
        if (!storage && e instanceof RuntimeException failure) {
          throw failure;
        }
        if (last != null) {
          e.addSuppressed(last);
        }
        last = e;
        if (storage && !pause(pauses, e)) {
          break;
        }
      }
    }
    throw isOfStorage(last)
        ? CommitErrors.unknown(table, what, last)
        : CommitErrors.conflict(table, what, rounds, last);
  }

  private static boolean isOfStorage(Exception e) {
    return e instanceof KernelConflictException conflict
        ? conflict.kind() == KernelConflictException.Kind.UNKNOWN
        : !(e instanceof DeltaTableException) && causes(e).anyMatch(IOException.class::isInstance);
  }

  private static Stream<Throwable> causes(Throwable e) {
    return Stream.iterate(e, Objects::nonNull, Throwable::getCause);
  }

  private boolean pause(BackOff pauses, Exception failure) {
    // What is forbidden now will not be allowed in a second.
    if (causes(failure).anyMatch(AccessDeniedException.class::isInstance)) {
      return false;
    }
    try {
      return BackOffUtils.next(sleeper, pauses);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure.addSuppressed(e);
      return false;
    }
  }
}
