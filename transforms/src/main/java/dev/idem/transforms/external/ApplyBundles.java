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

import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.TupleTag;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Applies records as they come, in batches within a bundle; all are applied when it ends. Their
 * outputs leave the step then, with their own times and windows, since only the end of a bundle may
 * put elements into several windows.
 */
final class ApplyBundles<T> extends DoFn<T, Void> {
  private final EffectFactory<T> factory;
  private final ApplySettings<T> settings;

  private transient @Nullable EffectWriter<T> writer;
  private transient @Nullable Accounts<T> accounts;
  private transient List<Effect<T>> buffer = new ArrayList<>();
  private transient long bufferedBytes;
  private transient @Nullable Instant oldest;
  private transient IdentityHashMap<Effect<T>, Place> places = new IdentityHashMap<>();
  private transient List<Put<?>> puts = new ArrayList<>();

  /** Where a record was in time. */
  private record Place(org.joda.time.Instant timestamp, BoundedWindow window) {}

  /** An element that leaves the step when the bundle ends. */
  private record Put<O>(TupleTag<O> tag, O element, Place place) {
    void into(DoFn<?, ?>.FinishBundleContext context) {
      context.output(tag, element, place.timestamp(), place.window());
    }
  }

  ApplyBundles(EffectFactory<T> factory, ApplySettings<T> settings) {
    this.factory = factory;
    this.settings = settings;
  }

  @StartBundle
  public void start() {
    buffer = new ArrayList<>();
    bufferedBytes = 0;
    places = new IdentityHashMap<>();
    puts = new ArrayList<>();
    accounts =
        new Accounts<>(
            new Accounts.Output<>() {
              @Override
              public <O> void put(TupleTag<O> tag, O element, Effect<T> of) {
                puts.add(new Put<>(tag, element, places.get(of)));
              }
            });
    writer = settings.writer(accounts);
  }

  @ProcessElement
  public void process(
      @Element T record, @Timestamp org.joda.time.Instant timestamp, BoundedWindow window)
      throws InterruptedException {
    Effect<T> effect = factory.effect(record);
    if (buffer.isEmpty()) {
      oldest = settings.clock().instant();
    }
    places.put(effect, new Place(timestamp, window));
    buffer.add(effect);
    bufferedBytes += effect.size();
    if (buffer.size() >= settings.batchSize()
        || bufferedBytes >= settings.batchBytes()
        || !settings.clock().instant().isBefore(oldest.plus(settings.maxBuffering()))) {
      applyBuffer();
    }
  }

  private void applyBuffer() throws InterruptedException {
    writer.write(Fold.of(buffer, settings.latest(), accounts));
    places.clear();
    buffer.clear();
    bufferedBytes = 0;
  }

  @FinishBundle
  public void finish(FinishBundleContext context) throws Exception {
    applyBuffer();
    writer.close();
    puts.forEach(put -> put.into(context));
    puts = new ArrayList<>();
  }

  @Teardown
  public void abandon() throws Exception {
    if (writer != null) {
      writer.close();
    }
  }
}
