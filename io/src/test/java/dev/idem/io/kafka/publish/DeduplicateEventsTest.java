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

import static dev.idem.io.kafka.publish.Topics.config;
import static dev.idem.io.kafka.publish.Topics.events;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.idem.testing.Covers;
import dev.idem.testing.RunnerUnderTest;
import dev.idem.transforms.dedup.DeduplicateWithinWatermark;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.io.kafka.KafkaRecordCoder;
import org.apache.beam.sdk.io.kafka.KafkaTimestampType;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeduplicateEventsTest {

  private static final Coder<KafkaRecord<byte[], byte[]>> CODER =
      KafkaRecordCoder.of(ByteArrayCoder.of(), ByteArrayCoder.of());

  /** Publishes some events twice, and sends records of somebody else's. */
  private static List<KafkaRecord<byte[], byte[]>> published() {
    String topic = Topics.create();
    for (int attempt = 0; attempt < 2; attempt++) {
      Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
      pipeline
          .apply(Create.of(events(0, 50)).withCoder(KafkaEventCoder.of()))
          .apply(KafkaPublishIO.publishAtLeastOnce("shop").to(topic).withConfig(config()));
      pipeline.run().waitUntilFinish();
    }
    Topics.broker().send(topic, 0, "k0001", "without headers");
    Topics.broker().send(topic, 0, "k0001", "without headers");
    List<KafkaRecord<byte[], byte[]>> records = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : Topics.read(topic)) {
      records.add(
          new KafkaRecord<>(
              record.topic(),
              record.partition(),
              record.offset(),
              record.timestamp(),
              KafkaTimestampType.CREATE_TIME,
              record.headers(),
              record.key(),
              record.value()));
    }
    return records;
  }

  private static PCollection<String> ids(PCollection<KafkaRecord<byte[], byte[]>> records) {
    return records.apply(
        MapElements.into(TypeDescriptors.strings())
            .via(record -> EventHeaders.eventId(record.getHeaders()).orElseThrow()));
  }

  private static PCollection<String> values(PCollection<KafkaRecord<byte[], byte[]>> records) {
    return records.apply(
        MapElements.into(TypeDescriptors.strings())
            .via(record -> Topics.text(record.getKV().getValue())));
  }

  private static void assertDeduplicated(
      DeduplicateWithinWatermark.Result<KafkaRecord<byte[], byte[]>> result,
      List<KafkaRecord<byte[], byte[]>> records) {
    List<String> distinct =
        records.stream()
            .flatMap(record -> EventHeaders.eventId(record.getHeaders()).stream())
            .distinct()
            .sorted()
            .toList();
    assertThat(distinct.size(), is(50));
    for (PCollection<String> ids : List.of(ids(result.unique()), ids(result.duplicates()))) {
      PAssert.that(ids)
          .satisfies(
              found -> {
                assertThat(
                    StreamSupport.stream(found.spliterator(), false).sorted().toList(),
                    is(distinct));
                return null;
              });
    }
    PAssert.that(values(result.others())).containsInAnyOrder("without headers", "without headers");
    PAssert.that(result.conflicts()).empty();
    PAssert.that(result.late()).empty();
    PAssert.that(result.invalid()).empty();
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row(20)
  void eachEventIdGoesOnOnce(RunnerUnderTest runner) {
    List<KafkaRecord<byte[], byte[]>> records = published();
    Pipeline pipeline = Pipeline.create(runner.options());
    var result =
        pipeline
            .apply(Create.of(records).withCoder(CODER))
            .apply(
                KafkaPublishIO.<byte[], byte[]>deduplicate()
                    .withHorizon(Duration.standardMinutes(5)));
    assertDeduplicated(result, records);

    pipeline.run().waitUntilFinish();
  }

  @Test
  void eachEventIdOfAnUnboundedInputGoesOnOnce() {
    List<KafkaRecord<byte[], byte[]>> records = published();
    TestStream.Builder<KafkaRecord<byte[], byte[]>> stream = TestStream.create(CODER);
    for (KafkaRecord<byte[], byte[]> record : records) {
      stream = stream.addElements(record);
    }
    Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
    var result =
        pipeline
            .apply(stream.advanceWatermarkToInfinity())
            .apply(
                KafkaPublishIO.<byte[], byte[]>deduplicate()
                    .withDelay(Duration.standardMinutes(5)));
    assertDeduplicated(result, records);

    pipeline.run().waitUntilFinish();
  }
}
