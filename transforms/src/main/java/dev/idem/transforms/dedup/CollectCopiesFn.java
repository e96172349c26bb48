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

import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Instant;

/**
 * Hashes elements and collects them by shard, so that the shuffle moves lists and not elements: a
 * runner's cost of each shuffled value is then paid a few thousand times a batch, not millions.
 */
final class CollectCopiesFn<T> extends DoFn<T, KV<Integer, List<Copy<T>>>> {
  private static final int LIST_SIZE = 256;

  private final CopyFactory<T> factory;
  private final int shards;

  private transient List<List<Copy<T>>> pending;

  CollectCopiesFn(CopyFactory<T> factory, int shards) {
    this.factory = factory;
    this.shards = shards;
  }

  @StartBundle
  public void startBundle() {
    pending = new ArrayList<>(shards);
    for (int shard = 0; shard < shards; shard++) {
      pending.add(new ArrayList<>());
    }
  }

  @ProcessElement
  public void process(
      @Element T element,
      @Timestamp Instant timestamp,
      OutputReceiver<KV<Integer, List<Copy<T>>>> output)
      throws CoderException {
    Copy<T> copy = factory.copyOf(element, timestamp);
    int shard = copy.key().shard(shards);
    List<Copy<T>> list = pending.get(shard);
    list.add(copy);
    if (list.size() == LIST_SIZE) {
      output.output(KV.of(shard, list));
      pending.set(shard, new ArrayList<>(LIST_SIZE));
    }
  }

  @FinishBundle
  public void finishBundle(FinishBundleContext context) {
    for (int shard = 0; shard < shards; shard++) {
      if (!pending.get(shard).isEmpty()) {
        context.output(
            KV.of(shard, pending.get(shard)),
            BoundedWindow.TIMESTAMP_MIN_VALUE,
            GlobalWindow.INSTANCE);
      }
    }
    pending = null;
  }
}
