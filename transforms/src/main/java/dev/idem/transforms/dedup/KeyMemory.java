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
import java.io.Serializable;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Instant;

/**
 * The keys that earlier batches remember, as one batch sees them: read-only and the same at every
 * attempt of that batch.
 */
public interface KeyMemory extends Serializable {

  /** Returns a memory that holds nothing. */
  static KeyMemory none() {
    return (shard, shards) -> key -> null;
  }

  /**
   * Returns what is remembered of the keys of one shard; called by workers, once a shard.
   *
   * @param shard the shard, from 0; its keys are those with {@link Fingerprint#shard} equal to it
   * @param shards the number of shards, a power of two
   */
  Shard load(int shard, int shards);

  /** The remembered keys of one shard. */
  interface Shard {
    /** Returns what is remembered of {@code key}, or null if it was never seen or is forgotten. */
    @Nullable Remembered find(Fingerprint key);
  }

  /**
   * What is remembered of one key.
   *
   * @param key the fingerprint of the key columns
   * @param payload a 64-bit hash of the row that was let through
   * @param expiry the key is remembered until the watermark reaches this time
   */
  record Remembered(Fingerprint key, long payload, Instant expiry) implements Serializable {}
}
