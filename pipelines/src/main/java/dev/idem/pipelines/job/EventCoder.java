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
package dev.idem.pipelines.job;

import dev.idem.pipelines.decode.Decoded;
import dev.idem.transforms.dedup.KeyMemory.Remembered;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Objects;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CustomCoder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
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

  private static final Event.Fate[] FATES = Event.Fate.values();
  private static final Decoded.Reason[] REASONS = Decoded.Reason.values();
  private static final VarIntCoder INT = VarIntCoder.of();
  private static final VarLongCoder LONG = VarLongCoder.of();
  private static final StringUtf8Coder TEXT = StringUtf8Coder.of();
  private static final ByteArrayCoder BYTES = ByteArrayCoder.of();

  private final RowCoder rows;

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
    Event.Origin origin = event.origin();
    Decoded.Refused refusal = event.refusal();
    INT.encode(
        flag(origin != null, ORIGIN)
            | flag(origin != null && origin.key() != null, KEY)
            | flag(origin != null && origin.value() != null, VALUE)
            | flag(event.row() != null, ROW)
            | flag(refusal != null, REFUSAL)
            | flag(refusal != null && refusal.column() != null, COLUMN)
            | flag(event.remembered() != null, REMEMBERED),
        out);
    out.write(event.fate().ordinal());
    if (origin != null) {
      TEXT.encode(origin.topic(), out);
      INT.encode(origin.partition(), out);
      LONG.encode(origin.offset(), out);
      LONG.encode(origin.timestamp(), out);
      encodeBytes(origin.key(), out);
      encodeBytes(origin.value(), out);
    }
    if (event.row() != null) {
      rows.encode(event.row(), out);
    }
    if (refusal != null) {
      out.write(refusal.reason().ordinal());
      TEXT.encode(refusal.rule(), out);
      if (refusal.column() != null) {
        TEXT.encode(refusal.column(), out);
      }
    }
    if (event.remembered() != null) {
      encodeRemembered(event.remembered(), out);
    }
  }

  @Override
  public Event decode(InputStream in) throws IOException {
    int flags = INT.decode(in);
    Event.Fate fate = FATES[in.read()];
    Event.Origin origin = null;
    if ((flags & ORIGIN) != 0) {
      origin =
          new Event.Origin(
              TEXT.decode(in),
              INT.decode(in),
              LONG.decode(in),
              LONG.decode(in),
              (flags & KEY) != 0 ? BYTES.decode(in) : null,
              (flags & VALUE) != 0 ? BYTES.decode(in) : null);
    }
    Row row = (flags & ROW) != 0 ? rows.decode(in) : null;
    Decoded.Refused refusal = null;
    if ((flags & REFUSAL) != 0) {
      Decoded.Reason reason = REASONS[in.read()];
      String rule = TEXT.decode(in);
      refusal = new Decoded.Refused(reason, (flags & COLUMN) != 0 ? TEXT.decode(in) : null, rule);
    }
    Remembered remembered = (flags & REMEMBERED) != 0 ? decodeRemembered(in) : null;
    return new Event(origin, row, fate, refusal, remembered);
  }

  private static int flag(boolean set, int flag) {
    return set ? flag : 0;
  }

  private static void encodeBytes(byte @Nullable [] bytes, OutputStream out) throws IOException {
    if (bytes != null) {
      BYTES.encode(bytes, out);
    }
  }

  private static void encodeRemembered(Remembered remembered, OutputStream out) throws IOException {
    DataOutputStream data = new DataOutputStream(out);
    data.writeLong(remembered.key().high());
    data.writeLong(remembered.key().low());
    data.writeLong(remembered.payload());
    data.writeLong(remembered.expiry().getMillis());
  }

  private static Remembered decodeRemembered(InputStream in) throws IOException {
    DataInputStream data = new DataInputStream(in);
    return new Remembered(
        new Fingerprint(data.readLong(), data.readLong()),
        data.readLong(),
        Instant.ofEpochMilli(data.readLong()));
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
