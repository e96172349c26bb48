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
import dev.idem.transforms.dedup.KeyMemory.Remembered;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Objects;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.coders.CustomCoder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Instant;

/**
 * The coder of events whose rows have one schema. A transform that changes the schema sets a new
 * coder on its output.
 */
@SuppressWarnings("EnumOrdinal") // encoded events never outlive the pipeline that encoded them
public final class EventCoder extends CustomCoder<Event> {

  private static final int ORIGIN = 1;
  private static final int KEY = 1 << 1;
  private static final int VALUE = 1 << 2;
  private static final int ROW = 1 << 3;
  private static final int REFUSAL = 1 << 4;
  private static final int COLUMN = 1 << 5;
  private static final int REMEMBERED = 1 << 6;
  private static final int WITHIN = 1 << 7;

  private static final int POSITION = 1 << 8;

  /** Where among the flags the fate begins. */
  private static final int FATE = 9;

  private static final Event.Fate[] FATES = Event.Fate.values();
  private static final Decoded.Reason[] REASONS = Decoded.Reason.values();

  private final RowCoder rows;
  private transient @Nullable RowCodec codec;
  private transient @Nullable String lastTopic;
  private transient @Nullable String lastSource;

  private EventCoder(Schema schema) {
    this.rows = RowCoder.of(schema);
  }

  /** Returns the coder of events whose rows have {@code schema}. */
  public static EventCoder of(Schema schema) {
    return new EventCoder(schema);
  }

  /** Returns the schema of the events' rows. */
  public Schema schema() {
    return rows.getSchema();
  }

  @Override
  public void encode(Event event, OutputStream out) throws IOException {
    EventBytes bytes = EventBytes.empty();
    // Filled in below, with the number of bytes that follow.
    bytes.writeInt(0);
    write(event, bytes);
    bytes.setFirstInt(bytes.size() - Integer.BYTES);
    out.write(bytes.array(), 0, bytes.size());
  }

  @Override
  public Event decode(InputStream in) throws IOException {
    int length = new DataInputStream(in).readInt();
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new CoderException(
          "Event must have " + length + " bytes, but was: " + bytes.length + ".");
    }
    return read(EventBytes.of(bytes));
  }

  private void write(Event event, EventBytes out) throws IOException {
    Event.Origin origin = event.origin();
    Decoded.Refused refusal = event.refusal();
    Remembered remembered = event.remembered();
    out.writeInt(
        flag(origin != null, ORIGIN)
            | flag(origin != null && origin.key() != null, KEY)
            | flag(origin != null && origin.value() != null, VALUE)
            | flag(origin != null && origin.within() != 0, WITHIN)
            | flag(origin != null && origin.position() != null, POSITION)
            | flag(event.row() != null, ROW)
            | flag(refusal != null, REFUSAL)
            | flag(refusal != null && refusal.column() != null, COLUMN)
            | flag(remembered != null, REMEMBERED)
            | event.fate().ordinal() << FATE);
    if (origin != null) {
      out.writeText(origin.topic());
      out.writeInt(origin.partition());
      out.writeLong(origin.offset());
      if (origin.within() != 0) {
        out.writeLong(origin.within());
      }
      out.writeLong(origin.timestamp());
      if (origin.key() != null) {
        out.writeBytes(origin.key());
      }
      if (origin.value() != null) {
        out.writeBytes(origin.value());
      }
      if (origin.position() != null) {
        write(origin.position(), out);
      }
    }
    if (event.row() != null) {
      codec().write(event.row(), out);
    }
    if (refusal != null) {
      out.writeInt(refusal.reason().ordinal());
      out.writeText(refusal.rule());
      if (refusal.column() != null) {
        out.writeText(refusal.column());
      }
    }
    if (remembered != null) {
      out.writeLong(remembered.key().high());
      out.writeLong(remembered.key().low());
      out.writeLong(remembered.payload());
      out.writeLong(remembered.expiry().getMillis());
    }
  }

  private static void write(SourcePosition position, EventBytes out) {
    out.writeText(position.source());
    out.writeLong(position.timestamp());
    out.writeInt(position.numbers().size());
    position.numbers().forEach(out::writeLong);
  }

  private SourcePosition readPosition(EventBytes in) throws IOException {
    String source = in.readText();
    lastSource = source.equals(lastSource) ? lastSource : source;
    long timestamp = in.readLong();
    Long[] numbers = new Long[in.readInt()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = in.readLong();
    }
    return new SourcePosition(lastSource, List.of(numbers), timestamp);
  }

  private Event read(EventBytes in) throws IOException {
    int flags = in.readInt();
    Event.Origin origin = null;
    if ((flags & ORIGIN) != 0) {
      origin =
          new Event.Origin(
              shared(in.readText()),
              in.readInt(),
              in.readLong(),
              (flags & WITHIN) != 0 ? in.readLong() : 0,
              in.readLong(),
              (flags & KEY) != 0 ? in.readBytes() : null,
              (flags & VALUE) != 0 ? in.readBytes() : null,
              (flags & POSITION) != 0 ? readPosition(in) : null);
    }
    Row row = (flags & ROW) != 0 ? codec().read(in) : null;
    Decoded.Refused refusal = null;
    if ((flags & REFUSAL) != 0) {
      Decoded.Reason reason = REASONS[in.readInt()];
      String rule = in.readText();
      refusal = new Decoded.Refused(reason, (flags & COLUMN) != 0 ? in.readText() : null, rule);
    }
    Remembered remembered =
        (flags & REMEMBERED) == 0
            ? null
            : new Remembered(
                new Fingerprint(in.readLong(), in.readLong()),
                in.readLong(),
                Instant.ofEpochMilli(in.readLong()));
    return new Event(origin, row, FATES[flags >> FATE], refusal, remembered);
  }

  private static int flag(boolean set, int flag) {
    return set ? flag : 0;
  }

  private RowCodec codec() {
    if (codec == null) {
      codec = RowCodec.of(rows.getSchema());
    }
    return codec;
  }

  /** Millions of events are held at once and come from few topics. */
  private String shared(String topic) {
    String known = lastTopic;
    if (topic.equals(known)) {
      return known;
    }
    lastTopic = topic;
    return topic;
  }

  @Override
  public List<? extends Coder<?>> getCoderArguments() {
    return List.of(rows);
  }

  @Override
  public void verifyDeterministic() throws NonDeterministicException {
    rows.verifyDeterministic();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof EventCoder that && rows.equals(that.rows);
  }

  @Override
  public int hashCode() {
    return Objects.hash(rows);
  }
}
