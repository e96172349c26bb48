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

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.testing.CapturedDatabase;
import dev.idem.testing.CapturedDatabase.Sent;
import dev.idem.testing.KafkaBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A topic with the change events of one table, as Debezium sends them. */
final class CapturedTopic {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int PARTITIONS = 2;

  private final CapturedDatabase database;
  private final String connector;
  private final String table;

  private CapturedTopic(CapturedDatabase database, String connector, String table) {
    this.database = database;
    this.connector = connector;
    this.table = table;
  }

  /**
   * Begins to capture a table of the public schema.
   *
   * @param settings further settings of the connector
   */
  static CapturedTopic of(CapturedDatabase database, String table, String... settings) {
    String connector = "capture_" + table;
    database.sql("create table %s_marks (id serial primary key)".formatted(table));
    database.capture(connector, "public.%1$s,public.%1$s_marks".formatted(table), true, settings);
    CapturedTopic topic = new CapturedTopic(database, connector, table);
    KafkaBroker.shared().createTopic(topic.name(), PARTITIONS, Map.of());
    return topic;
  }

  String name() {
    return connector + ".public." + table;
  }

  /** Waits until changes are captured. */
  void awaitSlot() {
    database.await(
        "select exists (select 1 from pg_replication_slots where slot_name = '%s' and active)"
            .formatted(connector));
  }

  /** Sends everything that was captured up to now. */
  void send() {
    String mark = database.ask("insert into %s_marks default values returning id".formatted(table));
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    Sent sent = database.next(connector);
    while (!isMark(sent, mark)) {
      if (sent.topic().equals(name())) {
        int partition = Math.floorMod(Arrays.hashCode(sent.key()), PARTITIONS);
        records.add(new ProducerRecord<>(name(), partition, sent.key(), sent.value()));
      }
      sent = database.next(connector);
    }
    KafkaBroker.shared().sendAll(records);
  }

  private static boolean isMark(Sent sent, String mark) {
    try {
      JsonNode key = MAPPER.readTree(sent.key()).path("payload");
      return sent.topic().endsWith("_marks") && key.path("id").asText().equals(mark);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
