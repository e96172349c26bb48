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
package dev.idem.pipelines.quickstart.cdc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What the topic holds, read without regard to what became of it.
 *
 * @param transactions how many different ones changed something
 * @param firstRows different rows of the first snapshot
 * @param changes different changes of rows
 * @param again events of the same changes
 * @param unsent changes that leave a large value alone, so that it is not sent
 */
record CapturedEvents(long transactions, long firstRows, long changes, long again, long unsent) {

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String UNSENT = "__debezium_unavailable_value";

  private record Event(String operation, long position, String key, boolean unsent) {}

  static CapturedEvents read(String broker, String topic, int partitions) throws IOException {
    Map<String, Object> settings = new HashMap<>();
    settings.put("bootstrap.servers", broker);
    Set<Event> events = new HashSet<>();
    Set<Long> transactions = new HashSet<>();
    long all = 0;
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> assigned =
          IntStream.range(0, partitions).mapToObj(each -> new TopicPartition(topic, each)).toList();
      consumer.assign(assigned);
      consumer.seekToBeginning(assigned);
      Map<TopicPartition, Long> ends = consumer.endOffsets(assigned);
      while (assigned.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
          if (record.value() == null) {
            continue;
          }
          JsonNode event = MAPPER.readTree(record.value()).get("payload");
          JsonNode source = event.get("source");
          String operation = event.get("op").asText();
          String key = MAPPER.readTree(record.key()).get("payload").get("id").asText();
          all++;
          boolean unsent = event.path("after").path("document").asText().equals(UNSENT);
          events.add(new Event(operation, source.get("lsn").asLong(), key, unsent));
          if (!operation.equals("r")) {
            transactions.add(source.get("txId").asLong());
          }
        }
      }
    }
    long firstRows = events.stream().filter(event -> event.operation().equals("r")).count();
    return new CapturedEvents(
        transactions.size(),
        firstRows,
        events.size() - firstRows,
        all - events.size(),
        events.stream().filter(Event::unsent).count());
  }
}
