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
package dev.idem.transforms.external;

import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.TupleTag;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Applies the records of whole shards; the client lives as long as the bundle. */
final class ApplyShards<T> extends DoFn<KV<Integer, Iterable<T>>, Void> {
  private final EffectFactory<T> factory;
  private final ApplySettings<T> settings;

  private transient @Nullable EffectWriter<T> writer;
  private transient @Nullable Accounts<T> accounts;
  private transient @Nullable MultiOutputReceiver receiver;

  ApplyShards(EffectFactory<T> factory, ApplySettings<T> settings) {
    this.factory = factory;
    this.settings = settings;
  }

  @StartBundle
  public void start() {
    accounts =
        new Accounts<>(
            new Accounts.Output<>() {
              @Override
              public <O> void put(TupleTag<O> tag, O element, Effect<T> of) {
                receiver.get(tag).output(element);
              }
            });
    writer = settings.writer(accounts);
  }

  @ProcessElement
  public void process(@Element KV<Integer, Iterable<T>> shard, MultiOutputReceiver output)
      throws InterruptedException {
    receiver = output;
    List<Effect<T>> effects = new ArrayList<>();
    shard.getValue().forEach(record -> effects.add(factory.effect(record)));
    writer.write(Fold.of(effects, settings.latest(), accounts));
  }

  @FinishBundle
  public void finish() throws Exception {
    writer.close();
  }

  @Teardown
  public void abandon() throws Exception {
    if (writer != null) {
      writer.close();
    }
  }
}
