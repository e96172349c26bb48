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

import dev.idem.transforms.fingerprint.ContentSum;
import java.io.Serializable;
import java.util.List;

/**
 * A shard that is published.
 *
 * @param shard the shard
 * @param alreadyPublished whether an earlier attempt had published it
 * @param records how many events it has
 * @param content the sum over the events
 * @param tooLarge the ids of further events, which were left out for their size
 */
public record ShardOutcome(
    int shard, boolean alreadyPublished, long records, ContentSum content, List<String> tooLarge)
    implements Serializable {

  /** Makes a copy of the list. */
  public ShardOutcome {
    tooLarge = List.copyOf(tooLarge);
  }
}
