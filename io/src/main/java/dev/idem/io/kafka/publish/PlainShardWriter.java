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

import dev.idem.io.kafka.KafkaClients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;

/** Sends the events of a shard and returns once all of them are acknowledged. */
record PlainShardWriter(PublishTarget target, long batch) implements ShardWriter {

  private static final long serialVersionUID = 1L;

  @Override
  public Set<String> write(int shard, List<KafkaEvent> events) {
    List<KafkaEvent> ordered = new ArrayList<>(events);
    ordered.sort(KafkaEvent.ORDER);
    SendFailures failures = new SendFailures();
    Set<String> tooLarge = ConcurrentHashMap.newKeySet();
    Producer<byte[], byte[]> producer = KafkaClients.producer(target.config());
    try {
      for (KafkaEvent event : ordered) {
        failures.throwIfAny(target);
        // Its outcome comes to the callback.
        Future<RecordMetadata> unused =
            producer.send(
                target.record(event, OptionalLong.of(batch)),
                (metadata, error) -> {
                  if (error instanceof RecordTooLargeException) {
                    tooLarge.add(target.eventId(event));
                  } else if (error != null) {
                    failures.add(error);
                  }
                });
      }
      producer.flush();
      failures.throwIfAny(target);
    } finally {
      // What a failure has left unsent is sent again by whoever retries it.
      producer.close(Duration.ZERO);
    }
    return tooLarge;
  }
}
