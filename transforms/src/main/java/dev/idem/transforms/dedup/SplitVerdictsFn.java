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

import dev.idem.transforms.dedup.KeyMemory.Remembered;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.TupleTagList;

/** Sends each verdict's element to the output of its kind, and what is to be remembered too. */
final class SplitVerdictsFn<T> extends DoFn<Verdict<T>, Void> {
  private final Map<Verdict.Kind, TupleTag<T>> elements = new EnumMap<>(Verdict.Kind.class);
  private final TupleTag<Remembered> remembered = new TupleTag<>("remembered");

  SplitVerdictsFn() {
    for (Verdict.Kind kind : Verdict.Kind.values()) {
      elements.put(kind, new TupleTag<>(kind.name()));
    }
  }

  TupleTag<T> elements(Verdict.Kind kind) {
    return elements.get(kind);
  }

  TupleTag<Remembered> remembered() {
    return remembered;
  }

  TupleTagList tags() {
    return TupleTagList.of(List.copyOf(elements.values())).and(remembered);
  }

  @ProcessElement
  public void process(@Element Verdict<T> verdict, MultiOutputReceiver output) {
    output.get(elements(verdict.kind())).output(verdict.element());
    if (verdict.remembered() != null) {
      output.get(remembered).output(verdict.remembered());
    }
  }
}
