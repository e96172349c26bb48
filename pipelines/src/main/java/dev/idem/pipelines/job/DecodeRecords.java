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
import dev.idem.pipelines.decode.Decoded.Reason;
import dev.idem.pipelines.decode.RowDecoder;
import java.util.List;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** Turns every record into one event, a row or a dead letter, at its event time. */
final class DecodeRecords extends DoFn<KafkaRecord<byte[], byte[]>, Event> {

  private static final Duration ALL_TIME =
      new Duration(BoundedWindow.TIMESTAMP_MIN_VALUE, BoundedWindow.TIMESTAMP_MAX_VALUE);

  private final RowDecoder decoder;
  private final @Nullable EventTime eventTime;
  private final List<MetadataColumns> metadata;
  private final Schema schema;
  private final long batch;

  DecodeRecords(
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

  @ProcessElement
  public void process(
      @Element KafkaRecord<byte[], byte[]> record,
      @Timestamp Instant recordTime,
      OutputReceiver<Event> out) {
    byte[] value = record.getKV().getValue();
    Event.Origin origin =
        new Event.Origin(
            record.getTopic(),
            record.getPartition(),
            record.getOffset(),
            record.getTimestamp(),
            record.getKV().getKey(),
            value);
    if (value == null) {
      out.outputWithTimestamp(
          Event.refused(
              origin, new Decoded.Refused(Reason.NULL_VALUE, null, "A record must have a value.")),
          recordTime);
      return;
    }
    Decoded decoded = decoder.decode(value);
    if (decoded instanceof Decoded.Refused refused) {
      out.outputWithTimestamp(Event.refused(origin, refused), recordTime);
      return;
    }
    Row row = ((Decoded.AsRow) decoded).row();
    Instant time = recordTime;
    if (eventTime != null) {
      Object read = eventTime.read(row);
      if (read instanceof Decoded.Refused refused) {
        out.outputWithTimestamp(Event.refused(origin, refused), recordTime);
        return;
      }
      time = Instant.ofEpochMilli((Long) read);
    }
    if (!metadata.isEmpty()) {
      row = MetadataColumns.append(row, schema, metadata, origin, record.getHeaders(), batch);
    }
    out.outputWithTimestamp(Event.decoded(origin, row), time);
  }

  /** An event time may be before the record's own. */
  @Override
  @SuppressWarnings("deprecation")
  public Duration getAllowedTimestampSkew() {
    return ALL_TIME;
  }
}
