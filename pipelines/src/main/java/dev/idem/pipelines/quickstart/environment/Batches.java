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
package dev.idem.pipelines.quickstart.environment;

import dev.idem.io.checkpoint.BatchCommit;
import dev.idem.io.checkpoint.CheckpointView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Batches of a checkpoint.
 *
 * @param counts what became of the records, summed over the committed batches
 * @param done the ids of those that are
 * @param planned the ids of those that are not
 * @param skipped how many were entered as done from the tables' records, without being run again
 */
public record Batches(Map<String, Long> counts, List<Long> done, List<Long> planned, long skipped) {

  /** Reads them back from the checkpoint; nothing here knows what the job was meant to do. */
  public static Batches read(Path checkpoint) throws IOException {
    CheckpointView view = CheckpointView.read(checkpoint.toString());
    Map<String, Long> counts = new HashMap<>();
    List<BatchCommit> commits =
        view.batches().stream().flatMap(batch -> batch.commit().stream()).toList();
    commits.forEach(
        commit ->
            commit
                .summary()
                .counts()
                .forEach((name, value) -> counts.merge(name, value, Long::sum)));
    return new Batches(
        counts,
        commits.stream().map(BatchCommit::batch).toList(),
        view.batches().stream()
            .filter(batch -> batch.state() == CheckpointView.State.PENDING)
            .map(CheckpointView.Batch::batch)
            .toList(),
        commits.stream()
            .filter(
                commit -> commit.skippedTargets().containsAll(commit.summary().outputs().keySet()))
            .count());
  }

  /** Returns how many are done. */
  public long committed() {
    return done.size();
  }

  /** Returns a count of all batches together. */
  public long count(String name) {
    return counts.getOrDefault(name, 0L);
  }
}
