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
package dev.idem.pipelines.stage;

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
public record StageOutput(String name, Role role, Schema schema, DataFileSpec files, boolean held)
    implements Serializable {

  /** Which of the events' contents an output holds. */
  public enum Role {
    /** The rows of events. */
    ROWS,
    /** The rows of events, for workers to merge into the target afterwards. */
    CHANGES,
    /** The rows of events with their origins, for workers to write to the target afterwards. */
    WORKERS,
    /** Nothing; what the target gets is made of what the workers wrote for another one. */
    NOTHING,
    /** The events that are dead letters. */
    DEAD_LETTERS,
    /** What the memory of keys learns from events. */
    MEMORY
  }

  /** The name of the memory. */
  public static final String MEMORY = "memory";

  /** The name of the dead letters. */
  public static final String DEAD_LETTERS = "dead-letters";
}
