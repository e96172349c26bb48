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

import org.apache.beam.sdk.schemas.Schema;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;

/** Words all errors of this package. */
final class DedupErrors {
  private DedupErrors() {}

  static IllegalArgumentException noKeyColumns() {
    return invalid("Key columns", "name at least one column", "none", "Name what identifies a row");
  }

  static IllegalArgumentException missingColumn(String thing, String column, Schema schema) {
    return invalid(
        thing,
        "be one of " + schema.getFieldNames(),
        '"' + column + '"',
        "Name a top-level column of the rows");
  }

  static IllegalArgumentException floatingPointKey(String path) {
    return invalid(
        "Key column",
        "not hold floating-point values",
        '"' + path + '"',
        "Use a decimal, whole number or text column as key");
  }

  static IllegalArgumentException negative(String thing, Duration duration) {
    return invalid(
        thing, "not be negative", duration.getMillis() + " ms", "Give zero or a longer duration");
  }

  static IllegalArgumentException notPowerOfTwo(String thing, int number) {
    return invalid(thing, "be a power of two", Integer.toString(number), "Give 16, for example");
  }

  static IllegalArgumentException windowed(String windowFn) {
    return invalid(
        "Input of DeduplicateWithinWatermark",
        "be in the global window",
        windowFn,
        "Deduplicate first and window afterwards, since copies on either side of a window's edge"
            + " would not meet");
  }

  static IllegalArgumentException noSchema() {
    return invalid(
        "Input of DeduplicateWithinWatermark.rows",
        "have a schema",
        "without one",
        "Call setRowSchema on the input");
  }

  static IllegalArgumentException noRowSchema() {
    return invalid(
        "Row schema of DeduplicateWithinWatermark.by",
        "be set",
        "not set",
        "Call withRowSchema with the schema of the rows that the elements carry");
  }

  static IllegalArgumentException noHorizon() {
    return invalid("Horizon", "be set", "not set", "Call withHorizon or withDelay");
  }

  static IllegalArgumentException noDelay() {
    return invalid("Delay of an unbounded input", "be set", "not set", "Call withDelay");
  }

  static IllegalArgumentException onlyBounded(String option) {
    return invalid(
        "Input of DeduplicateWithinWatermark",
        "be bounded if " + option + " is set",
        "unbounded",
        "Leave " + option + " out: each bucket keeps watermark and memory itself");
  }

  static IllegalArgumentException clockNotSerializable(Class<?> clock) {
    return invalid(
        "Clock", "be serialisable", clock.getName(), "Pass Clock.systemUTC(), for example");
  }

  private static IllegalArgumentException invalid(
      String thing, String rule, @Nullable String value, String remedy) {
    return new IllegalArgumentException(
        thing + " must " + rule + ", but was: " + value + ". " + remedy + ".");
  }
}
