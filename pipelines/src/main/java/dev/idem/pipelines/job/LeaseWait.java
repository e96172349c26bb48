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
package dev.idem.pipelines.job;

import dev.idem.io.checkpoint.Checkpoint;
import dev.idem.io.checkpoint.LeaseHeldException;
import dev.idem.io.checkpoint.LeaseWatch;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Opens a job's checkpoint. A holder on another host, of which nobody here can tell whether it is
 * dead, is watched until its heartbeat has stood still for long enough or is seen to move: a
 * container that is started anew under another name takes over from itself.
 */
final class LeaseWait {

  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  /** The time between two looks. */
  interface Pause {
    /** Lets the time pass; returns true at once if the job is to stop. */
    boolean stops(Duration time) throws InterruptedException;
  }

  private LeaseWait() {}

  /**
   * Returns the checkpoint, or null if the job was told to stop while it waited.
   *
   * @throws LeaseHeldException if the holder is alive
   */
  static @Nullable Checkpoint open(JobSettings settings, Progress progress, Pause pause)
      throws IOException, InterruptedException {
    // Goes by the pauses alone: that somebody sets the machine's clock proves nobody dead.
    AtomicReference<Instant> waited = new AtomicReference<>(Instant.EPOCH);
    LeaseWatch watch = new LeaseWatch(waited::get, settings.leaseTimeout());
    boolean said = false;
    while (true) {
      try {
        return Checkpoint.open(
            settings.checkpoint(),
            settings.hadoopConfiguration(),
            settings.applicationId(),
            settings.clock(),
            watch);
      } catch (LeaseHeldException e) {
        if (e.isOnThisHost() || watch.moved()) {
          throw e;
        }
        if (!said) {
          progress.say(
              "the checkpoint is held by "
                  + e.holder()
                  + ": waiting "
                  + settings.leaseTimeout().toSeconds()
                  + " s at most, to take over if its heartbeat stands still");
          said = true;
        }
      }
      if (pause.stops(LOOK_EVERY)) {
        return null;
      }
      waited.updateAndGet(time -> time.plus(LOOK_EVERY));
    }
  }
}
