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

import dev.idem.io.delta.file.DataFileSpec;
import java.io.Serializable;
import org.apache.beam.sdk.schemas.Schema;

/**
 * One output of the stage.
 *
 * @param name the output's name in manifests and summaries
 * @param role which of the events' contents it holds
 * @param schema the schema of its rows
 * @param files where and how its files are written
 * @param held whether the target holds the batch already; then rows are summed up, not written
 */
record StageOutput(String name, Role role, Schema schema, DataFileSpec files, boolean held)
    implements Serializable {

  /** Which of the events' contents an output holds. */
  enum Role {
    ROWS,
    DEAD_LETTERS,
    MEMORY
  }

  static final String MEMORY = "memory";
  static final String DEAD_LETTERS = "dead-letters";
}
