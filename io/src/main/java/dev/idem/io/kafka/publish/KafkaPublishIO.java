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
package dev.idem.io.kafka.publish;

import dev.idem.transforms.dedup.DeduplicateWithinWatermark;
import dev.idem.transforms.dedup.Position;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.values.Row;

/**
 * Publishes events to Kafka topics.
 *
 * <p>{@link #publishAtLeastOnce} may publish an event again when it is retried, replayed or killed;
 * every copy bears the same event id, by which {@link #deduplicate} leaves it out where the topic
 * is read. {@link #publishInTransactions} publishes each batch once, for readers with {@code
 * isolation.level=read_committed}.
 */
public final class KafkaPublishIO {

  private static final String ID = "event_id";
  private static final Schema EVENT = Schema.builder().addStringField(ID).build();

  private KafkaPublishIO() {}

  /**
   * Returns a publication that may repeat events.
   *
   * @param applicationId names the application; it is part of every event id, so it stays the same
   *     over restarts
   */
  public static PublishAtLeastOnce publishAtLeastOnce(String applicationId) {
    return PublishAtLeastOnce.of(applicationId);
  }

  /**
   * Returns a publication that adds each batch to a topic once.
   *
   * @param applicationId names the application to the cluster; stable over restarts, and never used
   *     by another application on the same topic
   */
  public static PublishInTransactions publishInTransactions(String applicationId) {
    return PublishInTransactions.of(applicationId);
  }

  /**
   * Returns a deduplication of records that were published by this class: each event id goes on
   * once, copies are duplicates. Records without an event id are {@linkplain
   * DeduplicateWithinWatermark.Result#others() others}. A horizon is still to be set, or a delay
   * for unbounded inputs: how far apart two copies may be in event time, which is the record's
   * timestamp unless the input was given another one.
   *
   * <p>Which copy goes on is the one with the least event time, then topic, partition and offset;
   * in an unbounded pipeline the one that came first. Copies are told by their id alone: payloads
   * are not compared.
   *
   * @param <K> type of the records' keys
   * @param <V> type of the records' values
   */
  public static <K, V> DeduplicateWithinWatermark<KafkaRecord<K, V>> deduplicate() {
    SerializableFunction<KafkaRecord<K, V>, Row> row =
        record ->
            EventHeaders.eventId(record.getHeaders())
                .map(id -> Row.withSchema(EVENT).addValue(id).build())
                .orElse(null);
    SerializableFunction<KafkaRecord<K, V>, Position> position =
        record -> new Position(record.getTopic(), record.getPartition(), record.getOffset());
    return DeduplicateWithinWatermark.by(row, ID).withRowSchema(EVENT).withPosition(position);
  }
}
