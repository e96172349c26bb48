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
package dev.idem.transforms.dedup;

import dev.idem.transforms.fingerprint.Fingerprint;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.joda.time.Instant;

/**
 * A memory in a map of this JVM, which refuses to be asked for keys of other shards. Only its id is
 * sent to workers.
 */
final class MapMemory implements KeyMemory {
  private static final Map<String, Map<Fingerprint, Remembered>> MEMORIES =
      new ConcurrentHashMap<>();

  private final String id = UUID.randomUUID().toString();

  MapMemory() {
    MEMORIES.put(id, new HashMap<>());
  }

  private Map<Fingerprint, Remembered> remembered() {
    return MEMORIES.get(id);
  }

  @Override
  public Shard load(int shard, int shards) {
    Map<Fingerprint, Remembered> remembered = remembered();
    return key -> {
      if (key.shard(shards) != shard) {
        throw new IllegalStateException("Asked shard " + shard + " of " + shards + " for " + key);
      }
      return remembered.get(key);
    };
  }

  MapMemory with(Iterable<? extends Verdict<?>> verdicts) {
    MapMemory next = new MapMemory();
    next.remembered().putAll(remembered());
    for (Verdict<?> verdict : verdicts) {
      if (verdict.remembered() != null) {
        next.remembered().put(verdict.remembered().key(), verdict.remembered());
      }
    }
    return next;
  }

  MapMemory sweptTo(Instant watermark) {
    MapMemory next = new MapMemory();
    next.remembered().putAll(remembered());
    next.remembered().values().removeIf(each -> !each.expiry().isAfter(watermark));
    return next;
  }

  Map<Fingerprint, Remembered> content() {
    return Map.copyOf(remembered());
  }

  int size() {
    return remembered().size();
  }
}
