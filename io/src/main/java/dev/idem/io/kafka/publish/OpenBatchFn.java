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
import java.util.List;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Opens the batch, once for all shards. */
final class OpenBatchFn extends DoFn<KV<Integer, Iterable<String>>, OpenBatch> {

  private static final long serialVersionUID = 1L;

  private final PublishSteps steps;
  private final long batch;
  private final @Nullable String fingerprint;
  private final String run;
  private final int shards;

  OpenBatchFn(
      PublishSteps steps, long batch, @Nullable String fingerprint, String run, int shards) {
    this.steps = steps;
    this.batch = batch;
    this.fingerprint = fingerprint;
    this.run = run;
    this.shards = shards;
  }

  @ProcessElement
  public void open(@Element KV<Integer, Iterable<String>> sums, OutputReceiver<OpenBatch> out) {
    String plan = fingerprint == null ? total(sums.getValue()) : fingerprint;
    out.output(steps.open(new BatchPlan(batch, plan, "", 0, run, shards, "")));
  }

  private static String total(Iterable<String> sums) {
    long records = 0;
    ContentSum content = ContentSum.EMPTY;
    for (String sum : sums) {
      List<String> parts = List.of(sum.split("-", 2));
      records += Long.parseLong(parts.get(0));
      content = content.plus(ContentSum.parse(parts.get(1)));
    }
    return PublishSteps.hash(records, content.toString());
  }
}
