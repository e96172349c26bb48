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

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;

/** Brings an output of a pipeline of this JVM back to the test. */
final class Gathered<T> extends DoFn<T, Void> {
  private static final Map<String, Queue<Object>> RESULTS = new ConcurrentHashMap<>();

  private final String id = UUID.randomUUID().toString();

  private Gathered() {
    RESULTS.put(id, new ConcurrentLinkedQueue<>());
  }

  static <T> Gathered<T> of(PCollection<T> output) {
    Gathered<T> gathered = new Gathered<>();
    output.apply("Gather" + output.getName(), ParDo.of(gathered));
    return gathered;
  }

  @ProcessElement
  public void process(@Element T element) {
    RESULTS.get(id).add(element);
  }

  /** Returns all elements; can be called once. */
  @SuppressWarnings("unchecked")
  List<T> take() {
    return RESULTS.remove(id).stream().map(each -> (T) each).toList();
  }
}
