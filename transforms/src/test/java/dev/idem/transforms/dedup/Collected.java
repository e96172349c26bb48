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

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Instant;

/** Brings what a pipeline of this JVM put out back to the test. */
final class Collected<T> extends DoFn<T, Void> {
  private static final Map<String, Queue<TimestampedValue<?>>> RESULTS = new ConcurrentHashMap<>();

  private final String id = UUID.randomUUID().toString();

  Collected() {
    RESULTS.put(id, new ConcurrentLinkedQueue<>());
  }

  @ProcessElement
  public void process(@Element T element, @Timestamp Instant timestamp) {
    RESULTS.get(id).add(TimestampedValue.of(element, timestamp));
  }

  /** Returns all elements; can be called once. */
  @SuppressWarnings("unchecked")
  List<TimestampedValue<T>> take() {
    return RESULTS.remove(id).stream().map(each -> (TimestampedValue<T>) each).toList();
  }
}
