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
package dev.idem.io.kafka.publish;

import java.io.Serializable;
import java.util.List;
import org.apache.beam.sdk.annotations.Internal;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * How elements become events; the same at every attempt.
 *
 * @param <T> the type of the elements
 */
@Internal
public interface EventMapping<T> extends Serializable {

  /** Returns the key of the event that an element becomes, null if it has none. */
  byte @Nullable [] key(T element);

  /** Returns the event that an element with a key becomes. */
  KafkaEvent event(T element);

  /**
   * Returns the elements of a shard that are published. All elements of a key are in one shard, in
   * any order.
   */
  List<T> published(List<T> shard);
}
