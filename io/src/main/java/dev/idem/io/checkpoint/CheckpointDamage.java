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

/**
 * An entry that the next batch needs and that is damaged.
 *
 * @param kind which of the two entries of a batch it is
 * @param batch the batch id
 * @param cause the entry's path and what is wrong
 */
public record CheckpointDamage(Kind kind, long batch, DamagedEntryException cause) {

  /** The entries of a batch. */
  public enum Kind {
    /** {@code offsets/N}: rebuilt from a target that has N, see {@link Checkpoint#replacePlan}. */
    PLAN,
    /** {@code commits/N}: dropped and N replayed, see {@link Checkpoint#dropDamagedCommit}. */
    COMMIT
  }
}
