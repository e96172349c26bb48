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
import dev.idem.io.checkpoint.TargetState;
import dev.idem.io.memory.MemoryTable;
import dev.idem.pipelines.stage.StageOutput;
import dev.idem.pipelines.stage.WorkerStage;
import dev.idem.transforms.changes.TableMerge;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.beam.sdk.schemas.Schema;

/** One server of a job. It remembers requests, by their keys, and no batches. */
final class HttpTargetServer implements WorkerTarget {

  private final HttpTarget target;
  private final String sink;

  HttpTargetServer(HttpTarget target, String applicationId) {
    this.target = target;
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
    return false;
  }

  /** Nothing can be asked of a server without having an effect. */
  @Override
  public void refuseUnusable() {}

  @Override
  public TargetState targetState() {
    return new TargetState(name(), sink, true, Optional.empty());
  }

  @Override
  public List<TargetRecords.Held> recordsOfOthers(Set<String> own) {
    return List.of();
  }

  @Override
  public void requireFit(Schema rows) {
    target.requestRules().requireFit(target.place(), rows);
  }

  @Override
  public Optional<TableMerge> changes(Schema rows) {
    return Optional.empty();
  }

  @Override
  public StageOutput output(Schema rows, boolean held) {
    return new StageOutput(
        name(), StageOutput.Role.WORKERS, rows, MemoryTable.files(name(), Map.of()), held);
  }

  @Override
  public WorkerStage.Writing open(Plan plan, long lease, Schema rows) {
    RowRequests requests = new RowRequests(target.requestRules(), rows, plan.batch());
    return new WorkerStage.Writing(new SendRows(target, sink, plan.shards(), requests));
  }

  /** Keys alone say what a server has. */
  @Override
  public void close(Plan plan, long lease, Summary summary) {}
}
