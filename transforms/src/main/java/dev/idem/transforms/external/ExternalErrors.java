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

import org.joda.time.Duration;

/** Words all errors of this package. */
final class ExternalErrors {
  private ExternalErrors() {}

  static TargetFailedException failed(
      IdempotentTarget<?> target, int records, int attempts, Exception cause) {
    return new TargetFailedException(
        "Target "
            + target
            + " must take "
            + records
            + " records, but failed at each of "
            + attempts
            + " attempts, at last with: "
            + cause
            + ". Nothing is lost: run the pipeline again once it is up.",
        attempts,
        cause);
  }

  static IllegalArgumentException noKey() {
    return invalid(
        "WriteIdempotently",
        "know the key of a record",
        "none",
        "Call keyedBy with a function that gives it");
  }

  static IllegalArgumentException noSequence() {
    return invalid(
        "WriteIdempotently.latestPerKey",
        "know which record of a key is the latest",
        "without a sequence",
        "Call sequencedBy with a function that gives it");
  }

  static IllegalArgumentException nondeterministic(String thing, Exception cause) {
    return new IllegalArgumentException(
        "Coder of the "
            + thing
            + " must be deterministic, or a replay has other idempotency keys, but was: "
            + cause.getMessage()
            + " Give another coder.",
        cause);
  }

  static IllegalArgumentException notPositive(String thing, long number) {
    return invalid(thing, "be positive", Long.toString(number), "Give 1 or more");
  }

  static IllegalArgumentException notPositive(String thing, Duration duration) {
    return invalid(thing, "be positive", duration.getMillis() + " ms", "Give 1 ms or more");
  }

  static IllegalArgumentException notLonger(Duration least, Duration most) {
    return invalid(
        "Longest pause",
        "be longer than the first one of " + least.getMillis() + " ms",
        most.getMillis() + " ms",
        "Give more");
  }

  static IllegalArgumentException notPowerOfTwo(int shards) {
    return invalid("Shards", "be a power of two", Integer.toString(shards), "Give 16, for example");
  }

  static IllegalArgumentException blankNamespace() {
    return invalid(
        "Namespace",
        "be text that stays the same over restarts",
        "\"\"",
        "Name application and target");
  }

  static IllegalArgumentException nullKey() {
    return invalid(
        "Key of a record",
        "not be null, because the receiver could not tell its repetition",
        "null",
        "Send records without a key elsewhere first");
  }

  static IllegalArgumentException nullSequence(String key) {
    return invalid(
        "Sequence of the record with key " + key,
        "not be null",
        "null",
        "Send records without a sequence elsewhere first");
  }

  private static IllegalArgumentException invalid(
      String thing, String rule, String value, String remedy) {
    return new IllegalArgumentException(
        thing + " must " + rule + ", but was: " + value + ". " + remedy + ".");
  }
}
