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
package dev.idem.io.http;

import dev.idem.transforms.external.Effect;
import dev.idem.transforms.external.Effects;
import dev.idem.transforms.external.IdempotentTarget;
import java.util.List;

/** A client that asks for nothing that a ledger forbids, and remembers what came of the rest. */
abstract class CheckedClient<T> implements IdempotentTarget.Client<T> {
  final SentCheck<T> check;

  CheckedClient(SentCheck<T> check) {
    this.check = check;
  }

  abstract void ask(List<Effect<T>> admitted, Effects<T> effects) throws Exception;

  @Override
  public final void apply(Effects<T> effects) throws Exception {
    List<Effect<T>> admitted = check.admit(effects);
    try {
      ask(admitted, effects);
    } catch (Exception e) {
      try {
        check.settle();
      } catch (Exception unsettled) {
        e.addSuppressed(unsettled);
      }
      throw e;
    }
    check.settle();
  }

  final void alreadyWritten(Effect<T> effect, Effects<T> effects) {
    check.written(effect);
    effects.alreadyWritten(effect);
  }

  final void reject(Effect<T> effect, Effects<T> effects, String errorClass, String message) {
    check.rejected(effect, errorClass);
    effects.reject(effect, errorClass, message);
  }
}
