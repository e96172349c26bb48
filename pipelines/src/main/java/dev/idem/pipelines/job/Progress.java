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
package dev.idem.pipelines.job;

import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.Summary;
import dev.idem.pipelines.stage.Counts;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Says what a job does: a line at the start, one a batch, and one at the end. */
final class Progress {

  private final PrintStream out;
  private long batches;
  private long rows;
  private long skipped;

  Progress(PrintStream out) {
    this.out = out;
  }

  void say(String line) {
    out.println(line);
    out.flush();
  }

  /**
   * Says what a batch did.
   *
   * @param compacted what became of small files afterwards, empty if they were left alone
   */
  void batch(Plan plan, BatchRun.Done done, long lag, String compacted) {
    Summary summary = done.summary();
    batches++;
    long written = summary.counts().getOrDefault(Counts.ROWS, 0L);
    rows += written;
    double seconds = Math.max(done.duration().toMillis(), 1) / 1000.0;
    say(
        String.format(
            Locale.ROOT,
            "batch %d: read %,d, rows %,d, duplicates %,d, late %,d, dead letters %,d, %,.0f rows/s,"
                + " watermark %s, lag %,d, committing %.0f%%%s%s%s",
            plan.batch(),
            summary.counts().getOrDefault(Counts.READ, 0L),
            written,
            summary.counts().getOrDefault(Counts.DUPLICATES, 0L),
            summary.counts().getOrDefault(Counts.LATE, 0L),
            summary.counts().getOrDefault(Counts.INVALID, 0L)
                + summary.counts().getOrDefault(Counts.CONFLICTS, 0L),
            written / seconds,
            plan.watermark().map(Object::toString).orElse("none"),
            lag,
            100 * done.commitShare(),
            merged(summary),
            done.schemaChanges().entrySet().stream()
                .map(change -> ", " + change.getKey() + ": " + change.getValue())
                .collect(Collectors.joining()),
            compacted));
  }

  private static String merged(Summary summary) {
    Map<String, Long> counts = summary.counts();
    return counts.containsKey(Counts.UPSERTED)
        ? String.format(
            Locale.ROOT,
            ", upserted %,d, deleted %,d, stale %,d",
            counts.get(Counts.UPSERTED),
            counts.get(Counts.DELETED),
            counts.get(Counts.STALE))
        : "";
  }

  void finished(long batch) {
    skipped++;
    say("batch " + batch + ": every target holds it; entered as done without reading the source");
  }

  void end() {
    say(
        String.format(
            Locale.ROOT,
            "done: %,d batches run, %,d rows, %,d batches found done",
            batches,
            rows,
            skipped));
  }
}
