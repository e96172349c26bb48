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

import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.io.BoundedSource;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.transforms.SerializableBiFunction;
import org.apache.beam.sdk.util.SerializableUtils;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Instant;

/** Ranges as a source of what a function makes of their records: any number of each. */
final class MappedRangeSource<T> extends BoundedSource<T> {
  private static final long serialVersionUID = 1L;

  private final KafkaRangeSource source;
  private final SerializableBiFunction<
          KafkaRecord<byte[], byte[]>, Instant, ? extends Iterable<TimestampedValue<T>>>
      function;
  private final Coder<T> coder;

  MappedRangeSource(
      KafkaRangeSource source,
      SerializableBiFunction<
              KafkaRecord<byte[], byte[]>, Instant, ? extends Iterable<TimestampedValue<T>>>
          function,
      Coder<T> coder) {
    this.source = source;
    this.function = function;
    this.coder = coder;
  }

  @Override
  public List<MappedRangeSource<T>> split(long desiredBytes, PipelineOptions options) {
    return source.split(desiredBytes, options).stream()
        .map(piece -> new MappedRangeSource<>(piece, function, coder))
        .toList();
  }

  @Override
  public long getEstimatedSizeBytes(PipelineOptions options) {
    return source.getEstimatedSizeBytes(options);
  }

  @Override
  public BoundedReader<T> createReader(PipelineOptions options) {
    return new Reader<>(this);
  }

  @Override
  public Coder<T> getOutputCoder() {
    return coder;
  }

  private static final class Reader<T> extends BoundedReader<T> {
    private final MappedRangeSource<T> source;
    private final KafkaRangeReader records;

    /** A copy: runners read several pieces at once, and a function may keep what it is reusing. */
    private final SerializableBiFunction<
            KafkaRecord<byte[], byte[]>, Instant, ? extends Iterable<TimestampedValue<T>>>
        function;

    private Iterator<TimestampedValue<T>> made = Collections.emptyIterator();
    private TimestampedValue<T> current;

    Reader(MappedRangeSource<T> source) {
      this.source = source;
      this.records = new KafkaRangeReader(source.source);
      this.function = SerializableUtils.clone(source.function);
    }

    @Override
    public boolean start() {
      return take(records.start());
    }

    @Override
    public boolean advance() {
      return take(made.hasNext() || records.advance());
    }

    private boolean take(boolean available) {
      boolean more = available;
      while (more && !made.hasNext()) {
        made = function.apply(records.getCurrent(), records.getCurrentTimestamp()).iterator();
        more = made.hasNext() || records.advance();
      }
      current = more ? made.next() : null;
      return more;
    }

    private TimestampedValue<T> current() {
      if (current == null) {
        throw new NoSuchElementException();
      }
      return current;
    }

    @Override
    public T getCurrent() {
      return current().getValue();
    }

    @Override
    public Instant getCurrentTimestamp() {
      return current().getTimestamp();
    }

    @Override
    public MappedRangeSource<T> getCurrentSource() {
      return source;
    }

    @Override
    public void close() {
      records.close();
    }
  }
}
