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
import java.time.Clock;
import java.time.Duration;

/**
 * How records are applied.
 *
 * @param write names the write in its processes
 * @param latest whether only the latest record of a key counts
 * @param batchSize how many records are applied at once at most
 * @param batchBytes how many bytes of encoded records are applied at once at most
 * @param maxBuffering for how long records of an unbounded input wait for others at most
 */
record ApplySettings<T>(
    String write,
    IdempotentTarget<T> target,
    boolean latest,
    int batchSize,
    long batchBytes,
    Duration maxBuffering,
    EffectWriter.Retries retries,
    Throttle.Limits limits,
    Clock clock)
    implements Serializable {

  EffectWriter<T> writer(EffectWriter.Outcomes<T> outcomes) {
    Throttle throttle =
        Throttle.of(
            write,
            limits,
            error ->
                error instanceof Exception exception
                    && target.classify(exception) == IdempotentTarget.ErrorClass.TRANSIENT);
    return new EffectWriter<>(target, throttle, retries, batchSize, batchBytes, outcomes);
  }
}
