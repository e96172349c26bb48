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

import static dev.idem.io.kafka.Records.numbered;
import static dev.idem.io.kafka.Records.readHere;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.lessThan;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.Covers;
import dev.idem.testing.KafkaBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.Test;

class KafkaRangeReaderTest {
  private static final int MOST_COMPACTION_LOOKS = 300;

  private final KafkaBroker broker = KafkaBroker.shared();

  @Test
  void abortedRecordsAndMarkersNeitherStallNorEndARange() {
    String topic = "transactions";
    broker.createTopic(topic, 1, Map.of());
    broker.sendAll(numbered(topic, 0, "a", 2)); // 0, 1
    broker.sendInTransaction("t1", false, numbered(topic, 0, "no", 3)); // 2-4, marker 5
    broker.sendInTransaction("t2", true, numbered(topic, 0, "b", 2)); // 6, 7, marker 8
    broker.sendInTransaction("t3", false, numbered(topic, 0, "no", 2)); // 9, 10, marker 11

    List<String> all = readHere(new KafkaRange(topic, 0, 0, 12));

    assertThat(
        all,
        contains(
            "transactions-0@0 'k0'='a0'",
            "transactions-0@1 'k1'='a1'",
            "transactions-0@6 'k0'='b0'",
            "transactions-0@7 'k1'='b1'"));
    assertThat("only aborted", readHere(new KafkaRange(topic, 0, 2, 5)), empty());
    assertThat("only a marker", readHere(new KafkaRange(topic, 0, 8, 9)), empty());
    assertThat("aborted at the end", readHere(new KafkaRange(topic, 0, 9, 12)), empty());
    assertThat(
        "end inside",
        readHere(new KafkaRange(topic, 0, 1, 7)),
        contains("transactions-0@1 'k1'='a1'", "transactions-0@6 'k0'='b0'"));
  }

  /** DEV-22 (b). */
  @Covers.Case("DEV-22")
  @Test
  void compactionGapsAreNoLossAndNeitherStallNorEndARange() {
    String topic = "compacted";
    broker.createTopic(
        topic,
        1,
        Map.of(
            "cleanup.policy",
            "compact",
            "segment.bytes",
            "100", // Each batch gets a segment of its own; only closed ones are compacted.
            "min.cleanable.dirty.ratio",
            "0.001"));
    for (int offset = 0; offset < 49; offset++) {
      broker.send(topic, 0, keyOf(offset), "v" + offset);
    }
    awaitCompaction(topic, 49, List.of(40L, 43L, 47L, 48L));

    List<String> read = readHere(new KafkaRange(topic, 0, 40, 48));

    assertThat(
        read,
        contains(
            "compacted-0@40 'a'='v40'", "compacted-0@43 'c'='v43'", "compacted-0@47 'd'='v47'"));
    assertThat("only a gap", readHere(new KafkaRange(topic, 0, 41, 43)), empty());
    assertThat(
        "gap at the end",
        readHere(new KafkaRange(topic, 0, 43, 46)),
        contains("compacted-0@43 'c'='v43'"));
    try (KafkaOffsets offsets = KafkaOffsets.connect(Records.config())) {
      assertThat(
          offsets.earliest(offsets.partitions(List.of(topic))).values(), contains(equalTo(0L)));
    }
  }

  private static String keyOf(int offset) {
    if (offset <= 40) {
      return "a";
    }
    return offset <= 43 ? "c" : offset <= 47 ? "d" : "e";
  }

  private static void awaitCompaction(String topic, long end, List<Long> survivors) {
    List<Long> found = List.of();
    for (int look = 0; look < MOST_COMPACTION_LOOKS && !found.equals(survivors); look++) {
      found =
          readHere(new KafkaRange(topic, 0, 0, end)).stream()
              .map(text -> Long.valueOf(text.replaceAll(".*@(\\d+) .*", "$1")))
              .toList();
    }
    assertThat(found, equalTo(survivors));
  }

  @Test
  void retentionDuringAReadFailsItByTheOffsetThatIsGone() throws Exception {
    String topic = "expiring";
    broker.createTopic(topic, 1, Map.of());
    for (int i = 0; i < 20; i++) {
      broker.sendAll(numbered(topic, 0, "v", 100));
    }
    KafkaConfig smallFetches =
        Records.config().with("max.partition.fetch.bytes", "1").with("max.poll.records", "1");
    KafkaRangeSource source =
        new KafkaRangeSource(smallFetches, List.of(new KafkaRange(topic, 0, 0, 2_000)), 2_000);

    try (KafkaRangeReader reader = new KafkaRangeReader(source)) {
      reader.start();
      broker.deleteRecords(topic, 0, 1_900);
      var e = assertThrows(OffsetOutOfRetentionException.class, () -> exhaust(reader));

      assertThat(e.topic(), equalTo(topic));
      assertThat(e.partition(), equalTo(0));
      assertThat(e.wanted(), allOf(greaterThan(0L), lessThan(1_900L)));
      assertThat(e.earliest(), equalTo(1_900L));
    }
  }

