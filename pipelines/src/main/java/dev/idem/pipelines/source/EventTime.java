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
package dev.idem.pipelines.source;

import dev.idem.pipelines.decode.Decoded;
import dev.idem.pipelines.decode.Decoded.Reason;
import java.io.Serializable;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Takes a row's event time, in milliseconds, from one of its columns: a timestamp, ISO 8601 text
 * with an offset, or whole milliseconds.
 */
final class EventTime implements Serializable {

  private final String column;
  private final int position;

  private EventTime(String column, int position) {
    this.column = column;
    this.position = position;
  }

  static @Nullable EventTime of(Schema schema, @Nullable String column) {
    if (column == null) {
      return null;
    }
    if (!schema.hasField(column)) {
      throw new IllegalArgumentException(
          "Event time column must be a column of the rows, but was: \""
              + column
              + "\". The columns are: "
              + String.join(", ", schema.getFieldNames())
              + ".");
    }
    return new EventTime(column, schema.indexOf(column));
  }

  /** Returns the milliseconds as a Long, or a {@link Decoded.Refused}. */
  Object read(Row row) {
    Object value = row.getValue(position);
    if (value == null) {
      return new Decoded.Refused(
          Reason.MISSING_FIELD, column, "The event time column must have a value.");
    }
    Long millis = millis(value);
    boolean inRange =
        millis != null
            && millis >= BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis()
            && millis < BoundedWindow.TIMESTAMP_MAX_VALUE.getMillis();
    return inRange
        ? millis
        : new Decoded.Refused(
            Reason.PARSE_ERROR,
            column,
            "The event time must be a timestamp, ISO 8601 text with an offset, or whole"
                + " milliseconds, in the range that Beam's timestamps have.");
  }

  private static @Nullable Long millis(Object value) {
    if (value instanceof Long number) {
      return number;
    }
    if (value instanceof org.joda.time.ReadableInstant instant) {
      return instant.getMillis();
    }
    try {
      if (value instanceof Instant instant) {
        return instant.toEpochMilli();
      }
      if (value instanceof String text) {
        return OffsetDateTime.parse(text).toInstant().toEpochMilli();
      }
    } catch (DateTimeException | ArithmeticException e) {
      return null;
    }
    return null;
  }
}
