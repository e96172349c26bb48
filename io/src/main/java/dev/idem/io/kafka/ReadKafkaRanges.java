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

import com.google.auto.value.AutoValue;
import java.util.List;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.io.BoundedSource;
import org.apache.beam.sdk.io.Read;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.SerializableBiFunction;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.apache.beam.sdk.values.PBegin;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.kafka.clients.CommonClientConfigs;
import org.joda.time.Instant;

/**
 * Reads given ranges of offsets as a bounded collection of Beam's {@link KafkaRecord}, in parallel.
 *
 * <p><b>Guarantee.</b> Every committed record whose offset lies in a range is in the output exactly
 * once, and no other. Records of aborted transactions are left out; transaction markers and the
 * gaps of compaction are passed over, also at the end of a range. An empty range reads nothing and
 * opens no connection. If an offset of a range cannot be read the read fails; nothing is skipped.
 *
 * <p><b>Replay.</b> The same ranges give the same records as long as the topic keeps them;
 * compaction may have removed some since.
 *
 * <p><b>Requirements.</b> Any runner. A range should end at or below the last stable offset ({@link
 * KafkaOffsets#lastStable}). Null keys and null values are legal; the coder of the output takes
 * them. The timestamp of an element is that of its record. There is no order between the records of
 * different partitions, and none that a runner must keep within one.
 *
 * <p><b>State and cost.</b> No group, no committed offsets, no shuffle. Ranges are cut into pieces
 * of at most {@linkplain #withMaxRangeSize a given size} and small ones are put together, so that
 * each piece of work is worth its overhead. Each piece holds one batch of fetched records.
 *
 * <p><b>Errors.</b> {@link OffsetOutOfRetentionException}, {@link OffsetBeyondEndException}, {@link
 * RangeStalledException}, {@link TopicNotFoundException}, {@link KafkaUnavailableException}, {@link
 * KafkaAccessException}, {@link KafkaSettingException}.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * pipeline.apply(
 *     ReadKafkaRanges.of(List.of(new KafkaRange("orders", 0, 40, 1_040)))
 *         .withConsumerConfig(KafkaConfig.of("localhost:9092")));
 * }</pre>
 */
@AutoValue
public abstract class ReadKafkaRanges
    extends PTransform<PBegin, PCollection<KafkaRecord<byte[], byte[]>>> {
  private static final long serialVersionUID = 1L;
  private static final long DEFAULT_MAX_RANGE_SIZE = 200_000;

  // Immutable by List.copyOf in the factory.
  @SuppressWarnings("AutoValueImmutableFields")
  abstract List<KafkaRange> ranges();

  abstract KafkaConfig consumerConfig();

  abstract long maxRangeSize();

  abstract Builder toBuilder();

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder setRanges(List<KafkaRange> ranges);

    abstract Builder setConsumerConfig(KafkaConfig config);

    abstract Builder setMaxRangeSize(long size);

    abstract ReadKafkaRanges build();
  }

  /** Returns a read of the ranges, which must not overlap. */
  public static ReadKafkaRanges of(List<KafkaRange> ranges) {
    KafkaRangeSplitter.checkDisjoint(ranges);
    return new AutoValue_ReadKafkaRanges.Builder()
        .setRanges(List.copyOf(ranges))
        .setConsumerConfig(KafkaConfig.of(""))
        .setMaxRangeSize(DEFAULT_MAX_RANGE_SIZE)
        .build();
  }

  /**
   * Returns this read with the settings of its consumers, which must name {@code
   * bootstrap.servers}. Any setting is taken except those that ranges depend on (isolation level,
   * offset reset, auto-commit, topic creation, deserializers); group settings are ignored. {@code
   * default.api.timeout.ms} (60 s) bounds how long a range may make no progress; {@code
   * max.partition.fetch.bytes}, {@code max.poll.records} and {@code receive.buffer.bytes} have
   * larger defaults than Kafka's, {@code fetch.max.wait.ms} (10) a smaller one.
   */
  public ReadKafkaRanges withConsumerConfig(KafkaConfig config) {
    return toBuilder().setConsumerConfig(config).build();
  }

  /**
   * Returns this read with another limit to the offsets that one worker reads in one go; 200,000 by
   * default. Less spreads a large partition over more workers and costs a fetch for each piece;
   * more needs more memory on runners that keep the output of a piece, as the Direct runner does.
   */
  public ReadKafkaRanges withMaxRangeSize(long offsets) {
    if (offsets < 1) {
      throw new IllegalArgumentException(
          "Maximum range size must be at least 1 offset, but was: %d. Give the offsets one worker reads in one go."
              .formatted(offsets));
    }
    return toBuilder().setMaxRangeSize(offsets).build();
  }

  /**
   * Returns this read as a source of what {@code function} makes of each record and its timestamp:
   * cheaper than a step of its own on runners that keep all records between two steps, as the
   * Direct runner does.
   *
   * @param function must be deterministic; gives elements and their event times
   * @param coder encodes the elements
   * @param <T> the type of the elements
   */
  public <T> PTransform<PBegin, PCollection<T>> map(
      SerializableBiFunction<
              KafkaRecord<byte[], byte[]>, Instant, ? extends Iterable<TimestampedValue<T>>>
          function,
      Coder<T> coder) {
    return new Mapped<>(this, source -> new MappedRangeSource<>(source, function, coder));
  }

  @Override
  public PCollection<KafkaRecord<byte[], byte[]>> expand(PBegin input) {
    return expand(input, source -> source);
  }

  private <T> PCollection<T> expand(
      PBegin input, SerializableFunction<KafkaRangeSource, BoundedSource<T>> mapping) {
    if (!consumerConfig().isPlaced()) {
      throw new IllegalArgumentException(
          "Consumer settings must name \"%s\", but was: not set. Give them by withConsumerConfig."
              .formatted(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG));
    }
    List<KafkaRange> filled = ranges().stream().filter(range -> range.size() > 0).toList();
    BoundedSource<T> source =
        mapping.apply(new KafkaRangeSource(consumerConfig(), filled, maxRangeSize()));
    return filled.isEmpty()
        ? input.apply("ReadNothing", Create.empty(source.getOutputCoder()))
        : input.apply("ReadRanges", Read.from(source));
  }

  private static final class Mapped<T> extends PTransform<PBegin, PCollection<T>> {
    private static final long serialVersionUID = 1L;

    private final ReadKafkaRanges ranges;
    private final SerializableFunction<KafkaRangeSource, BoundedSource<T>> mapping;

    Mapped(
        ReadKafkaRanges ranges, SerializableFunction<KafkaRangeSource, BoundedSource<T>> mapping) {
      this.ranges = ranges;
      this.mapping = mapping;
    }

    @Override
    public PCollection<T> expand(PBegin input) {
      return ranges.expand(input, mapping);
    }

    @Override
    public void populateDisplayData(DisplayData.Builder builder) {
      ranges.populateDisplayData(builder);
    }
  }

  @Override
  public void populateDisplayData(DisplayData.Builder builder) {
    super.populateDisplayData(builder);
    builder
        .add(DisplayData.item("ranges", ranges().size()))
        .add(DisplayData.item("maxRangeSize", maxRangeSize()));
  }
}
