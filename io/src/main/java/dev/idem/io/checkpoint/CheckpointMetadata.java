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

import java.time.Instant;
import java.util.Map;

/**
 * What a checkpoint says of itself.
 *
 * @param formatVersion the version of its entries' format
 * @param applicationId names the job to its targets
 * @param epoch the random id of this life of the checkpoint
 * @param created when this life began, by the clock of the job that began it
 * @param bound the options that may never change, empty before the first start has bound them
 */
public record CheckpointMetadata(
    int formatVersion,
    String applicationId,
    String epoch,
    Instant created,
    Map<String, String> bound) {

  /** Takes a copy of the options. */
  public CheckpointMetadata {
    bound = Map.copyOf(bound);
  }
}
