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

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.coders.AtomicCoder;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.InstantCoder;
import org.apache.beam.sdk.coders.NullableCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.values.TypeDescriptor;
import org.joda.time.Instant;

/**
 * Encodes a {@link KafkaEvent}. Content hashes in progress topics are made of these bytes, so they
 * never change.
 */
public final class KafkaEventCoder extends AtomicCoder<KafkaEvent> {

  private static final long serialVersionUID = 1L;
  private static final KafkaEventCoder INSTANCE = new KafkaEventCoder();
  private static final Coder<byte[]> BYTES = ByteArrayCoder.of();
  private static final Coder<byte[]> OPTIONAL_BYTES = NullableCoder.of(ByteArrayCoder.of());
  private static final Coder<Instant> TIMESTAMP = NullableCoder.of(InstantCoder.of());
  private static final Coder<String> TEXT = StringUtf8Coder.of();
  private static final Coder<Integer> COUNT = VarIntCoder.of();

  private KafkaEventCoder() {}

  /** Returns the coder. */
  public static KafkaEventCoder of() {
    return INSTANCE;
  }

  @Override
  public void encode(KafkaEvent event, OutputStream out) throws IOException {
    BYTES.encode(event.key(), out);
    OPTIONAL_BYTES.encode(event.value(), out);
    BYTES.encode(event.sequence(), out);
    COUNT.encode(event.headers().size(), out);
    for (KafkaEvent.Header header : event.headers()) {
      TEXT.encode(header.name(), out);
      OPTIONAL_BYTES.encode(header.value(), out);
    }
    TIMESTAMP.encode(event.timestamp(), out);
  }

  @Override
  public KafkaEvent decode(InputStream in) throws IOException {
    byte[] key = BYTES.decode(in);
    byte[] value = OPTIONAL_BYTES.decode(in);
    byte[] sequence = BYTES.decode(in);
    int count = COUNT.decode(in);
    List<KafkaEvent.Header> headers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      headers.add(new KafkaEvent.Header(TEXT.decode(in), OPTIONAL_BYTES.decode(in)));
    }
    return new KafkaEvent(key, value, sequence, headers, TIMESTAMP.decode(in));
  }

  /** Returns the encoding of an event. */
  static byte[] bytes(KafkaEvent event) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      INSTANCE.encode(event, out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  /** Returns the event of an encoding. */
  static KafkaEvent event(byte[] bytes) {
    try {
      return INSTANCE.decode(new ByteArrayInputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean consistentWithEquals() {
    return true;
  }

  @Override
  public TypeDescriptor<KafkaEvent> getEncodedTypeDescriptor() {
    return TypeDescriptor.of(KafkaEvent.class);
  }

  private Object readResolve() {
    return INSTANCE;
  }
}
