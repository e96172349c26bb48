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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;

import dev.idem.testing.KafkaBroker;
import dev.idem.testing.RunnerUnderTest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.io.BoundedSource;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Records in the form in which tests compare them, and the ways to read them. */
final class Records {
  private Records() {}

  static KafkaConfig config() {
    return KafkaConfig.of(KafkaBroker.shared().bootstrapServers());
  }

  static ReadKafkaRanges read(KafkaRange... ranges) {
    return ReadKafkaRanges.of(List.of(ranges)).withConsumerConfig(config());
  }

  /** Returns records with values {@code prefix0, prefix1, ...} and keys {@code k0, k1, ...}. */
  static List<ProducerRecord<byte[], byte[]>> numbered(
      String topic, int partition, String prefix, int count) {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      records.add(
          new ProducerRecord<>(
              topic, partition, ("k" + i).getBytes(UTF_8), (prefix + i).getBytes(UTF_8)));
    }
    return records;
  }

  /** Returns {@code topic-partition@offset key=value}. */
  static String text(KafkaRecord<byte[], byte[]> record) {
    return "%s-%d@%d %s=%s"
        .formatted(
            record.getTopic(),
            record.getPartition(),
            record.getOffset(),
            text(record.getKV().getKey()),
            text(record.getKV().getValue()));
  }

  /** Returns text of everything that a record has. */
  static String fullText(KafkaRecord<byte[], byte[]> record) {
    List<String> headers =
        StreamSupport.stream(record.getHeaders().spliterator(), false)
            .map(header -> header.key() + ":" + text(header.value()))
            .toList();
    return "%s %s@%d %s"
        .formatted(text(record), record.getTimestampType(), record.getTimestamp(), headers);
  }

  private static String text(byte[] bytes) {
    return bytes == null ? "null" : "'" + new String(bytes, UTF_8) + "'";
  }

  /** Runs the read and checks that exactly the expected records come out, in any order. */
  static void assertReads(RunnerUnderTest runner, ReadKafkaRanges read, List<String> expected) {
    Pipeline pipeline = Pipeline.create(runner.options());
    PCollection<String> read1 =
        pipeline.apply(read).apply(MapElements.into(TypeDescriptors.strings()).via(Records::text));
    List<String> sorted = new ArrayList<>(expected.stream().sorted().toList());
    PAssert.that(read1)
        .satisfies(
            actual -> {
              List<String> found =
                  StreamSupport.stream(actual.spliterator(), false).sorted().toList();
              assertThat(found, equalTo(sorted));
              return null;
            });
    pipeline.run().waitUntilFinish();
  }

  /** Reads a source in this thread, in order. */
  static List<String> readHere(KafkaRange... ranges) {
    return readHere(config(), ranges);
  }

  static List<String> readHere(KafkaConfig config, KafkaRange... ranges) {
    List<String> found = new ArrayList<>();
    KafkaRangeSource source = new KafkaRangeSource(config, List.of(ranges), Long.MAX_VALUE);
    try (BoundedSource.BoundedReader<KafkaRecord<byte[], byte[]>> reader =
        new KafkaRangeReader(source)) {
      for (boolean more = reader.start(); more; more = reader.advance()) {
        found.add(text(reader.getCurrent()));
      }
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return found;
  }
}
