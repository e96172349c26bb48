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
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollectionView;

/** Closes the batch behind its last shard. */
final class CloseBatchFn extends DoFn<KV<Integer, Iterable<ShardOutcome>>, PublishOutcome> {

  private static final long serialVersionUID = 1L;

  private final PublishTarget target;
  private final PublishSteps steps;
  private final boolean contentIsPlan;
  private final PCollectionView<OpenBatch> open;
  private final Counter published = Metrics.counter(CloseBatchFn.class, "batchesPublished");
  private final Counter skipped = Metrics.counter(CloseBatchFn.class, "batchesAlreadyPublished");

  CloseBatchFn(
      PublishTarget target,
      PublishSteps steps,
      boolean contentIsPlan,
      PCollectionView<OpenBatch> open) {
    this.target = target;
    this.steps = steps;
    this.contentIsPlan = contentIsPlan;
    this.open = open;
  }

  @ProcessElement
  public void close(ProcessContext context) {
    OpenBatch batch = context.sideInput(open);
    long records = 0;
    ContentSum content = ContentSum.EMPTY;
    for (ShardOutcome shard : context.element().getValue()) {
      records += shard.records();
      content = content.plus(shard.content());
    }
    String hash = PublishSteps.hash(records, content.toString());
    if (contentIsPlan) {
      requireSame(batch, batch.fingerprint(), hash);
    }
    BatchRecord.Kept kept = steps.close(batch, "");
    requireSame(batch, kept.content(), hash);
    (batch.published() ? skipped : published).inc();
    context.output(
        new PublishOutcome(target.topic(), batch.batch(), batch.published(), records, hash));
  }

  private void requireSame(OpenBatch batch, String recorded, String content) {
    if (!recorded.equals(content)) {
      throw PublishErrors.contentChanged(target, batch.batch(), "all shards", recorded, content);
    }
  }
}
