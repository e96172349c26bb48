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

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.apache.beam.sdk.coders.DefaultCoder;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Instant;

/**
 * An event to be published as a record of a Kafka topic.
 *
 * <p>Key and sequence together name the event: two events of the same key and sequence are copies.
 * An event without a key has no name and cannot be published. Arrays are not copied and must not be
 * changed.
 *
 * @param key the record's key
 * @param value the record's value; null makes a tombstone, the sign that the key is deleted
 * @param sequence orders the events of a key, by the values of its bytes from the first on, each
 *     taken as 0 to 255; at best the place in the source, {@linkplain #sequence(long) a version},
 *     or a time
 * @param headers further headers, in their order
 * @param timestamp the record's timestamp; null takes the time at which it is sent, which is
 *     another one in a copy
 */
@DefaultCoder(KafkaEventCoder.class)
@SuppressWarnings("ArrayRecordComponent") // Compared by content, below.
public record KafkaEvent(
    byte[] key,
    byte @Nullable [] value,
    byte[] sequence,
    List<Header> headers,
    @Nullable Instant timestamp)
    implements Serializable {

  /** By key, then by sequence, then by the rest, so that any order of arrival becomes one. */
  static final Comparator<KafkaEvent> ORDER =
      Comparator.comparing(KafkaEvent::key, Arrays::compareUnsigned)
          .thenComparing(KafkaEvent::sequence, Arrays::compareUnsigned)
          .thenComparing(KafkaEventCoder::bytes, Arrays::compareUnsigned);

  /** Checks that the event can be told from others. */
  public KafkaEvent {
    if (key == null) {
      throw PublishErrors.noKey();
    }
    if (sequence == null) {
      throw PublishErrors.noSequence();
    }
    headers = List.copyOf(headers);
    for (Header header : headers) {
      if (header.name().startsWith(EventHeaders.PREFIX)) {
        throw PublishErrors.reservedHeader(header.name());
      }
    }
  }

  /** Returns an event without further headers and without a timestamp. */
  public static KafkaEvent of(byte[] key, byte @Nullable [] value, byte[] sequence) {
    return new KafkaEvent(key, value, sequence, List.of(), null);
  }

  /** Returns an event whose sequence is a number. */
  public static KafkaEvent of(byte[] key, byte @Nullable [] value, long sequence) {
    return of(key, value, sequence(sequence));
  }

  /**
   * Returns a number as a sequence: eight bytes, the most significant first, the first bit flipped
   * so that negative numbers come before the others.
   */
  public static byte[] sequence(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number ^ Long.MIN_VALUE).array();
  }

  /** Returns this event with one more header. */
  public KafkaEvent withHeader(String name, byte @Nullable [] value) {
    List<Header> more = new ArrayList<>(headers);
    more.add(new Header(name, value));
    return new KafkaEvent(key, value(), sequence, more, timestamp);
  }

  /** Returns this event with a timestamp. */
  public KafkaEvent withTimestamp(Instant timestamp) {
    return new KafkaEvent(key, value, sequence, headers, timestamp);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KafkaEvent that
        && Arrays.equals(key, that.key)
        && Arrays.equals(value, that.value)
        && Arrays.equals(sequence, that.sequence)
        && headers.equals(that.headers)
        && Objects.equals(timestamp, that.timestamp);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(key) + Arrays.hashCode(sequence);
  }

  /** Leaves out what the event says. */
  @Override
  public String toString() {
    return "KafkaEvent{key of %d bytes, %s}"
        .formatted(key.length, value == null ? "tombstone" : "value of " + value.length + " bytes");
  }

  /**
   * One further header.
   *
   * @param name its name, which does not begin with {@value EventHeaders#PREFIX}
   * @param value its value, which may be null
   */
  @SuppressWarnings("ArrayRecordComponent") // Compared by content, below.
  public record Header(String name, byte @Nullable [] value) implements Serializable {

    @Override
    public boolean equals(Object other) {
      return other instanceof Header that
          && name.equals(that.name)
          && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
      return 31 * name.hashCode() + Arrays.hashCode(value);
    }

    /** Leaves out the value. */
    @Override
    public String toString() {
      return "Header{" + name + "}";
    }
  }
}
