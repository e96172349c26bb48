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

import java.util.List;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.NullableCoder;
import org.apache.beam.sdk.io.BoundedSource;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.io.kafka.KafkaRecordCoder;
import org.apache.beam.sdk.options.PipelineOptions;

/**
 * Ranges as a bounded source. It is no splittable DoFn since those are read without parallelism on
 * Spark unless a shuffle follows, while each part of a source is a partition there.
 */
final class KafkaRangeSource extends BoundedSource<KafkaRecord<byte[], byte[]>> {
  private static final long serialVersionUID = 1L;

  /** Takes null keys and values, which are legal in Kafka. */
  static final Coder<KafkaRecord<byte[], byte[]>> CODER =
      KafkaRecordCoder.of(
          NullableCoder.of(ByteArrayCoder.of()), NullableCoder.of(ByteArrayCoder.of()));

  /** What a record is taken for when a runner asks for sizes; only ratios matter. */
  private static final long ASSUMED_RECORD_BYTES = 200;

  /** Below this a piece of work costs more in overhead than it gains in parallelism. */
  private static final long LEAST_WORTH_SPLITTING = 5_000;

  private final KafkaConfig config;
  private final List<KafkaRange> ranges;
  private final long maxRangeSize;

  KafkaRangeSource(KafkaConfig config, List<KafkaRange> ranges, long maxRangeSize) {
    this.config = config;
    this.ranges = List.copyOf(ranges);
    this.maxRangeSize = maxRangeSize;
  }

  KafkaConfig config() {
    return config;
  }

  List<KafkaRange> ranges() {
    return ranges;
  }

  @Override
  public List<KafkaRangeSource> split(long desiredBytes, PipelineOptions options) {
    long wanted = Math.max(desiredBytes / ASSUMED_RECORD_BYTES, LEAST_WORTH_SPLITTING);
    return KafkaRangeSplitter.split(ranges, Math.min(wanted, maxRangeSize)).stream()
        .map(group -> new KafkaRangeSource(config, group, maxRangeSize))
        .toList();
  }

  @Override
  public long getEstimatedSizeBytes(PipelineOptions options) {
    return ranges.stream().mapToLong(KafkaRange::size).sum() * ASSUMED_RECORD_BYTES;
  }

  @Override
  public BoundedReader<KafkaRecord<byte[], byte[]>> createReader(PipelineOptions options) {
    return new KafkaRangeReader(this);
  }

  @Override
  public Coder<KafkaRecord<byte[], byte[]>> getOutputCoder() {
    return CODER;
  }
}