  @Covers.Case("DEV-22")
  @Test
  void startBelowRetentionNamesWantedAndEarliest() {
    String topic = "expired";
    broker.createTopic(topic, 2, Map.of());
    broker.sendAll(numbered(topic, 1, "v", 100));
    broker.deleteRecords(topic, 1, 55);

    var e =
        assertThrows(
            OffsetOutOfRetentionException.class, () -> readHere(new KafkaRange(topic, 1, 40, 100)));

    assertThat(e.topic(), equalTo(topic));
    assertThat(e.partition(), equalTo(1));
    assertThat(e.wanted(), equalTo(40L));
    assertThat(e.earliest(), equalTo(55L));
    assertThat(readHere(new KafkaRange(topic, 1, 55, 56)), contains("expired-1@55 'k55'='v55'"));
  }

  @Test
  void startAboveTheLogEndIsRefused() {
    broker.createTopic("short", 1, Map.of());
    broker.sendAll(numbered("short", 0, "v", 10));

    var e =
        assertThrows(
            OffsetBeyondEndException.class, () -> readHere(new KafkaRange("short", 0, 40, 50)));

    assertThat(e.wanted(), equalTo(40L));
    assertThat(e.logEnd(), equalTo(10L));
  }

  @Test
  void rangeIntoAnOpenTransactionStallsForABoundedTime() {
    String topic = "open";
    broker.createTopic(topic, 1, Map.of());
    broker.sendAll(numbered(topic, 0, "v", 3));
    try (Producer<byte[], byte[]> producer = broker.transactionalProducer("t-open")) {
      producer.beginTransaction();
      KafkaBroker.sendAll(producer, numbered(topic, 0, "open", 2));

      var e =
          assertThrows(
              RangeStalledException.class,
              () -> readHere(impatient(), new KafkaRange(topic, 0, 0, 5)));

      assertThat(e.position(), equalTo(3L));
      assertThat(e.end(), equalTo(5L));
      assertThat(e.timeout(), equalTo(Duration.ofMillis(700)));
      assertThat(
          e.getMessage(),
          equalTo(
              "Range of \"open-0\" must be readable up to offset 5 within PT0.7S, but was: stuck at offset 3 (last stable offset: 3). End the range at the last stable offset, or end the open transaction."));
      producer.abortTransaction();
    }
    assertThat(readHere(new KafkaRange(topic, 0, 3, 6)), empty());
  }

  @Test
  void missingTopicIsNamed() {
    var e =
        assertThrows(
            TopicNotFoundException.class,
            () -> readHere(impatient(), new KafkaRange("nowhere", 2, 0, 5)));

    assertThat(e.topic(), equalTo("nowhere"));
    assertThat(e.partition(), equalTo(2));
  }

  @Test
  void unreachableBrokerIsNamedWithTheTimeLimit() {
    KafkaConfig nobody = KafkaConfig.of("127.0.0.1:1").with("default.api.timeout.ms", "700");

    var e =
        assertThrows(
            KafkaUnavailableException.class, () -> readHere(nobody, new KafkaRange("t", 0, 0, 5)));

    assertThat(e.bootstrapServers(), equalTo("127.0.0.1:1"));
    assertThat(e.timeout(), equalTo(Duration.ofMillis(700)));
    assertThat(
        e.getMessage(),
        equalTo(
            "Kafka cluster must answer within PT0.7S, but was: unreachable at \"127.0.0.1:1\". Check the address, the network and that a broker runs."));
  }

  @Test
  void severalPartitionsAreReadByOneReaderEachToItsOwnEnd() {
    String topic = "several";
    broker.createTopic(topic, 3, Map.of());
    List<String> expected = new ArrayList<>();
    for (int partition = 0; partition < 3; partition++) {
      broker.sendAll(numbered(topic, partition, "v", 300));
      for (int i = 10 * partition; i < 100 * (partition + 1); i++) {
        expected.add("several-%d@%d 'k%d'='v%d'".formatted(partition, i, i, i));
      }
    }

    List<String> read =
        readHere(
            Records.config().with("max.poll.records", "7"),
            new KafkaRange(topic, 0, 0, 100),
            new KafkaRange(topic, 1, 10, 200),
            new KafkaRange(topic, 2, 20, 300));

    assertThat(read.stream().sorted().toList(), equalTo(expected.stream().sorted().toList()));
  }

  @Test
  void emptyRangeOpensNoConsumer() {
    KafkaConfig unusable = KafkaConfig.of("127.0.0.1:1").with("fetch.max.bytes", "many");

    assertThat(readHere(unusable, new KafkaRange("none", 0, 5, 5)), empty());
  }

  @Test
  void readerClosedEarlyLeavesNothingForTheNextOne() throws Exception {
    String topic = "early";
    broker.createTopic(topic, 1, Map.of());
    broker.sendAll(numbered(topic, 0, "v", 100));
    KafkaRangeSource source =
        new KafkaRangeSource(Records.config(), List.of(new KafkaRange(topic, 0, 0, 100)), 100);
    try (KafkaRangeReader reader = new KafkaRangeReader(source)) {
      reader.start();
    }

    assertThat(
        readHere(new KafkaRange(topic, 0, 1, 3)),
        contains("early-0@1 'k1'='v1'", "early-0@2 'k2'='v2'"));
  }

  private static KafkaConfig impatient() {
    return Records.config().with("default.api.timeout.ms", "700");
  }

  private static void exhaust(KafkaRangeReader reader) {
    boolean more = true;
    while (more) {
      more = reader.advance();
    }
  }
}
