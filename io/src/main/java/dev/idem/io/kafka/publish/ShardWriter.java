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
package dev.idem.io.kafka.publish;

import java.io.Serializable;
import java.util.List;
import java.util.Set;

/** Publishes a shard of a batch. */
interface ShardWriter extends Serializable {

  /**
   * Publishes events, or finds that they are published.
   *
   * @param events all events of the shard
   * @return the ids of those that are too large
   */
  Set<String> write(int shard, List<KafkaEvent> events);
}
