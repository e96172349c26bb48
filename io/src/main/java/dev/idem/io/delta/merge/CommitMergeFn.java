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
package dev.idem.io.delta.merge;

import dev.idem.io.delta.table.CommitOutcome;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaTable;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;

/** Commits what all groups came to, the changes beside the table first. */
final class CommitMergeFn extends DoFn<KV<Integer, Iterable<String>>, MergeOutcome> {

  private static final long serialVersionUID = 1L;

  private final MergeSpec spec;

  CommitMergeFn(MergeSpec spec) {
    this.spec = spec;
  }

  @ProcessElement
  public void process(
      @Element KV<Integer, Iterable<String>> steps, OutputReceiver<MergeOutcome> output)
      throws IOException {
    MergeOutcome outcome = commit(steps.getValue());
    report(outcome.counts());
    output.output(outcome);
  }

  MergeOutcome commit(Iterable<String> steps) throws IOException {
    MergedBatch merged = new MergedBatch(spec, steps, Clock.systemUTC());
    String content = content(merged);
    commitBeside(merged);
    DeltaTable table = spec.commitTable();
    table.refuseRestored(spec.sink());
    CommitOutcome committed =
        table.commit(
            batch(content, spec.rows().schemaJson(), spec.rows().partitionColumns())
                .withParameters(merged.parameters())
                .withMetrics(merged.metrics()),
            merged.filePlan());
    boolean already = committed instanceof CommitOutcome.AlreadyCommitted;
    if (already) {
      merged.discard(table);
    } else {
      merged.keepUpBeside();
    }
    merged.clean();
    return new MergeOutcome(
        spec.rows().tablePath(),
        committed.version(),
        already,
        merged.changes(),
        already ? MergeCounts.NONE : merged.counts(),
        content);
  }

  /** Commits the changes that are kept beside the table, unless an earlier attempt did. */
  void commitBeside(MergedBatch merged) {
    if (merged.besideFiles().isEmpty()) {
      return;
    }
    DeltaTable beside = spec.commitBeside();
    CommitOutcome kept =
        beside.commit(
            batch(content(merged), spec.beside().schemaJson(), List.of())
                .withFiles(merged.besideFiles()));
    if (kept instanceof CommitOutcome.AlreadyCommitted) {
      beside.discard(merged.besideFiles());
    }
  }

  /** With a dash the sum can never be taken for a plan fingerprint that somebody gave. */
  private static String content(MergedBatch merged) {
    return merged.changes() + "-" + merged.content();
  }

  private DeltaCommit batch(String content, String schemaJson, List<String> partitionColumns) {
    String given = spec.plan();
    return DeltaCommit.of(
            spec.sink(), spec.batch(), given == null ? content : given, content, schemaJson)
        .withPartitionColumns(partitionColumns);
  }

  private static void report(MergeCounts counts) {
    Metrics.counter(MergeChanges.class, "upserted").inc(counts.upserted());
    Metrics.counter(MergeChanges.class, "deleted").inc(counts.deleted());
    Metrics.counter(MergeChanges.class, "stale").inc(counts.stale());
    Metrics.counter(MergeChanges.class, "ties").inc(counts.ties());
    Metrics.counter(MergeChanges.class, "folded").inc(counts.folded());
    Metrics.counter(MergeChanges.class, "suspectedLate").inc(counts.suspectedLate());
  }
}
