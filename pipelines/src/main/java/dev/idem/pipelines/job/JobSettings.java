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

import dev.idem.io.checkpoint.Agreement;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.pipelines.batch.EventTimeRules;
import dev.idem.pipelines.failure.Crash;
import dev.idem.pipelines.plan.OnDataLoss;
import dev.idem.pipelines.plan.PlanSettings;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * How a job runs: everything that is neither its source, its function nor its targets.
 *
 * @param applicationId names the job to its targets
 * @param applicationIdGiven whether a user chose the id, rather than the command's default
 * @param checkpoint where the checkpoint is
 * @param hadoopConfiguration settings of the file systems of the checkpoint, and of targets that
 *     have none of their own
 * @param interval the time between two batches; empty to end at the offsets seen at the start
 * @param maxRecordsPerBatch the bound of a batch
 * @param maxDeadLetters the share of records that may be no rows, from 0 to 1
 * @param eventTime how event time is treated
 * @param onLostCheckpoint what to do if a target is ahead of the checkpoint
 * @param refresh whether the job begins anew though nothing is lost
 * @param redrive the reason whose dead letters go through the job again, empty to run batches
 * @param onLostTarget what to do if a target is behind the checkpoint
 * @param onDataLoss what to do about offsets that the source does not have any more
 * @param onChangedContent what to do if a batch's content changed between two attempts
 * @param compactSmallFiles partitions with so many small files are compacted after a batch; 0 never
 * @param schemaEvolution what may be changed of the targets' schemas
 * @param leaseTimeout how long a heartbeat must stand still that nothing else proves dead
 * @param shutdownTimeout how long a batch may take to end after SIGTERM
 * @param crash where to halt, for tests
 * @param clock the clock that plans are made by
 */
record JobSettings(
    String applicationId,
    boolean applicationIdGiven,
    String checkpoint,
    Map<String, String> hadoopConfiguration,
    Optional<Duration> interval,
    long maxRecordsPerBatch,
    double maxDeadLetters,
    EventTimeRules eventTime,
    Agreement.OnLostCheckpoint onLostCheckpoint,
    boolean refresh,
    Optional<String> redrive,
    Agreement.OnLostTarget onLostTarget,
    OnDataLoss onDataLoss,
    OnChangedContent onChangedContent,
    int compactSmallFiles,
    SchemaEvolution schemaEvolution,
    Duration leaseTimeout,
    Duration shutdownTimeout,
    Crash crash,
    Clock clock) {

  /** Returns what decides the plans of batches. */
  PlanSettings plan() {
    return new PlanSettings(applicationId, maxRecordsPerBatch, eventTime, onDataLoss, clock);
  }

  enum OnChangedContent {
    REFUSE,
    COMPLETE
  }
}
