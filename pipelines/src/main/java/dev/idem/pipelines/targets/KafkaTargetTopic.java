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
package dev.idem.pipelines.targets;

import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.Summary;
import dev.idem.io.checkpoint.TargetRecord;
import dev.idem.io.checkpoint.TargetState;
import dev.idem.io.kafka.publish.BatchPlan;
import dev.idem.io.kafka.publish.BatchRecord;
import dev.idem.io.kafka.publish.KafkaSink;
import dev.idem.io.kafka.publish.OpenBatch;
import dev.idem.io.kafka.publish.PublishSteps;
import dev.idem.io.kafka.publish.PublishTarget;
import dev.idem.io.memory.MemoryTable;
import dev.idem.pipelines.stage.StageOutput;
import dev.idem.pipelines.stage.WorkerStage;
import dev.idem.transforms.changes.TableMerge;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.beam.sdk.schemas.Schema;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * The progress topic keeps one text for a closed batch, its summary, and one for an open one, its
 * body. A job asks for the record of the last batch that a target has whole; so an open batch keeps
 * that of the batch before for its body.
 */
/** One topic of a job. */
final class KafkaTargetTopic implements WorkerTarget {

  private final KafkaTarget target;
  private final PublishTarget topic;
  private final PublishSteps steps;

  /** Names this process among those that had the same lease, if that can be. */
  private final String run = UUID.randomUUID().toString();

  private @Nullable OpenBatch open;

  KafkaTargetTopic(KafkaTarget target, String applicationId) {
    this.target = target;
    this.topic = target.target(applicationId);
    this.steps = PublishSteps.of(topic);
  }

  @Override
  public String name() {
    return target.name();
  }

  @Override
  public String sink() {
    return topic.sinkId();
  }

  @Override
  public boolean keepsRecords() {
    return !target.atLeastOnce();
  }

  @Override
  public void refuseUnusable() {
    steps.refuseUnusable();
  }

  @Override
  public TargetState targetState() {
    Optional<TargetRecord> last =
        steps
            .state()
            .map(KafkaTargetTopic::body)
            .filter(TargetRecords::isOfAJob)
            .map(TargetRecords::held)
            .map(
                held -> new TargetRecord(sink(), held.plan().batch(), held.plan(), held.summary()));
    return new TargetState(name(), sink(), true, last);
  }

  /** Returns what is remembered of the last batch that is closed. */
  private static String body(BatchRecord record) {
    return record.closed() ? record.summary() : record.body();
  }

  @Override
  public List<TargetRecords.Held> recordsOfOthers(Set<String> own) {
    return steps.states().entrySet().stream()
        .filter(record -> !own.contains(record.getKey()))
        .map(record -> body(record.getValue()))
        .filter(TargetRecords::isOfAJob)
        .map(TargetRecords::held)
        .toList();
  }

  @Override
  public void requireFit(Schema rows) {
    target.rowRules().requireFit(topic.topic(), rows);
  }

  @Override
  public Optional<TableMerge> changes(Schema rows) {
    return Optional.empty();
  }

  @Override
  public StageOutput output(Schema rows, boolean held) {
    return new StageOutput(
        name(), StageOutput.Role.WORKERS, rows, MemoryTable.files(topic.topic(), Map.of()), held);
  }

  @Override
  public WorkerStage.Writing open(Plan plan, long lease, Schema rows) {
    RowEvents events = new RowEvents(target.rowRules(), rows, plan.batch());
    if (target.atLeastOnce()) {
      return new WorkerStage.Writing(
          KafkaSink.atLeastOnce(topic, plan.batch(), plan.shards(), events));
    }
    open =
        steps.open(
            new BatchPlan(
                plan.batch(),
                plan.fingerprint(),
                plan.epoch(),
                lease,
                run,
                plan.shards(),
                steps.state().map(KafkaTargetTopic::body).orElse("")));
    return new WorkerStage.Writing(KafkaSink.inTransactions(steps, open, events));
  }

  @Override
  public void close(Plan plan, long lease, Summary summary) {
    if (open != null) {
      BatchRecord.Kept unused = steps.close(open, TargetRecords.body(plan, summary));
      open = null;
    }
  }
}
