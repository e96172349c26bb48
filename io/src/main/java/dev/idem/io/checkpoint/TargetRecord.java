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
 * What a target remembers of the last batch it holds of one sink.
 *
 * @param sink the sink's id, {@code application/sink}
 * @param batch the batch id
 * @param plan the whole plan of that batch
 * @param summary what came out of it
 */
public record TargetRecord(String sink, long batch, Plan plan, Summary summary) {

  /** Checks that the record speaks of one batch. */
  public TargetRecord {
    if (plan.batch() != batch || summary.batch() != batch) {
      throw new IllegalArgumentException(
          "Record of sink \""
              + sink
              + "\" must be of one batch, but was: number "
              + batch
              + ", plan "
              + plan.batch()
              + ", summary "
              + summary.batch()
              + ". Restore the target's record.");
    }
  }
}
