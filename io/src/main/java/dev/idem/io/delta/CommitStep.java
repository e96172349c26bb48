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
package dev.idem.io.delta;

import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.table.CommitOutcome;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.transforms.fingerprint.ContentSum;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Commits the files of all manifests, once as a batch or plainly without a sink. */
final class CommitStep extends DoFn<KV<Integer, Iterable<String>>, DeltaWriteOutcome> {

  private static final long serialVersionUID = 1L;

  private final DataFileSpec spec;
  private final @Nullable String sink;
  private final long batch;
  private final @Nullable String plan;
  private final @Nullable PartitionPredicate overwritten;
  private final SchemaEvolution evolution;
  private final @Nullable Duration transactionRetention;
  private final Counter committed = Metrics.counter(CommitStep.class, "batchesCommitted");
  private final Counter skipped = Metrics.counter(CommitStep.class, "batchesAlreadyCommitted");

  CommitStep(
      DataFileSpec spec,
      @Nullable String sink,
      long batch,
      @Nullable String plan,
      @Nullable PartitionPredicate overwritten,
      SchemaEvolution evolution,
      @Nullable Duration transactionRetention) {
    this.spec = spec;
    this.sink = sink;
    this.batch = batch;
    this.plan = plan;
    this.overwritten = overwritten;
    this.evolution = evolution;
    this.transactionRetention = transactionRetention;
  }

  @ProcessElement
  public void commit(
      @Element KV<Integer, Iterable<String>> manifests, OutputReceiver<DeltaWriteOutcome> out) {
    Manifest all = new Manifest(List.of(), ContentSum.EMPTY);
    for (String json : manifests.getValue()) {
      all = all.plus(Manifest.fromJson(json));
    }
    DeltaTable table =
        DeltaTable.at(spec.tablePath(), spec.hadoopConfiguration()).evolving(evolution);
    if (transactionRetention != null) {
      table = table.acceptTransactionRetention(transactionRetention);
    }
    out.output(sink == null ? append(table, all) : commit(table, all));
  }

  private DeltaWriteOutcome append(DeltaTable table, Manifest all) {
    long version = table.append(spec.schemaJson(), spec.partitionColumns(), all.files());
    committed.inc();
    return outcome(version, false, all);
  }

  private DeltaWriteOutcome commit(DeltaTable table, Manifest all) {
    // With a dash the sum can never be taken for a plan fingerprint that somebody gave.
    String content = all.rows() + "-" + all.content();
    table.refuseRestored(sink);
    DeltaCommit commit =
        DeltaCommit.of(sink, batch, plan == null ? content : plan, content, spec.schemaJson())
            .withPartitionColumns(spec.partitionColumns())
            .withFiles(all.files())
            .withParameters(Map.of("mode", "Append"));
    CommitOutcome outcome =
        table.commit(overwritten == null ? commit : commit.overwriting(overwritten));
    boolean already = outcome instanceof CommitOutcome.AlreadyCommitted;
    if (already) {
      table.discard(all.files());
    }
    (already ? skipped : committed).inc();
    return outcome(outcome.version(), already, all);
  }

  private DeltaWriteOutcome outcome(long version, boolean already, Manifest all) {
    return new DeltaWriteOutcome(
        spec.tablePath(),
        version,
        already,
        all.rows(),
        all.files().size(),
        all.content().toString());
  }
}
