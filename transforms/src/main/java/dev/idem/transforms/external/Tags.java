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

import org.apache.beam.sdk.values.TupleTag;

/** The outputs of the steps that apply records. */
final class Tags {
  static final TupleTag<?> WRITTEN = new TupleTag<>("written");
  static final TupleTag<?> ALREADY_WRITTEN = new TupleTag<>("alreadyWritten");
  static final TupleTag<?> SUPERSEDED = new TupleTag<>("superseded");
  static final TupleTag<?> DEAD_LETTERS = new TupleTag<>("deadLetters");

  private Tags() {}

  @SuppressWarnings("unchecked") // Coders are set where the outputs are made.
  static <T> TupleTag<T> written() {
    return (TupleTag<T>) WRITTEN;
  }

  @SuppressWarnings("unchecked")
  static <T> TupleTag<T> alreadyWritten() {
    return (TupleTag<T>) ALREADY_WRITTEN;
  }

  @SuppressWarnings("unchecked")
  static <T> TupleTag<T> superseded() {
    return (TupleTag<T>) SUPERSEDED;
  }

  @SuppressWarnings("unchecked")
  static <T> TupleTag<DeadLetter<T>> deadLetters() {
    return (TupleTag<DeadLetter<T>>) DEAD_LETTERS;
  }
}
