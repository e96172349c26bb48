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
import dev.idem.pipelines.stage.StageOutput;
import dev.idem.pipelines.stage.WorkerStage;
import dev.idem.transforms.changes.TableMerge;
import java.util.Optional;
import org.apache.beam.sdk.schemas.Schema;

/**
 * A target that workers write to, in a pipeline over the rows that the stage left, so that every
 * attempt writes the same rows.
 */
public sealed interface WorkerTarget extends AskedTarget
    permits HttpTargetServer, JdbcTargetTable, KafkaTargetTopic {

  /** Refuses rows that the target could not take. */
  void requireFit(Schema rows);

  /** Returns what changes come to, empty if rows are no changes to the target. */
  Optional<TableMerge> changes(Schema rows);

  /** Returns the output of the stage that is written for this target. */
  StageOutput output(Schema rows, boolean held);

  /**
   * Lets workers write a batch, and nobody who writes an earlier attempt at it.
   *
   * @param lease the number of the lease that the job holds
   * @return what writes the rows, for one pipeline
   */
  WorkerStage.Writing open(Plan plan, long lease, Schema rows);

  /** Has the target remember that it has the batch. */
  void close(Plan plan, long lease, Summary summary);
}
