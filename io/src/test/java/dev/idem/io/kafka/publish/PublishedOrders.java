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

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.idem.io.kafka.KafkaConfig;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TypeDescriptor;
import org.joda.time.Duration;

/** Publishes orders as events, and reads them. */
final class PublishedOrders {

  private PublishedOrders() {}

  /** An order is the value of its key; one that was cancelled is a tombstone. */
  static KafkaEvent event(Row order) {
    String state = order.getString("state");
    return KafkaEvent.of(
        order.getString("id").getBytes(UTF_8),
        state == null ? null : state.getBytes(UTF_8),
        order.getInt64("version"));
  }

  static PCollection<PublishOutcome> publish(
      PCollection<Row> orders, KafkaConfig config, String topic, long day) {
    return orders
        .apply(MapElements.into(TypeDescriptor.of(KafkaEvent.class)).via(PublishedOrders::event))
        .apply(
            KafkaPublishIO.publishInTransactions("shop")
                .to(topic)
                .withConfig(config)
                .withBatch(day)
                .withShards(2));
  }

  static PublishResult publishAtLeastOnce(
      PCollection<KafkaEvent> events, KafkaConfig config, String topic) {
    return events.apply(KafkaPublishIO.publishAtLeastOnce("shop").to(topic).withConfig(config));
  }

  static PCollection<KafkaRecord<byte[], byte[]>> eachOnce(
      PCollection<KafkaRecord<byte[], byte[]>> records) {
    return records
        .apply(KafkaPublishIO.<byte[], byte[]>deduplicate().withDelay(Duration.standardMinutes(10)))
        .unique();
  }
}
