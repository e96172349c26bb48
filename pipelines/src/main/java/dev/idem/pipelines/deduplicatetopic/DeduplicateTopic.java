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
package dev.idem.pipelines.deduplicatetopic;

import dev.idem.io.kafka.DelayTimestampPolicyFactory;
import dev.idem.io.kafka.KafkaConfig;
import dev.idem.transforms.dedup.DeduplicateWithinWatermark;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.NullableCoder;
import org.apache.beam.sdk.io.kafka.KafkaIO;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.options.Description;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.options.Validation.Required;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.SimpleFunction;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.joda.time.Duration;

/**
 * Copies a topic to another one without the records that were delivered again: records with equal
 * keys and values, whose timestamps are within the delay of each other. Runs until it is stopped.
 *
 * <p><b>Guarantee.</b> At least once. What the transform lets through is unique as long as the
 * pipeline runs; but {@code KafkaIO.write()} sends a record again when its bundle is retried, and a
 * pipeline that is started anew has forgotten what it had seen. A target that must hold each record
 * once is written by a batch job, or deduplicated by its readers.
 *
 * <p>Records with the key of an earlier one and another value are conflicts, and records older than
 * the watermark are late; neither is copied.
 */
public final class DeduplicateTopic {

  private static final Schema RECORD =
      Schema.builder()
          .addNullableField("key", FieldType.BYTES)
          .addNullableField("value", FieldType.BYTES)
          .build();

  private DeduplicateTopic() {}

  /** The options of the pipeline. */
  public interface Options extends PipelineOptions {
    /** Returns the cluster that both topics are in. */
    @Description("The Kafka cluster of both topics, as HOST:PORT,..")
    @Required
    String getBootstrapServers();

    /** Sets the cluster that both topics are in. */
    void setBootstrapServers(String servers);

    /** Returns the topic to read. */
    @Description("The topic to read.")
    @Required
    String getFrom();

    /** Sets the topic to read. */
    void setFrom(String topic);

    /** Returns the topic to write. */
    @Description("The topic to write.")
    @Required
    String getInto();

    /** Sets the topic to write. */
    void setInto(String topic);
  }

  /** Runs the pipeline until it is stopped. */
  public static void main(String[] arguments) {
    Options options = PipelineOptionsFactory.fromArgs(arguments).withValidation().as(Options.class);
    Pipeline pipeline = Pipeline.create(options);
    build(
        pipeline,
        KafkaConfig.of(options.getBootstrapServers()),
        options.getFrom(),
        options.getInto(),
        Duration.standardMinutes(5));
    pipeline.run().waitUntilFinish();
  }

  static void build(
      Pipeline pipeline, KafkaConfig cluster, String from, String into, Duration delay) {
    pipeline
        .apply(
            "ReadTopic",
            KafkaIO.<byte[], byte[]>read()
                .withBootstrapServers(cluster.bootstrapServers())
                .withTopic(from)
                .withConsumerFactoryFn(cluster.consumerFactory())
                .withConsumerConfigUpdates(Map.of("auto.offset.reset", "earliest"))
                .withReadCommitted()
                .withKeyDeserializerAndCoder(
                    ByteArrayDeserializer.class, NullableCoder.of(ByteArrayCoder.of()))
                .withValueDeserializerAndCoder(
                    ByteArrayDeserializer.class, NullableCoder.of(ByteArrayCoder.of()))
                .withTimestampPolicyFactory(DelayTimestampPolicyFactory.of(delay)))
        .apply("TakeRecords", MapElements.via(new TakeRecord()))
        .setRowSchema(RECORD)
        .apply("Deduplicate", DeduplicateWithinWatermark.rows("key").withDelay(delay))
        .unique()
        .apply("GiveRecords", MapElements.via(new GiveRecord()))
        .apply(
            "WriteTopic",
            KafkaIO.<byte[], byte[]>write()
                .withBootstrapServers(cluster.bootstrapServers())
                .withTopic(into)
                .withProducerFactoryFn(cluster.producerFactory())
                .withKeySerializer(ByteArraySerializer.class)
                .withValueSerializer(ByteArraySerializer.class));
  }

  private static final class TakeRecord extends SimpleFunction<KafkaRecord<byte[], byte[]>, Row> {
    @Override
    public Row apply(KafkaRecord<byte[], byte[]> record) {
      return Row.withSchema(RECORD)
          .addValues(record.getKV().getKey(), record.getKV().getValue())
          .build();
    }
  }

  private static final class GiveRecord extends SimpleFunction<Row, KV<byte[], byte[]>> {
    @Override
    public KV<byte[], byte[]> apply(Row row) {
      return KV.of(row.getBytes("key"), row.getBytes("value"));
    }
  }
}
