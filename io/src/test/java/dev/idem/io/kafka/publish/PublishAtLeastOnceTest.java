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

import static dev.idem.io.kafka.publish.Topics.bytes;
import static dev.idem.io.kafka.publish.Topics.config;
import static dev.idem.io.kafka.publish.Topics.event;
import static dev.idem.io.kafka.publish.Topics.textOf;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.Covers;
import dev.idem.testing.RunnerUnderTest;
import dev.idem.transforms.external.DeadLetter;
import dev.idem.transforms.external.IdempotencyKey;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PublishAtLeastOnceTest {

  private static PublishAtLeastOnce publish(String topic) {
    return KafkaPublishIO.publishAtLeastOnce("shop").to(topic).withConfig(config());
  }

  @ParameterizedTest
  @EnumSource
  void everyEventIsPublishedWithItsHeaders(RunnerUnderTest runner) {
    String topic = Topics.create();
    Pipeline pipeline = Pipeline.create(runner.options());
    PublishResult result =
        pipeline
            .apply(Create.of(Topics.events(0, 500)).withCoder(KafkaEventCoder.of()))
            .apply(publish(topic).withBatch(7));
    PAssert.that(result.deadLetters()).empty();
    PAssert.that(
            result
                .outcomes()
                .apply(MapElements.into(TypeDescriptors.longs()).via(PublishOutcome::records)))
        .satisfies(
            counts -> {
              long sum = 0;
              for (long count : counts) {
                sum += count;
              }
              assertThat(sum, is(500L));
              return null;
            });

    pipeline.run().waitUntilFinish();

    Topics.assertHolds(topic, Topics.events(0, 500));
    for (ConsumerRecord<byte[], byte[]> record : Topics.read(topic)) {
      assertThat(textOf(record, EventHeaders.BATCH_ID), is("7"));
      assertThat(textOf(record, EventHeaders.APPLICATION_ID), is("shop"));
      assertThat(
          textOf(record, EventHeaders.EVENT_ID),
          is(
              IdempotencyKey.of(
                  "shop/main/" + topic,
                  record.key(),
                  Topics.header(record, EventHeaders.SEQUENCE))));
    }
  }

  @Test
  void furtherHeadersTimestampsAndTombstonesArePublishedAsTheyAre() {
    String topic = Topics.create();
    KafkaEvent full =
        event("k1", "v", 1)
            .withHeader("trace", bytes("t1"))
            .withTimestamp(Instant.ofEpochMilli(1_000));
    run(publish(topic), List.of(full, event("k2", null, 2)));

    Topics.assertHolds(topic, List.of(full, event("k2", null, 2)));
    ConsumerRecord<byte[], byte[]> record =
        Topics.read(topic).stream().filter(r -> r.value() != null).findFirst().orElseThrow();
    assertThat(textOf(record, "trace"), is("t1"));
    assertThat(record.timestamp(), is(1_000L));
    assertThat(record.headers().lastHeader(EventHeaders.BATCH_ID), is(nullValue()));
  }

  @Test
  @Covers.Row({20, 31})
  void copiesBearTheSameEventIdAndBytes() {
    String topic = Topics.create();

    run(publish(topic), Topics.events(0, 50));
    run(publish(topic), Topics.events(0, 50));

    List<ConsumerRecord<byte[], byte[]>> records = Topics.read(topic);
    assertThat(records, hasSize(100));
    Set<String> distinct = new TreeSet<>();
    records.forEach(r -> distinct.add(textOf(r, EventHeaders.EVENT_ID) + Topics.text(r)));
    assertThat(distinct, hasSize(50));
  }

  @Test
  void windowsOfAnUnboundedInputArePublished() {
    String topic = Topics.create();
    Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
    PublishResult result =
        pipeline
            .apply(
                TestStream.create(KafkaEventCoder.of())
                    .addElements(event(0), event(1))
                    .advanceWatermarkTo(Instant.EPOCH.plus(Duration.standardMinutes(5)))
                    .addElements(event(2))
                    .advanceWatermarkToInfinity())
            .apply(Window.into(FixedWindows.of(Duration.standardMinutes(1))))
            .apply(publish(topic));
    PAssert.that(result.deadLetters()).empty();

    pipeline.run().waitUntilFinish();

    Topics.assertHolds(topic, Topics.events(0, 3));
  }

  @Test
  void anEventThatIsTooLargeIsADeadLetter() {
    String topic = Topics.create();
    KafkaEvent large = KafkaEvent.of(bytes("large"), new byte[2 << 20], 1);
    Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
    PublishResult result =
        pipeline
            .apply(Create.of(large, event(1)).withCoder(KafkaEventCoder.of()))
            .apply(publish(topic));
    PAssert.thatSingleton(result.deadLetters())
        .satisfies(
            (DeadLetter<KafkaEvent> letter) -> {
              assertThat(letter.record(), is(large));
              assertThat(letter.errorClass(), containsString("RecordTooLargeException"));
              return null;
            });

    pipeline.run().waitUntilFinish();

    Topics.assertHolds(topic, List.of(event(1)));
  }

  @Test
  void anythingElseFailsTheBundle() {
    PublishAtLeastOnce missing =
        KafkaPublishIO.publishAtLeastOnce("shop")
            .to("topic-that-is-missing")
            .withConfig(config().with("max.block.ms", "500"));

    var failed = assertThrows(RuntimeException.class, () -> run(missing, List.of(event(1))));

    assertThat(failed.getCause(), instanceOf(SendFailedException.class));
    assertThat(
        failed.getCause().getMessage(),
        containsString("must be acknowledged by topic \"topic-that-is-missing\", but was: 1"));
    assertThat(failed.getCause().getCause(), not(nullValue()));
  }

  @Test
  void settingsThatLoseRecordsAreRefused() {
    PublishAtLeastOnce weak =
        KafkaPublishIO.publishAtLeastOnce("shop")
            .to(Topics.create())
            .withConfig(config().with("acks", "1"));

    var failed = assertThrows(RuntimeException.class, () -> run(weak, List.of(event(1))));

    assertThat(failed.getCause().getMessage(), containsString("\"acks\" must be all"));
  }

  @Test
  void whatIsMissingIsToldAtConstruction() {
    Pipeline pipeline = Pipeline.create();
    var events = pipeline.apply(Create.of(event(1)).withCoder(KafkaEventCoder.of()));

    var topic =
        assertThrows(
            IllegalArgumentException.class,
            () -> events.apply("a", KafkaPublishIO.publishAtLeastOnce("a").withConfig(config())));
    var application =
        assertThrows(
            IllegalArgumentException.class, () -> KafkaPublishIO.publishAtLeastOnce("a/b"));

    assertThat(topic.getMessage(), containsString("must have a topic, but was: none"));
    assertThat(application.getMessage(), containsString("must be text without \"/\""));
  }

  private static void run(PublishAtLeastOnce publish, List<KafkaEvent> events) {
    Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
    pipeline.apply(Create.of(events).withCoder(KafkaEventCoder.of())).apply(publish);
    pipeline.run().waitUntilFinish();
  }
}
