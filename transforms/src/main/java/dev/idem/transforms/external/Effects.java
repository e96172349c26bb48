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

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Records that are applied together, in the order of their keys and, of one key, of their sequence.
 * What is not said of a record otherwise is: it is written, once {@link
 * IdempotentTarget.Client#apply} returns.
 *
 * @param <T> the type of the records
 */
public final class Effects<T> implements Iterable<Effect<T>> {

  /** What a target said of one of the records. */
  sealed interface Said {
    record AlreadyWritten() implements Said {}

    record Rejected(String errorClass, String message) implements Said {}

    record Again(Exception cause) implements Said {}
  }

  private final List<Effect<T>> effects;
  private final Set<Effect<T>> own = Collections.newSetFromMap(new IdentityHashMap<>());
  private final IdentityHashMap<Effect<T>, Said> said = new IdentityHashMap<>();

  Effects(List<Effect<T>> effects) {
    this.effects = List.copyOf(effects);
    own.addAll(effects);
  }

  @Override
  public Iterator<Effect<T>> iterator() {
    return effects.iterator();
  }

  /** Returns how many records there are. */
  public int size() {
    return effects.size();
  }

  /** Says that the receiver has the effect of an earlier attempt. */
  public void alreadyWritten(Effect<T> effect) {
    say(effect, new Said.AlreadyWritten());
  }

  /** Makes a dead letter of a record that the receiver will never take. */
  public void reject(Effect<T> effect, String errorClass, String message) {
    say(effect, new Said.Rejected(errorClass, message));
  }

  /** Applies one record again, with the next attempt, while others of the batch are done. */
  public void again(Effect<T> effect, Exception cause) {
    say(effect, new Said.Again(cause));
  }

  private void say(Effect<T> effect, Said what) {
    if (own.contains(effect)) {
      said.put(effect, what);
      return;
    }
    throw new IllegalArgumentException(
        "Effect must be one of those that are applied now, but was: "
            + effect.idempotencyKey()
            + ". Speak of effects only within apply.");
  }

  @Nullable Said of(Effect<T> effect) {
    return said.get(effect);
  }

  /**
   * Returns why records are applied again: the cause that asks for the longest pause, or else that
   * of the first one. There must be such a record.
   */
  Exception cause() {
    Exception longest = null;
    for (Effect<T> effect : again()) {
      Exception cause = ((Said.Again) said.get(effect)).cause();
      if (longest == null || pause(cause).compareTo(pause(longest)) > 0) {
        longest = cause;
      }
    }
    return Objects.requireNonNull(longest, "cause");
  }

  private static Duration pause(Exception cause) {
    return cause instanceof RetryLaterException later ? later.after() : Duration.ZERO;
  }

  /** Returns the records that are still to be applied after an attempt without an error. */
  List<Effect<T>> again() {
    List<Effect<T>> again = new ArrayList<>();
    for (Effect<T> effect : effects) {
      if (said.get(effect) instanceof Said.Again) {
        again.add(effect);
      }
    }
    return again;
  }

  /** Returns the records of which nothing final is said after an attempt that failed. */
  List<Effect<T>> open() {
    List<Effect<T>> open = new ArrayList<>();
    for (Effect<T> effect : effects) {
      Said what = said.get(effect);
      if (what == null || what instanceof Said.Again) {
        open.add(effect);
      }
    }
    return open;
  }
}
