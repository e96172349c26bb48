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
package dev.idem.io.memory;

import dev.idem.io.delta.table.DeltaRows;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.beam.sdk.values.Row;

/**
 * The remembered keys of one memory table, kept by this process from batch to batch so that each
 * batch reads only the rows of the one before it. The process-wide map is what makes a warm
 * process: workers are made anew for every pipeline.
 *
 * <p>Between two advances it does not change, so any number of threads may look up.
 */
final class MemoryCache {

  private static final Map<String, MemoryCache> CACHES = new ConcurrentHashMap<>();

  private final String path;
  private final String epoch;
  private final Map<String, String> hadoopConfiguration;
  private FingerprintMap[] shards = empty();
  private long through = -1;
  private long pruned;

  private MemoryCache(String path, String epoch, Map<String, String> hadoopConfiguration) {
    this.path = path;
    this.epoch = epoch;
    this.hadoopConfiguration = hadoopConfiguration;
  }

  /** Returns this process's cache of a table; one of another epoch is forgotten. */
  static MemoryCache of(String path, String epoch, Map<String, String> hadoopConfiguration) {
    return CACHES.compute(
        path,
        (key, known) ->
            known != null && known.epoch.equals(epoch)
                ? known
                : new MemoryCache(path, epoch, hadoopConfiguration));
  }

  private static FingerprintMap[] empty() {
    FingerprintMap[] maps = new FingerprintMap[MemoryTable.SHARDS];
    java.util.Arrays.setAll(maps, i -> new FingerprintMap());
    return maps;
  }

  /** Returns what batches before {@code batch} remember, by shard. */
  synchronized FingerprintMap[] advance(long batch, long watermark) {
    if (through > batch - 1) {
      shards = empty();
      through = -1;
    }
    if (through < batch - 1) {
      read(batch);
      prune(watermark);
    }
    return shards;
  }

  private void read(long batch) {
    FingerprintMap[] next = shards;
    long known = through;
    // What a read that breaks off has taken must not be found later.
    shards = empty();
    through = -1;
    DeltaRows.read(path)
        .withHadoopConfiguration(hadoopConfiguration)
        .select("key_high", "key_low", "payload", "expiry", "batch")
        .fromFiles(file -> MemoryTable.batch(file, "maxValues") > known)
        .forEach(row -> take(row, next, known, batch));
    shards = next;
    through = batch - 1;
  }

  private static void take(Row row, FingerprintMap[] shards, long known, long batch) {
    long marked = (Long) row.getValue(4);
    if (marked > known && marked < batch) {
      long high = (Long) row.getValue(0);
      shards[(int) (high >>> 58)].put(
          high,
          (Long) row.getValue(1),
          (Long) row.getValue(2),
          ((Instant) row.getValue(3)).toEpochMilli(),
          marked);
    }
  }

  /** Rebuilding costs as much as there are keys, so it waits until half of them may be old. */
  private void prune(long watermark) {
    if (size() > 2 * pruned) {
      for (int i = 0; i < shards.length; i++) {
        shards[i] = shards[i].without(watermark);
      }
      pruned = size();
    }
  }

  private long size() {
    long size = 0;
    for (FingerprintMap shard : shards) {
      size += shard.size();
    }
    return size;
  }
}
