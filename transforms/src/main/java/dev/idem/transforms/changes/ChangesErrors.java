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
package dev.idem.transforms.changes;

import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.joda.time.Duration;

/** Words all errors of this package. */
final class ChangesErrors {
  static final String INPUT = "Input of ApplyChanges";

  private ChangesErrors() {}

  static IllegalArgumentException noKeys() {
    return invalid("Key columns", "name at least one column", "none", "Name what identifies a row");
  }

  static IllegalArgumentException noSequence() {
    return invalid(
        "Sequence columns",
        "name at least one column",
        "none",
        "Call sequenceBy with what tells a newer change from an older one");
  }

  static IllegalArgumentException missingColumn(String thing, String column, Schema schema) {
    return invalid(
        thing,
        "be one of " + schema.getFieldNames(),
        quoted(column),
        "Name a top-level column of the changes");
  }

  static IllegalArgumentException floatingPointKey(String path) {
    return invalid(
        "Key column",
        "not hold floating-point values",
        quoted(path),
        "Use a decimal, whole number or text column as key");
  }

  static IllegalArgumentException floatingPointSequence(String column) {
    return invalid(
        "Sequence column",
        "not hold floating-point values, which are not exact",
        quoted(column),
        "Use a decimal, whole number, timestamp or text column as sequence");
  }

  static IllegalArgumentException notOrdered(String column, FieldType type) {
    return invalid(
        "Sequence column",
        "hold values that have an order",
        quoted(column) + " of " + type.getTypeName(),
        "Name columns of numbers, timestamps, texts or bytes; several are compared one after the"
            + " other");
  }

  static IllegalArgumentException keyLeftOut(String column) {
    return invalid(
        "Columns of the rows",
        "hold the key",
        "without " + quoted(column),
        "Add the key column, or make it no key");
  }

  static IllegalArgumentException reserved(String column, String prefix) {
    return invalid(
        "Column of the changes",
        "not begin with " + quoted(prefix) + ", as columns that guard rows do",
        quoted(column),
        "Rename the column");
  }

  static IllegalArgumentException dot(String column) {
    return invalid(
        "Column of changes that carry some columns only",
        "have no dot in its name, which leads to the fields of a struct",
        quoted(column),
        "Rename the column");
  }

  static IllegalArgumentException notNames(String column, FieldType type) {
    return invalid(
        "Column that names what a change carries",
        "be an array of texts",
        quoted(column) + " of " + type.getTypeName(),
        "Give an array of column names, fields of structs with dots");
  }

  static IllegalArgumentException truncateWithHistory() {
    return invalid(
        "Changes with history (SCD type 2)",
        "not truncate, since history is what a truncate would take away",
        "applyAsTruncateWhen is set",
        "Leave applyAsTruncateWhen out");
  }

  static IllegalArgumentException trackedWithoutHistory() {
    return invalid(
        "Columns with history",
        "be chosen for changes with history (SCD type 2) only",
        "chosen for SCD type 1",
        "Call storedAsScdType2 or leave trackHistory out");
  }

  static IllegalArgumentException notPowerOfTwo(String thing, int number) {
    return invalid(thing, "be a power of two", Integer.toString(number), "Give 16, for example");
  }

  static IllegalArgumentException notPositive(Duration retention) {
    return invalid(
        "Retention",
        "be longer than zero",
        retention.getMillis() + " ms",
        "Give days, for example");
  }

  static IllegalArgumentException noRetention() {
    return invalid(
        "Retention of an unbounded input",
        "be set",
        "not set",
        "Call withRetention with how much later than the latest change of its key a change may come");
  }

  static IllegalArgumentException boundedOnly(String what) {
    return invalid(
        INPUT, "be bounded for " + what, "unbounded", "Apply such changes in batches, as jobs do");
  }

  static IllegalArgumentException windowed(String thing, String windowFn) {
    return invalid(
        thing,
        "be in the global window",
        windowFn,
        "Window what comes out instead, since rows of one key in two windows would not meet");
  }

  static IllegalArgumentException unbounded(String thing) {
    return invalid(thing, "be bounded", "unbounded", "Work in batches, as jobs do");
  }

  static IllegalArgumentException noSchema(String thing) {
    return invalid(thing, "have a schema", "without one", "Call setRowSchema on it");
  }

  static IllegalArgumentException noSnapshotBefore() {
    return invalid(
        "Snapshot before", "be given", "none", "Call since with it, an empty one at first");
  }

  static IllegalArgumentException otherSnapshotSchema(Schema before, Schema next) {
    return invalid(
        "Snapshot",
        "have the schema of the one before, " + before.getFields(),
        next.getFields().toString(),
        "Convert one of them");
  }

  static IllegalArgumentException columnTaken(String column) {
    return invalid(
        "Column of a snapshot",
        "not have the name of one that changes get",
        quoted(column),
        "Rename it, or call as with another name for the sequence");
  }

  private static String quoted(String text) {
    return '"' + text + '"';
  }

  private static IllegalArgumentException invalid(
      String thing, String rule, String value, String remedy) {
    return new IllegalArgumentException(
        thing + " must " + rule + ", but was: " + value + ". " + remedy + ".");
  }
}
