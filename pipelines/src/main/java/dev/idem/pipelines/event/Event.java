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
package dev.idem.pipelines.event;

import dev.idem.io.debezium.SourcePosition;
import dev.idem.pipelines.decode.Decoded;
import dev.idem.pipelines.decode.RowJson;
import dev.idem.transforms.dedup.KeyMemory.Remembered;
import java.time.Instant;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * One record of a batch on its way from the source to the targets: where it came from, its row, and
 * what became of it. A job's pipeline is one collection of events, so that every record that was
 * read is counted once, whatever happened to it.
 *
 * <p>Immutable. Own transforms change an event's row with {@link #withRow}; events that are no rows
 * any more ({@link #isRow()} is false) must be passed on as they are; one that is to be left out is
 * passed on as {@link #filtered()}.
 *
 * @param origin the record it was read from, null for an event that a transform made
 * @param row the row, null if there is none to write: the event's fate is not {@link Fate#ROW}
 * @param fate what becomes of the event
 * @param refusal why it is a dead letter; null for other fates
 * @param remembered what the memory of keys learns from it, null if nothing
 */
public record Event(
    @Nullable Origin origin,
    @Nullable Row row,
    Fate fate,
    Decoded.@Nullable Refused refusal,
    @Nullable Remembered remembered) {

  /** What becomes of an event. */
  public enum Fate {
    /** Its row is written to the targets. */
    ROW,
    /** It is a copy of an event that was let through, and is counted only. */
    DUPLICATE,
    /** It is written to the dead-letter table. */
    DEAD_LETTER,
    /** A transform left it out; it is counted only. */
    FILTERED
  }

  /**
   * The record that an event was read from.
   *
   * @param within its number among the records of the offset; 0 where an offset is one record
   * @param timestamp the record's own timestamp, milliseconds since 1970
   * @param key the raw key, null if the record has none
   * @param value the raw value, null if the record has none
   * @param position where in its own log the source says that the record is from, null if it does
   *     not say
   */
  @SuppressWarnings("ArrayRecordComponent") // raw bytes, never compared
  public record Origin(
      String topic,
      int partition,
      long offset,
      long within,
      long timestamp,
      byte @Nullable [] key,
      byte @Nullable [] value,
      @Nullable SourcePosition position) {

    /** Makes the origin of a record of which no position in a log is known. */
    public Origin(
        String topic,
        int partition,
        long offset,
        long within,
        long timestamp,
        byte @Nullable [] key,
        byte @Nullable [] value) {
      this(topic, partition, offset, within, timestamp, key, value, null);
    }

    Origin withValue(byte[] raw) {
      return new Origin(topic, partition, offset, within, timestamp, key, raw, position);
    }

    /** Returns the origin of one of several changes that a record tells of. */
    public Origin change(long number, @Nullable SourcePosition from) {
      return new Origin(topic, partition, offset, number, timestamp, key, value, from);
    }

    /**
     * Returns the timestamp as tables have it: the nearest that 64 bits of microseconds can hold,
     * since a producer may set any, and nanoseconds are more than that.
     */
    public Instant time() {
      return Instant.ofEpochMilli(
          Math.max(
              BoundedWindow.TIMESTAMP_MIN_VALUE.getMillis(),
              Math.min(timestamp, BoundedWindow.TIMESTAMP_MAX_VALUE.getMillis())));
    }
  }

  /** Returns an event that a transform made; it has no origin. */
  public static Event of(Row row) {
    return new Event(null, row, Fate.ROW, null, null);
  }

  /** Returns the event of a record that a source decoded. */
  public static Event decoded(Origin origin, Row row) {
    return new Event(origin, row, Fate.ROW, null, null);
  }

  /** Returns the event of a record that a source could not decode: a dead letter. */
  public static Event refused(Origin origin, Decoded.Refused refusal) {
    return new Event(origin, null, Fate.DEAD_LETTER, refusal, null);
  }

  /** Returns the event of a record that says nothing: it is counted only. */
  public static Event leftOut(Origin origin) {
    return new Event(origin, null, Fate.FILTERED, null, null);
  }

  /** Returns whether the event's row goes to the targets. */
  public boolean isRow() {
    return fate == Fate.ROW;
  }

  /** Returns whether the event's timestamp comes from a row, and so may move the watermark. */
  public boolean hasEventTime() {
    return refusal == null
        || switch (refusal.reason()) {
          case LATE, CONFLICT, NULL_KEY, REJECTED -> true;
          case PARSE_ERROR, MISSING_FIELD, NULL_VALUE -> false;
        };
  }

  /**
   * Returns this event with another row; its schema must be that of the collection's coder. The
   * record that was read is kept, for a dead letter that it may become.
   */
  public Event withRow(Row other) {
    return new Event(raw(), other, fate, refusal, remembered);
  }

  /** Returns this event as a dead letter. */
  public Event asDeadLetter(Decoded.Reason reason, @Nullable String column, String rule) {
    return asDeadLetter(new Decoded.Refused(reason, column, rule));
  }

  /** Returns this event as a dead letter. */
  public Event asDeadLetter(Decoded.Refused why) {
    return new Event(raw(), null, Fate.DEAD_LETTER, why, remembered);
  }

  /** The row of a source that has no raw values is itself the record. */
  private @Nullable Origin raw() {
    return origin == null || row == null || origin.value() != null
        ? origin
        : origin.withValue(RowJson.bytes(row));
  }

  /** Returns this event as one that is left out of the targets, and counted. */
  public Event filtered() {
    return new Event(origin, null, Fate.FILTERED, null, remembered);
  }

  /** Returns this event as a copy of one that was let through; it is counted only. */
  public Event asDuplicate() {
    return new Event(origin, null, Fate.DUPLICATE, null, remembered);
  }

  /** Returns this event with what the memory of keys learns from it; null is nothing. */
  public Event remembering(@Nullable Remembered addition) {
    return addition == null ? this : new Event(origin, row, fate, refusal, addition);
  }
}
