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

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.values.KV;
import org.joda.time.Duration;

/** Decodes one shard of a batch, holds it and decides about it. */
final class DecideShardFn<T, OutputT> extends DoFn<KV<Integer, Iterable<byte[]>>, OutputT> {
  private static final Duration ALL_TIME =
      new Duration(BoundedWindow.TIMESTAMP_MIN_VALUE, BoundedWindow.TIMESTAMP_MAX_VALUE);

  private final ShardDecision<T> decision;
  private final KeyMemory memory;
  private final CopyCoder<T> coder;
  private final int shards;
  private final SerializableFunction<Verdict<T>, OutputT> function;

  DecideShardFn(
      ShardDecision<T> decision,
      KeyMemory memory,
      CopyCoder<T> coder,
      int shards,
      SerializableFunction<Verdict<T>, OutputT> function) {
    this.decision = decision;
    this.memory = memory;
    this.coder = coder;
    this.shards = shards;
    this.function = function;
  }

  @ProcessElement
  public void process(@Element KV<Integer, Iterable<byte[]>> shard, OutputReceiver<OutputT> output)
      throws IOException {
    List<Copy<T>> copies = new ArrayList<>();
    for (byte[] chunk : shard.getValue()) {
      ByteArrayInputStream in =
          new ByteArrayInputStream(CoderUtils.decodeFromByteArray(CollectCopiesFn.CHUNKS, chunk));
      while (in.available() > 0) {
        copies.add(coder.decode(in));
      }
    }
    decision.decide(
        copies,
        memory.load(shard.getKey(), shards),
        (verdict, eventTime) -> output.outputWithTimestamp(function.apply(verdict), eventTime));
  }

  /**
   * A group carries the end of the global window; its elements get their own, earlier times back. A
   * longer skew would overflow, and the runner would pay an exception for each element to see it.
   */
  @Override
  @SuppressWarnings("deprecation") // Nothing else lets a bounded group give times back.
  public Duration getAllowedTimestampSkew() {
    return ALL_TIME;
  }
}
