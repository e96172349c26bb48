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

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.coders.SnappyCoder;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Instant;

/**
 * Hashes elements and collects them, encoded and compressed, by shard. A runner's cost of each
 * shuffled value is then paid a few thousand times a batch and not millions of times, and a runner
 * that holds in memory what it groups, and copies it once for each bundle that adds to it, has a
 * third of the bytes to hold and to copy.
 */
final class CollectCopiesFn<T> extends DoFn<T, KV<Integer, byte[]>> {
  /** Turns chunks into what is shuffled. */
  static final Coder<byte[]> CHUNKS = SnappyCoder.of(ByteArrayCoder.of());

  private static final int CHUNK_BYTES = 1 << 16;

  private final CopyFactory<T> factory;
  private final CopyCoder<T> coder;
  private final int shards;

  private transient ByteArrayOutputStream[] pending;

  CollectCopiesFn(CopyFactory<T> factory, CopyCoder<T> coder, int shards) {
    this.factory = factory;
    this.coder = coder;
    this.shards = shards;
  }

  @StartBundle
  public void startBundle() {
    pending = new ByteArrayOutputStream[shards];
    for (int shard = 0; shard < shards; shard++) {
      pending[shard] = new ByteArrayOutputStream();
    }
  }

  @ProcessElement
  public void process(
      @Element T element, @Timestamp Instant timestamp, OutputReceiver<KV<Integer, byte[]>> output)
      throws IOException {
    Copy<T> copy = factory.copyOf(element, timestamp);
    int shard = copy.key().shard(shards);
    ByteArrayOutputStream chunk = pending[shard];
    coder.encode(copy, chunk);
    if (chunk.size() >= CHUNK_BYTES) {
      output.output(KV.of(shard, compressed(chunk)));
      chunk.reset();
    }
  }

  @FinishBundle
  public void finishBundle(FinishBundleContext context) throws IOException {
    for (int shard = 0; shard < shards; shard++) {
      if (pending[shard].size() > 0) {
        context.output(
            KV.of(shard, compressed(pending[shard])),
            BoundedWindow.TIMESTAMP_MIN_VALUE,
            GlobalWindow.INSTANCE);
      }
    }
    pending = null;
  }

  private static byte[] compressed(ByteArrayOutputStream chunk) throws CoderException {
    return CoderUtils.encodeToByteArray(CHUNKS, chunk.toByteArray());
  }
}
