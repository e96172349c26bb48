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

import dev.idem.io.kafka.KafkaConfig;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Runs code of a test in the thread that sends, before each record. An {@link Error} that it throws
 * ends the attempt as a kill does: nothing is aborted. Consumers know the setting too, so it is one
 * of theirs that does nothing.
 */
public final class SendHook
    implements ProducerInterceptor<byte[], byte[]>, ConsumerInterceptor<byte[], byte[]> {

  private static final String NAME = "idem.test.hook";
  private static final Map<String, Consumer<ProducerRecord<byte[], byte[]>>> HOOKS =
      new ConcurrentHashMap<>();

  private Consumer<ProducerRecord<byte[], byte[]>> hook;

  /** Thrown in the place of a kill. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** Returns a configuration whose producers call the hook. */
  static KafkaConfig in(
      KafkaConfig config, String name, Consumer<ProducerRecord<byte[], byte[]>> hook) {
    HOOKS.put(name, hook);
    return config
        .with(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG, SendHook.class.getName())
        .with(NAME, name);
  }

  @Override
  public void configure(Map<String, ?> settings) {
    hook = HOOKS.get(settings.get(NAME));
  }

  @Override
  public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
    hook.accept(record);
    return record;
  }

  @Override
  public void onAcknowledgement(RecordMetadata metadata, Exception exception) {}

  @Override
  public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
    return records;
  }

  @Override
  public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

  @Override
  public void close() {}
}
