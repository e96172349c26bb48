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
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.event.MetadataColumns;
import java.util.List;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.SerializableBiFunction;
import org.apache.beam.sdk.values.TimestampedValue;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Instant;

/** Makes events of every record, of rows at their event time. */
final class DecodeRecord
    implements SerializableBiFunction<
        KafkaRecord<byte[], byte[]>, Instant, List<TimestampedValue<Event>>> {

  private final RecordFormat.Decoder decoder;
  private final @Nullable EventTime eventTime;
  private final List<MetadataColumns> metadata;
  private final Schema schema;
  private final long batch;

  /**
   * Makes the function.
   *
   * @param schema the decoder's rows with metadata columns
   */
  DecodeRecord(
      RecordFormat.Decoder decoder,
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
  public List<TimestampedValue<Event>> apply(
      KafkaRecord<byte[], byte[]> record, Instant recordTime) {
    Event.Origin origin =
        new Event.Origin(
            record.getTopic(),
            record.getPartition(),
            record.getOffset(),
            0,
            record.getTimestamp(),
            record.getKV().getKey(),
            record.getKV().getValue());
    List<Event> events = decoder.decode(origin);
    return events.size() == 1
        ? List.of(timed(events.get(0), record, recordTime))
        : events.stream().map(event -> timed(event, record, recordTime)).toList();
  }

  private TimestampedValue<Event> timed(
      Event event, KafkaRecord<byte[], byte[]> record, Instant recordTime) {
    if (!event.isRow()) {
      return TimestampedValue.of(event, recordTime);
    }
    Instant time = recordTime;
    if (eventTime != null) {
      Object read = eventTime.read(event.row());
      if (read instanceof Decoded.Refused refused) {
        return TimestampedValue.of(Event.refused(event.origin(), refused), recordTime);
      }
      time = Instant.ofEpochMilli((Long) read);
    }
    return TimestampedValue.of(
        metadata.isEmpty()
            ? event
            : Event.decoded(
                event.origin(),
                MetadataColumns.append(
                    event.row(), schema, metadata, event.origin(), record.getHeaders(), batch)),
        time);
  }
}
