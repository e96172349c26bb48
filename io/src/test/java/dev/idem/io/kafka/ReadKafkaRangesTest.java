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
package dev.idem.io.kafka;

import static dev.idem.io.kafka.Records.assertReads;
import static dev.idem.io.kafka.Records.read;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.Covers;
import dev.idem.testing.KafkaBroker;
import dev.idem.testing.RunnerUnderTest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Reshuffle;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReadKafkaRangesTest {
  private final KafkaBroker broker = KafkaBroker.shared();

  @ParameterizedTest
  @EnumSource
  void piecesOfLargePartitionsGiveEveryRecordOnce(RunnerUnderTest runner) {
    String topic = "pieces-" + runner;
    broker.createTopic(topic, 3, Map.of());
    List<String> expected = new ArrayList<>();
    List<KafkaRange> ranges = new ArrayList<>();
    for (int partition = 0; partition < 3; partition++) {
      broker.sendAll(Records.numbered(topic, partition, "v", 6_000));
      long start = 7L + partition;
      long end = 5_990L + partition;
      ranges.add(new KafkaRange(topic, partition, start, end));
      for (long i = start; i < end; i++) {
        expected.add("%s-%d@%d 'k%d'='v%d'".formatted(topic, partition, i, i, i));
      }
    }

    assertReads(
        runner,
        ReadKafkaRanges.of(ranges).withConsumerConfig(Records.config()).withMaxRangeSize(700),
        expected);
  }

  @ParameterizedTest
  @EnumSource
  void emptyRangesReadNothingAndOpenNoConnection(RunnerUnderTest runner) {
    // Nothing listens there, and the time limit is far above that of the test.
    KafkaConfig nowhere = KafkaConfig.of("127.0.0.1:1");

    assertReads(
        runner,
        ReadKafkaRanges.of(
                List.of(new KafkaRange("none", 0, 5, 5), new KafkaRange("none", 1, 0, 0)))
            .withConsumerConfig(nowhere),
        List.of());
  }

  @Covers.Case("DEV-24")
  @ParameterizedTest
  @EnumSource
  void nullKeysNullValuesHeadersAndTimestampsSurvive(RunnerUnderTest runner) {
    String topic = "nulls-" + runner;
    broker.createTopic(topic, 1, Map.of());
    broker.send(new ProducerRecord<>(topic, 0, 1_000L, bytes("k1"), bytes("v1")));
    broker.send(new ProducerRecord<>(topic, 0, 2_000L, bytes("k2"), bytes("v2")));
    broker.send(new ProducerRecord<>(topic, 0, 3_000L, (byte[]) null, bytes("v3")));
    broker.send(
        new ProducerRecord<>(
            topic,
            0,
            4_000L,
            bytes("k1"),
            null,
            List.of(new RecordHeader("h", bytes("x")), new RecordHeader("n", (byte[]) null))));
    broker.send(new ProducerRecord<>(topic, 0, 5_000L, bytes("k3"), (byte[]) null));

    Pipeline pipeline = Pipeline.create(runner.options());
    PCollection<String> records =
        pipeline
            .apply(read(new KafkaRange(topic, 0, 0, 5)))
            .apply("RoundTripThroughTheCoder", Reshuffle.viaRandomKey())
            .apply(ParDo.of(new WithElementTimestamp()));

    PAssert.that(records)
        .containsInAnyOrder(
            topic + "-0@0 'k1'='v1' CreateTime@1000 [] at 1000",
            topic + "-0@1 'k2'='v2' CreateTime@2000 [] at 2000",
            topic + "-0@2 null='v3' CreateTime@3000 [] at 3000",
            topic + "-0@3 'k1'=null CreateTime@4000 [h:'x', n:null] at 4000",
            topic + "-0@4 'k3'=null CreateTime@5000 [] at 5000");
    pipeline.run().waitUntilFinish();
  }

  @ParameterizedTest
  @EnumSource
  void mappedRecordsAreAnyNumberWithTheTimesThatTheFunctionGives(RunnerUnderTest runner) {
    String topic = "mapped-" + runner;
    broker.createTopic(topic, 1, Map.of());
    for (int i = 0; i < 500; i++) {
      broker.send(new ProducerRecord<>(topic, 0, 1_000L + i, null, bytes("v" + i)));
    }

    Pipeline pipeline = Pipeline.create(runner.options());
    PCollection<String> values =
        pipeline
            .apply(
                ReadKafkaRanges.of(List.of(new KafkaRange(topic, 0, 100, 400)))
                    .withConsumerConfig(Records.config())
                    .withMaxRangeSize(70)
                    .map(
                        (record, time) ->
                            Collections.nCopies(
                                (int) (record.getOffset() % 3),
                                TimestampedValue.of(
                                    new String(record.getKV().getValue(), UTF_8),
                                    time.plus(Duration.millis(record.getOffset() * 1_000)))),
                        StringUtf8Coder.of()))
            .apply(ParDo.of(new WithTime()));

    PAssert.that(values)
        .containsInAnyOrder(
            IntStream.range(100, 400)
                .boxed()
                .flatMap(
                    i ->
                        Collections.nCopies(i % 3, "v" + i + " at " + (1_000 + 1_001 * i)).stream())
                .toList());
    pipeline.run().waitUntilFinish();
  }

  private static final class WithTime extends DoFn<String, String> {
    @ProcessElement
    public void process(
        @Element String value, @Timestamp Instant time, OutputReceiver<String> out) {
      out.output(value + " at " + time.getMillis());
    }
  }

  @Test
  void timestampOfTheBrokerIsToldApartAndOnesBeyondBeamsAreClamped() {
    broker.createTopic("appended", 1, Map.of("message.timestamp.type", "LogAppendTime"));
    broker.createTopic("far", 1, Map.of("message.timestamp.after.max.ms", "9223372036854775807"));
    broker.send("appended", 0, "k", "v");
    broker.send(new ProducerRecord<>("far", 0, Long.MAX_VALUE, bytes("k"), bytes("v")));

    Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
    PCollection<String> records =
        pipeline
            .apply(read(new KafkaRange("appended", 0, 0, 1), new KafkaRange("far", 0, 0, 1)))
            .apply(ParDo.of(new TypeAndElementTimestamp()));

    PAssert.that(records)
        .containsInAnyOrder(
            "appended LogAppendTime same", "far CreateTime 294247-01-09T04:00:54.775Z");
    pipeline.run().waitUntilFinish();
  }

  /** DEV-22 (a). */
  @ParameterizedTest
  @EnumSource
  void offsetsThatRetentionRemovedFailTheReadByName(RunnerUnderTest runner) {
    String topic = "expired-" + runner;
    broker.createTopic(topic, 1, Map.of());
    broker.sendAll(Records.numbered(topic, 0, "v", 100));
    broker.deleteRecords(topic, 0, 55);
    Pipeline pipeline = Pipeline.create(runner.options());
    pipeline.apply(read(new KafkaRange(topic, 0, 40, 100)));

    RuntimeException e =
        assertThrows(RuntimeException.class, () -> pipeline.run().waitUntilFinish());

    assertThat(
        Causes.text(e),
        containsString(
            "Offset to read of \"%s-0\" must be at least the earliest one the broker has (55), but was: 40."
                .formatted(topic)));
  }

  @Test
  void overlappingRangesAreRefused() {
    var e =
        assertThrows(
            IllegalArgumentException.class,
            () -> read(new KafkaRange("t", 0, 0, 10), new KafkaRange("t", 0, 9, 12)));

    assertThat(
        e.getMessage(),
        equalTo(
            "Ranges must not overlap, but was: KafkaRange[topic=t, partition=0, start=0, end=10] and KafkaRange[topic=t, partition=0, start=9, end=12]. Give each offset once."));
  }

  @Test
  void rangesOfOnePartitionThatDoNotOverlapAreRead() {
    broker.createTopic("twice", 1, Map.of());
    broker.sendAll(Records.numbered("twice", 0, "v", 20));

    assertReads(
        RunnerUnderTest.DIRECT,
        read(new KafkaRange("twice", 0, 15, 17), new KafkaRange("twice", 0, 3, 5)),
        List.of(
            "twice-0@3 'k3'='v3'",
            "twice-0@4 'k4'='v4'",
            "twice-0@15 'k15'='v15'",
            "twice-0@16 'k16'='v16'"));
  }

  @Test
  void readWithoutBrokersIsRefusedAtConstruction() {
    Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
    ReadKafkaRanges read = ReadKafkaRanges.of(List.of(new KafkaRange("t", 0, 0, 1)));

    var e = assertThrows(IllegalArgumentException.class, () -> pipeline.apply(read));

    assertThat(
        e.getMessage(),
        equalTo(
            "Consumer settings must name \"bootstrap.servers\", but was: not set. Give them by withConsumerConfig."));
  }

  @Test
  void maximumRangeSizeOfNothingIsRefused() {
    ReadKafkaRanges read = ReadKafkaRanges.of(List.of());

    var e = assertThrows(IllegalArgumentException.class, () -> read.withMaxRangeSize(0));

    assertThat(e.getMessage(), containsString("must be at least 1 offset, but was: 0."));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static final class WithElementTimestamp
      extends DoFn<KafkaRecord<byte[], byte[]>, String> {
    @ProcessElement
    public void process(
        @Element KafkaRecord<byte[], byte[]> record,
        @Timestamp Instant timestamp,
        OutputReceiver<String> output) {
      output.output(Records.fullText(record) + " at " + timestamp.getMillis());
    }
  }

  private static final class TypeAndElementTimestamp
      extends DoFn<KafkaRecord<byte[], byte[]>, String> {
    @ProcessElement
    public void process(
        @Element KafkaRecord<byte[], byte[]> record,
        @Timestamp Instant timestamp,
        OutputReceiver<String> output) {
      boolean same = record.getTimestamp() == timestamp.getMillis();
      output.output(
          "%s %s %s"
              .formatted(record.getTopic(), record.getTimestampType(), same ? "same" : timestamp));
    }
  }
}
