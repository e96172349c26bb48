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
import dev.idem.pipelines.decode.RowDecoder;
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.event.MetadataColumns;
import java.util.List;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.SerializableBiFunction;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TimestampedValue;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Instant;

/** Makes one event of every record, a row or a dead letter, at its event time. */
final class DecodeRecord
    implements SerializableBiFunction<
        KafkaRecord<byte[], byte[]>, Instant, TimestampedValue<Event>> {

  private final RowDecoder decoder;
  private final @Nullable EventTime eventTime;
  private final List<MetadataColumns> metadata;
  private final Schema schema;
  private final long batch;

  DecodeRecord(
      RowDecoder decoder,
      @Nullable String eventTimeColumn,
      List<MetadataColumns> metadata,
      Schema schema,
      long batch) {
    this.decoder = decoder;
    this.eventTime = EventTime.of(decoder.schema(), eventTimeColumn);
    this.metadata = List.copyOf(metadata);
    this.schema = schema;
    this.batch = batch;
  }

  @Override
  public TimestampedValue<Event> apply(KafkaRecord<byte[], byte[]> record, Instant recordTime) {
    byte[] value = record.getKV().getValue();
    Event.Origin origin =
        new Event.Origin(
            record.getTopic(),
            record.getPartition(),
            record.getOffset(),
            0,
            record.getTimestamp(),
            record.getKV().getKey(),
            value);
    if (value == null) {
      Decoded.Refused refused =
          new Decoded.Refused(Reason.NULL_VALUE, null, "A record must have a value.");
      return TimestampedValue.of(Event.refused(origin, refused), recordTime);
    }
    Decoded decoded = decoder.decode(value);
    if (decoded instanceof Decoded.Refused refused) {
      return TimestampedValue.of(Event.refused(origin, refused), recordTime);
    }
    Row row = ((Decoded.AsRow) decoded).row();
    Instant time = recordTime;
    if (eventTime != null) {
      Object read = eventTime.read(row);
      if (read instanceof Decoded.Refused refused) {
        return TimestampedValue.of(Event.refused(origin, refused), recordTime);
      }
      time = Instant.ofEpochMilli((Long) read);
    }
    if (!metadata.isEmpty()) {
      row = MetadataColumns.append(row, schema, metadata, origin, record.getHeaders(), batch);
    }
    return TimestampedValue.of(Event.decoded(origin, row), time);
  }
}
