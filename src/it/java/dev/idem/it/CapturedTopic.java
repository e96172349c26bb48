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
package dev.idem.it;

import dev.idem.testing.CapturedDatabase.Sent;
import dev.idem.testing.KafkaBroker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A topic with what a connector sends. */
final class CapturedTopic {
  private static final int PARTITIONS = 2;

  private final String connector;
  private final String name;

  private CapturedTopic(String connector) {
    this.connector = connector;
    this.name = connector + "-" + UUID.randomUUID();
  }

  static CapturedTopic of(String connector) {
    CapturedTopic topic = new CapturedTopic(connector);
    KafkaBroker.shared().createTopic(topic.name(), PARTITIONS, Map.of());
    return topic;
  }

  String name() {
    return name;
  }

  /** Sends everything that was captured up to now, to the partition of its key. */
  void sendUntilNow() throws IOException {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (Sent sent : Captured.untilNow(connector)) {
      int partition = Math.floorMod(Arrays.hashCode(sent.key()), PARTITIONS);
      records.add(new ProducerRecord<>(name, partition, sent.key(), sent.value()));
    }
    KafkaBroker.shared().sendAll(records);
  }
}
