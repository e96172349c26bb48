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
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.KafkaBroker;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KafkaOffsetsTest {
  private final KafkaBroker broker = KafkaBroker.shared();
  private final KafkaOffsets offsets = KafkaOffsets.connect(Records.config());

  @AfterEach
  void close() {
    offsets.close();
  }

  @Test
  void clusterAndTopicsAreIdentified() throws Exception {
    broker.createTopic("id-a", 3, Map.of());
    broker.createTopic("id-b", 1, Map.of());
    Map<String, String> before = offsets.topicIds(List.of("id-a", "id-b"));
    broker.deleteTopic("id-b");
    broker.createTopic("id-b", 1, Map.of());

    Map<String, String> after = offsets.topicIds(List.of("id-a", "id-b"));

    assertThat(offsets.clusterId(), equalTo(broker.admin().describeCluster().clusterId().get()));
    assertThat(after.get("id-a"), equalTo(before.get("id-a")));
    assertThat(after.get("id-b"), not(equalTo(before.get("id-b"))));
    assertThat(
        offsets.partitionCounts(List.of("id-a", "id-b")), equalTo(Map.of("id-a", 3, "id-b", 1)));
    assertThat(
        offsets.partitions(List.of("id-a", "id-b")),
        equalTo(Set.of(tp("id-a", 0), tp("id-a", 1), tp("id-a", 2), tp("id-b", 0))));
  }

  @Test
  void earliestFollowsRetention() {
    broker.createTopic("trimmed", 2, Map.of());
    broker.sendAll(numbered("trimmed", 0, "v", 100));
    broker.deleteRecords("trimmed", 0, 55);

    assertThat(
        offsets.earliest(offsets.partitions(List.of("trimmed"))),
        equalTo(Map.of(tp("trimmed", 0), 55L, tp("trimmed", 1), 0L)));
  }

  @Test
  void openTransactionHoldsTheLastStableOffset() {
    TopicPartition partition = tp("held", 0);
    broker.createTopic("held", 1, Map.of());
    broker.sendAll(numbered("held", 0, "v", 4));
    try (Producer<byte[], byte[]> producer = broker.transactionalProducer("t-held")) {
      producer.beginTransaction();
      KafkaBroker.sendAll(producer, numbered("held", 0, "open", 3));

      assertThat(
          offsets.lastStable(Set.of(partition)),
          equalTo(Map.of(partition, new StableOffset(4, 0))));

      producer.commitTransaction();
    }
    broker.awaitStable("held");
    assertThat(
        offsets.lastStable(Set.of(partition)), equalTo(Map.of(partition, new StableOffset(8, 0))));
  }

  @Test
  void timestampsAreFoundAndBehindTheLastOneIsTheEnd() {
    broker.createTopic("timed", 2, Map.of());
    for (long time : new long[] {1_000, 3_000, 2_000}) {
      broker.send(new ProducerRecord<>("timed", 0, time, new byte[0], new byte[0]));
    }
    Set<TopicPartition> partitions = offsets.partitions(List.of("timed"));

    assertThat(
        offsets.atOrAfter(partitions, Instant.ofEpochMilli(1_001)),
        equalTo(Map.of(tp("timed", 0), 1L, tp("timed", 1), 0L)));
    assertThat(
        offsets.atOrAfter(partitions, Instant.ofEpochMilli(3_001)),
        equalTo(Map.of(tp("timed", 0), 3L, tp("timed", 1), 0L)));
  }

  @Test
  void missingTopicIsNamed() {
    var topic =
        assertThrows(TopicNotFoundException.class, () -> offsets.topicIds(List.of("absent")));
    var partition =
        assertThrows(
            TopicNotFoundException.class, () -> offsets.lastStable(Set.of(tp("absent", 3))));

    assertThat(
        topic.getMessage(),
        equalTo(
            "Topic \"absent\" must exist, but was: not found. Check its name and the cluster."));
    assertThat(partition.topic(), equalTo("absent"));
    assertThat(partition.partition(), equalTo(3));
  }

  @Test
  void unreachableBrokerIsNamedWithTheTimeLimit() {
    KafkaConfig nobody = KafkaConfig.of("127.0.0.1:1").with("default.api.timeout.ms", "500");
    try (KafkaOffsets unreachable = KafkaOffsets.connect(nobody)) {

      var asking = assertThrows(KafkaUnavailableException.class, unreachable::clusterId);
      var checking =
          assertThrows(
              KafkaUnavailableException.class,
              () -> unreachable.checkNotTruncated(Map.of(tp("t", 0), new StableOffset(1, 0))));

      assertThat(asking.bootstrapServers(), equalTo("127.0.0.1:1"));
      assertThat(asking.timeout(), equalTo(Duration.ofMillis(500)));
      assertThat(checking.bootstrapServers(), equalTo("127.0.0.1:1"));
    }
  }

  @Test
  void logThatLostItsTailIsToldFromOneWithANewLeaderEpoch() throws Exception {
    try (KafkaBroker own = KafkaBroker.start()) {
      TopicPartition whole = tp("whole", 0);
      TopicPartition torn = tp("torn", 0);
      for (String topic : List.of("whole", "torn")) {
        own.createTopic(topic, 1, Map.of());
        for (int i = 0; i < 40; i++) {
          own.send(topic, 0, "k" + i, "v" + i);
        }
      }
      KafkaConfig config = KafkaConfig.of(own.bootstrapServers());
      Map<TopicPartition, StableOffset> known;
      try (KafkaOffsets before = KafkaOffsets.connect(config)) {
        known = before.lastStable(Set.of(whole, torn));
        before.checkNotTruncated(known);
      }

      own.stop();
      long kept = cutTail(own.logDirectory("torn", 0));
      own.restart();
      own.sendAll(numbered("whole", 0, "other", 60));
      own.sendAll(numbered("torn", 0, "other", 60));

      assertThat(
          known, equalTo(Map.of(whole, new StableOffset(40, 0), torn, new StableOffset(40, 0))));
      try (KafkaOffsets after = KafkaOffsets.connect(config)) {
        Map<TopicPartition, StableOffset> now = after.lastStable(Set.of(whole, torn));
        assertThat(now.get(whole).leaderEpoch(), greaterThan(0));
        assertThat(now.get(torn).leaderEpoch(), greaterThan(0));
        assertThat(now.get(torn).offset(), equalTo(kept + 60));
        after.checkNotTruncated(Map.of(whole, known.get(whole)));
        after.checkNotTruncated(now);
        var e = assertThrows(LogTruncatedException.class, () -> after.checkNotTruncated(known));

        assertThat(e.topic(), equalTo("torn"));
        assertThat(e.partition(), equalTo(0));
        assertThat(e.offset(), equalTo(40L));
        assertThat(e.leaderEpoch(), equalTo(0));
        assertThat(e.divergence(), equalTo(OptionalLong.of(kept)));
      }
    }
  }

  /** Cuts the log in the middle as a lost page cache does, and returns the offsets that stay. */
  private static long cutTail(Path log) throws Exception {
    try (RandomAccessFile file =
        new RandomAccessFile(log.resolve("00000000000000000000.log").toFile(), "rw")) {
      long half = file.length() / 2;
      long position = 0;
      long batches = 0;
      while (true) {
        file.seek(position + 8);
        long next = position + 12 + file.readInt();
        if (next > half) {
          break;
        }
        position = next;
        batches++;
      }
      file.setLength(position);
      return batches;
    }
  }

  private static TopicPartition tp(String topic, int partition) {
    return new TopicPartition(topic, partition);
  }
}
