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
package dev.idem.io.checkpoint;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What {@code commits/N} says: batch N is in every target, and how it went.
 *
 * @param summary what came out of the batch
 * @param applicationId names the job to its targets
 * @param epoch the life of the checkpoint in which the batch was committed
 * @param planFingerprint {@link Plan#fingerprint()} of {@code offsets/N}
 * @param durations how long each phase took, in whole milliseconds, by its name
 * @param commitShare the part of the batch's time that was spent committing, from 0 to 1
 * @param skippedTargets the targets that had the batch already
 * @param notes what else an operator must know, for example changed content or the batches that a
 *     lost target lacks, by name
 */
public record BatchCommit(
    Summary summary,
    String applicationId,
    String epoch,
    String planFingerprint,
    Map<String, Duration> durations,
    double commitShare,
    List<String> skippedTargets,
    Map<String, String> notes) {

  /** Checks the commit share and takes copies. */
  public BatchCommit {
    if (!(commitShare >= 0 && commitShare <= 1)) {
      throw new IllegalArgumentException(
          "Commit share must be from 0 to 1, but was: "
              + commitShare
              + ". Divide the time spent committing by the time of the whole batch.");
    }
    durations = Map.copyOf(durations);
    skippedTargets = List.copyOf(skippedTargets);
    notes = Map.copyOf(notes);
  }

  /** Returns the batch id. */
  public long batch() {
    return summary.batch();
  }
}
