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
import dev.idem.io.jdbc.JdbcSink;
import dev.idem.io.memory.MemoryTable;
import dev.idem.pipelines.stage.RowWithOrigin;
import dev.idem.pipelines.stage.StageOutput;
import dev.idem.pipelines.stage.WorkerStage;
import dev.idem.transforms.changes.TableMerge;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.beam.sdk.schemas.Schema;

/** One table of a database of a job. */
final class JdbcTargetTable implements WorkerTarget {

  private final JdbcTarget target;
  private final JdbcSink table;
  private final String sink;

  JdbcTargetTable(JdbcTarget target, String applicationId) {
    this.target = target;
    this.table = target.sink(applicationId);
    this.sink = applicationId + "/" + target.name();
  }

  @Override
  public String name() {
    return target.name();
  }

  @Override
  public String sink() {
    return sink;
  }

  @Override
  public boolean keepsRecords() {
    return true;
  }

  @Override
  public void refuseUnusable() {
    waiting(table::bodies);
  }

  @Override
  public TargetState targetState() {
    Optional<TargetRecord> last =
        Optional.ofNullable(bodies().get(sink))
            .map(TargetRecords::held)
            .map(held -> new TargetRecord(sink, held.plan().batch(), held.plan(), held.summary()));
    return new TargetState(name(), sink, true, last);
  }

  @Override
  public List<TargetRecords.Held> recordsOfOthers(Set<String> own) {
    return bodies().entrySet().stream()
        .filter(record -> !own.contains(record.getKey()))
        .map(Map.Entry::getValue)
        .filter(TargetRecords::isOfAJob)
        .map(TargetRecords::held)
        .toList();
  }

  private Map<String, String> bodies() {
    return waiting(table::bodies);
  }

  @Override
  public void requireFit(Schema rows) {
    waiting(
        () -> {
          table.requireFit(rows);
          return null;
        });
  }

  @Override
  public Optional<TableMerge> changes(Schema rows) {
    return table.changes(rows);
  }

  @Override
  public StageOutput output(Schema rows, boolean held) {
    return new StageOutput(
        name(), StageOutput.Role.WORKERS, rows, MemoryTable.files(table.table(), Map.of()), held);
  }

  @Override
  public WorkerStage.Writing open(Plan plan, long lease, Schema rows) {
    JdbcSink.Attempt attempt = attempt(plan, lease);
    JdbcSink.Opened opened = waiting(() -> table.open(attempt, plan.shards()));
    return new WorkerStage.Writing(
        table.writing(attempt, opened, RowWithOrigin.schema(rows), RowWithOrigin.ROW));
  }

  @Override
  public void close(Plan plan, long lease, Summary summary) {
    Summary.Output output = summary.outputs().get(name());
    waiting(
        () ->
            table.close(attempt(plan, lease), output.content(), TargetRecords.body(plan, summary)));
  }

  private static JdbcSink.Attempt attempt(Plan plan, long lease) {
    return new JdbcSink.Attempt(plan.batch(), plan.fingerprint(), plan.epoch(), lease);
  }

  private interface Waiting<T> {
    T get() throws InterruptedException;
  }

  private static <T> T waiting(Waiting<T> work) {
    try {
      return work.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while a database was asked.", e);
    }
  }
}
