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

import java.io.Serializable;
import org.apache.beam.sdk.coders.Coder;

/**
 * A record that the receiver will never take.
 *
 * @param record the record, whole
 * @param key the idempotency key under which it was applied
 * @param errorClass names the error: a class, or what the receiver calls it
 * @param message what the receiver said
 * @param attempts how often it was applied
 * @param <T> the type of the records
 */
public record DeadLetter<T>(T record, String key, String errorClass, String message, int attempts)
    implements Serializable {

  /** The error class of a record that has key and sequence of another one, but other content. */
  public static final String CONFLICT = "conflict";

  /** Returns the coder of dead letters whose records are encoded by a coder. */
  public static <T> Coder<DeadLetter<T>> coder(Coder<T> recordCoder) {
    return DeadLetterCoder.of(recordCoder);
  }
}
