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

import dev.idem.transforms.fingerprint.ContentSum;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What came out of one batch: with its plan it is all that the plan of the next batch needs, so a
 * target that keeps both can rebuild the checkpoint.
 *
 * @param batch the batch id
 * @param outputs rows and content by output (target, memory, dead letters)
 * @param counts what became of the records read, by name
 * @param greatest the greatest event time of each partition, future skew left out
 * @param watermark the watermark after the batch
 * @param positions how far the source's own log was followed, as the next batch has to know it;
 *     empty text where there is none
 */
public record Summary(
    long batch,
    Map<String, Output> outputs,
    Map<String, Long> counts,
    List<Plan.Progress> greatest,
    Optional<Instant> watermark,
    String positions) {

  /** Returns this summary with further counts. */
  public Summary withCounts(Map<String, Long> more) {
    Map<String, Long> all = new TreeMap<>(counts);
    all.putAll(more);
    return new Summary(batch, outputs, all, greatest, watermark, positions);
  }

  /**
   * What one output holds of the batch.
   *
   * @param rows the number of rows
   * @param content the sum over the rows' fingerprints
   */
  public record Output(long rows, ContentSum content) {}
}
