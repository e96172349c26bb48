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
package dev.idem.transforms.changes;

import java.util.Optional;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;

/** Sends every change to the shard of its key, and a truncate to all of them. */
final class AssignShardFn extends DoFn<Row, Void> {
  static final TupleTag<KV<Integer, Row>> VALID = new TupleTag<>("valid") {};
  static final TupleTag<InvalidChange> INVALID = new TupleTag<>("invalid") {};

  private final ChangeLayout layout;
  private final int shards;
  private final Counter invalid = Metrics.counter(ApplyChanges.class, "invalid");

  AssignShardFn(ChangeLayout layout, int shards) {
    this.layout = layout;
    this.shards = shards;
  }

  @ProcessElement
  public void process(@Element Row row, MultiOutputReceiver output) {
    Optional<InvalidChange> wrong = layout.invalid(row);
    if (wrong.isPresent()) {
      invalid.inc();
      output.get(INVALID).output(wrong.get());
    } else if (layout.isTruncate(row)) {
      for (int shard = 0; shard < shards; shard++) {
        output.get(VALID).output(KV.of(shard, row));
      }
    } else {
      output.get(VALID).output(KV.of(layout.keyFingerprint(row).shard(shards), row));
    }
  }
}
