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

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.delta.table.FilePlan;
import dev.idem.io.file.Storage;
import dev.idem.transforms.fingerprint.ContentSum;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.beam.sdk.annotations.Internal;

/** A batch whose changes are merged, before it is committed. */
@Internal
public final class MergedBatch {

  private final MergeSpec spec;
  private final Clock clock;
  private final MergePlan plan;
  private final MergeCommit files;
  private final MergeCounts counts;
  private final long received;
  private final ContentSum content;
  private final List<DataFile> beside = new ArrayList<>();
  private final List<String> staged = new ArrayList<>();

  /**
   * Takes up what workers did.
   *
   * @param steps what they said of it
   */
  MergedBatch(MergeSpec spec, Iterable<String> steps, Clock clock) throws IOException {
    this.spec = spec;
    this.clock = clock;
    List<Outcome> outcomes = new ArrayList<>();
    for (String step : steps) {
      outcomes.add(Messages.read(step, Outcome.class));
    }
    String file = onePlan(outcomes);
    this.plan = MergePlan.load(spec.stagingStorage(), file);
    staged.add(file);
    MergeCounts all = MergeCounts.NONE;
    ContentSum sum = ContentSum.EMPTY;
    long changes = 0;
    for (StagedShard shard : plan.shards()) {
      sum = sum.plus(ContentSum.parse(shard.content()));
      changes += shard.received();
      all = all.plus(new MergeCounts(0, 0, shard.stale(), shard.ties(), 0, 0));
      staged.add(shard.file());
    }
    for (Outcome outcome : outcomes) {
      if (outcome.merged() != null) {
        beside.addAll(outcome.merged().beside());
        staged.add(outcome.merged().found());
        all = all.plus(outcome.merged().counts());
      }
    }
    this.files = new MergeCommit(spec, plan, outcomes, clock);
    this.counts = all;
    this.content = sum;
    this.received = changes;
  }

  /** Steps that were done by another plan, since a worker planned twice, must not be mixed. */
  private String onePlan(List<Outcome> outcomes) {
    List<String> plans = outcomes.stream().map(Outcome::plan).distinct().toList();
    if (plans.size() != 1) {
      throw MergeErrors.severalPlans(spec.rows().tablePath(), plans.size());
    }
    return plans.get(0);
  }

  /** Returns how many changes the batch has. */
  public long changes() {
    return received;
  }

  /** Returns the sum over the changes. */
  public ContentSum content() {
    return content;
  }

  /** Returns what merging came to. */
  public MergeCounts counts() {
    return counts;
  }

  /** Returns the files with changes that are kept beside the table; to be committed first. */
  public List<DataFile> besideFiles() {
    return List.copyOf(beside);
  }

  /** Returns how the files of the table beside it were written. */
  public DataFileSpec besideSpec() {
    return spec.beside();
  }

  /** Returns how the files of the table were written. */
  public DataFileSpec rowSpec() {
    return spec.rows();
  }

  /** Returns what the commit does to the files of the table. */
  public FilePlan filePlan() {
    return files;
  }

  /** Returns what the table's history says of the commit. */
  public Map<String, String> parameters() {
    return Map.of("mode", plan.marksRows() ? "MergeOnRead" : "CopyOnWrite");
  }

  /** Returns what the table's history says of the commit in figures. */
  public Map<String, String> metrics() {
    Map<String, String> metrics = new TreeMap<>();
    metrics.put("numUpsertedKeys", Long.toString(counts.upserted()));
    metrics.put("numDeletedKeys", Long.toString(counts.deleted()));
    metrics.put("numStaleChanges", Long.toString(counts.stale()));
    metrics.put("numTiedChanges", Long.toString(counts.ties()));
    metrics.put("numFoldedRows", Long.toString(counts.folded()));
    metrics.put("numSuspectedLateKeys", Long.toString(counts.suspectedLate()));
    return metrics;
  }

  /** Deletes the files that were written for a table that another attempt committed to. */
  public void discard(DeltaTable table) {
    table.discard(files.written());
  }

  /**
   * Keeps the table beside small, once the batch is committed: what is older than the retention
   * goes, and many small files become one.
   */
  public void keepUpBeside() throws IOException {
    new BesideUpkeep(spec, clock).run();
  }

  /** Deletes what only the merge itself needed. */
  public void clean() throws IOException {
    Storage storage = spec.stagingStorage();
    for (String file : staged) {
      storage.delete(file);
    }
  }
}
