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

import dev.idem.pipelines.event.Event;
import java.time.Instant;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.io.kafka.KafkaTimestampType;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** Decodes the record that a dead letter was; its headers are not kept, so it has none. */
final class DecodeDeadLetter extends DoFn<Row, Event> {

  private final DecodeRecord decode;

  DecodeDeadLetter(DecodeRecord decode) {
    this.decode = decode;
  }

  @ProcessElement
  public void decode(@Element Row deadLetter, OutputReceiver<Event> events) {
    long timestamp = deadLetter.getLogicalTypeValue("timestamp", Instant.class).toEpochMilli();
    KafkaRecord<byte[], byte[]> record =
        new KafkaRecord<>(
            deadLetter.getString("topic"),
            deadLetter.getInt32("partition"),
            deadLetter.getInt64("offset"),
            timestamp,
            KafkaTimestampType.CREATE_TIME,
            new RecordHeaders(),
            KV.of(deadLetter.getBytes("key"), deadLetter.getBytes("value")));
    decode
        .apply(record, org.joda.time.Instant.ofEpochMilli(timestamp))
        .forEach(event -> events.outputWithTimestamp(event.getValue(), event.getTimestamp()));
  }
}
