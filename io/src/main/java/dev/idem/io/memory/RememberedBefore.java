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

import dev.idem.transforms.dedup.KeyMemory;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.util.Map;
import org.checkerframework.checker.nullness.qual.Nullable;

/** What batches before one batch remember, loaded where it is asked for. */
record RememberedBefore(
    String path, String epoch, Map<String, String> hadoopConfiguration, long batch, long watermark)
    implements KeyMemory {

  @Override
  public Shard load(int shard, int shards) {
    FingerprintMap[] keys =
        MemoryCache.of(path, epoch, hadoopConfiguration).advance(batch, watermark);
    return new Shard() {
      @Override
      public @Nullable Remembered find(Fingerprint key) {
        return keys[key.shard(MemoryTable.SHARDS)].find(key);
      }
    };
  }
}
