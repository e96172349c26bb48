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

import java.util.ArrayList;
import java.util.List;
import org.checkerframework.checker.nullness.qual.Nullable;

/** The errors of records that were sent; the producer's thread adds them. */
final class SendFailures {

  private static final int MOST_KEPT = 10;

  private final List<Exception> kept = new ArrayList<>();
  private long count;

  synchronized void add(Exception error) {
    count++;
    if (kept.size() < MOST_KEPT) {
      kept.add(error);
    }
  }

  /** Returns the first error. */
  synchronized @Nullable Exception first() {
    return kept.isEmpty() ? null : kept.get(0);
  }

  synchronized void throwIfAny(PublishTarget target) {
    if (count > 0) {
      SendFailedException failed = PublishErrors.notAcknowledged(target, count, kept.get(0));
      kept.stream().skip(1).forEach(failed::addSuppressed);
      throw failed;
    }
  }
}
