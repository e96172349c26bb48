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

import dev.idem.transforms.fingerprint.Fingerprint;
import dev.idem.transforms.fingerprint.FingerprintCoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.coders.InstantCoder;
import org.apache.beam.sdk.metrics.Counter;
import org.apache.beam.sdk.metrics.Distribution;
import org.apache.beam.sdk.metrics.Metrics;
import org.apache.beam.sdk.state.MapState;
import org.apache.beam.sdk.state.StateSpec;
import org.apache.beam.sdk.state.StateSpecs;
import org.apache.beam.sdk.state.ValueState;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;
import org.joda.time.Instant;

/*
 * The time of a bucket is the greatest event time that came to it; it decides about an element as
 * the elements before it left it. A key whose latest change is older than that by the retention is
 * forgotten: ignored at once, and removed by the next sweep, of which there are a few a retention.
 */
/** Applies the changes of a bucket one by one, and forgets when the bucket is used. */
final class ApplyInBucketFn extends DoFn<KV<Integer, Row>, Void> {
  static final TupleTag<Row> ROWS = ApplyShardFn.ROWS;
  static final TupleTag<Row> DELETES = ApplyShardFn.DELETES;
  static final TupleTag<Row> LATE = new TupleTag<>("late") {};

  private static final String MEMORY = "memory";
  private static final String TIME = "time";
  private static final String NEXT_SWEEP = "nextSweep";
  private static final int SWEEPS_A_RETENTION = 8;

  @StateId(MEMORY)
  private final StateSpec<MapState<Fingerprint, RememberedKey>> memorySpec;

  @StateId(TIME)
  private final StateSpec<ValueState<Instant>> timeSpec = StateSpecs.value(InstantCoder.of());

  @StateId(NEXT_SWEEP)
  private final StateSpec<ValueState<Instant>> nextSweepSpec = StateSpecs.value(InstantCoder.of());

  private final ChangeLayout layout;
  private final Duration retention;
  private final Counter stale = Metrics.counter(ApplyChanges.class, "stale");
  private final Counter late = Metrics.counter(ApplyChanges.class, "late");
  private final Distribution remembered =
      Metrics.distribution(ApplyChanges.class, "rememberedKeysInBucket");

  ApplyInBucketFn(ChangeLayout layout, Duration retention) {
    this.layout = layout;
    this.retention = retention;
    this.memorySpec = StateSpecs.map(FingerprintCoder.of(), RememberedKeyCoder.of(layout));
  }

  @ProcessElement
  public void process(
      @Element KV<Integer, Row> element,
      @Timestamp Instant eventTime,
      @StateId(MEMORY) MapState<Fingerprint, RememberedKey> memory,
      @StateId(TIME) ValueState<Instant> time,
      @StateId(NEXT_SWEEP) ValueState<Instant> nextSweep,
      MultiOutputReceiver output) {
    Row row = element.getValue();
    Instant now = time.read() == null ? BoundedWindow.TIMESTAMP_MIN_VALUE : time.read();
    Fingerprint fingerprint = layout.keyFingerprint(row);
    RememberedKey known = memory.get(fingerprint).read();
    if (known != null && isForgotten(known.latest(), now)) {
      known = null;
    }
    if (known == null && isForgotten(eventTime, now)) {
      late.inc();
      output.get(LATE).output(row);
      return;
    }
    memory.put(fingerprint, apply(row, eventTime, known, output));
    if (eventTime.isAfter(now)) {
      time.write(eventTime);
      sweepIfDue(eventTime, memory, nextSweep);
    }
  }

  private boolean isForgotten(Instant latest, Instant now) {
    return now.getMillis() - latest.getMillis() >= retention.getMillis();
  }

  private RememberedKey apply(
      Row row, Instant eventTime, @Nullable RememberedKey known, MultiOutputReceiver output) {
    Row key = layout.key(row);
    ChangeMerge merge = layout.merge();
    KeyState change = merge.state(layout.change(row));
    KeyState before = known == null ? null : state(known);
    KeyState after = before == null ? change : merge.merge(before, change);
    if (after.equals(before)) {
      stale.inc();
    } else if (after.isLive()) {
      output.get(ROWS).output(layout.row(key, after));
    } else {
      output.get(DELETES).output(layout.delete(key, after.deleted()));
    }
    Instant latest =
        known == null || eventTime.isAfter(known.latest()) ? eventTime : known.latest();
    return after.isLive()
        ? new RememberedKey(layout.guarded().toRow(key, after), null, latest)
        : new RememberedKey(null, layout.delete(key, after.deleted()), latest);
  }

  private KeyState state(RememberedKey known) {
    return known.live() == null
        ? layout.merge().state(Change.delete(layout.deletedAt(known.deleted())))
        : layout.guarded().state(known.live());
  }

  private void sweepIfDue(
      Instant now, MapState<Fingerprint, RememberedKey> memory, ValueState<Instant> nextSweep) {
    Instant due = nextSweep.read();
    if (due != null && now.isBefore(due)) {
      return;
    }
    List<Fingerprint> forgotten = new ArrayList<>();
    int kept = 0;
    for (Map.Entry<Fingerprint, RememberedKey> each : memory.entries().read()) {
      if (isForgotten(each.getValue().latest(), now)) {
        forgotten.add(each.getKey());
      } else {
        kept++;
      }
    }
    forgotten.forEach(memory::remove);
    remembered.update(kept);
    nextSweep.write(
        now.plus(Duration.millis(Math.max(1, retention.getMillis() / SWEEPS_A_RETENTION))));
  }
}
