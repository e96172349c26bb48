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
package dev.idem.io.debezium;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;

/** The one place that words what can go wrong with change events, but for single records. */
final class DebeziumErrors {
  private DebeziumErrors() {}

  static IllegalArgumentException noKeys() {
    return new IllegalArgumentException(
        "Keys must be at least one column, but was: none. Name the columns that identify a row; the"
            + " events of a table without a primary key do not.");
  }

  static IllegalArgumentException noColumn(String thing, String column, Schema columns) {
    return new IllegalArgumentException(
        "%s must be one of the table's, but was: \"%s\". Use one of %s."
            .formatted(thing, column, columns.getFieldNames()));
  }

  static IllegalArgumentException taken(String column) {
    return new IllegalArgumentException(
        "Column must not have a name that changes use themselves, but was: \"%s\". Rename it before the events are sent."
            .formatted(column));
  }

  static IllegalArgumentException unknownConnector(String connector) {
    return new IllegalArgumentException(
        "Connector must be one whose positions order changes (postgresql, mysql, mariadb, sqlserver), but was: \"%s\". Name columns that tell newer rows from older ones (sequenceBy)."
            .formatted(connector));
  }

  static IllegalArgumentException notAUnit(ChronoUnit unit) {
    return new IllegalArgumentException(
        "Unit of timestamps must be SECONDS, MILLIS, MICROS or NANOS, but was: %s. Use the one that the connector's time.precision.mode gives."
            .formatted(unit.name()));
  }

  static String unknownColumn(String column) {
    return "Column of an event must be one of the schema's, but was: \"%s\". Add it to the schema, or let unknown columns be ignored or dead letters."
        .formatted(column);
  }

  static IllegalArgumentException twoTypes(String column, FieldType first, FieldType second) {
    return new IllegalArgumentException(
        "Column \"%s\" must have one type in all events that a schema is inferred from, but was: %s and %s. Declare the schema."
            .formatted(column, first, second));
  }

  static IllegalArgumentException twoConnectors(String first, String second) {
    return new IllegalArgumentException(
        "Events of a table must come from one connector, but was: \"%s\" and \"%s\". Read one topic for each."
            .formatted(first, second));
  }

  static IllegalArgumentException twoKeys(Object first, Object second) {
    return new IllegalArgumentException(
        "Records of a table must have one kind of key, but was: columns %s and columns %s. Name the keys."
            .formatted(first, second));
  }

  static IllegalStateException noEvents() {
    return new IllegalStateException(
        "Records to infer a schema from must hold an event, but was: none. Check the topic and the format, or declare the schema.");
  }

  static IllegalArgumentException negative(Duration tolerance) {
    return new IllegalArgumentException(
        "Tolerance must not be negative, but was: %s. Use zero or a second.".formatted(tolerance));
  }

  static IllegalArgumentException notPositions() {
    return new IllegalArgumentException(
        "Positions of sources must be JSON that SourcePositions wrote, but was: other text. Give what the last batch kept.");
  }
}
