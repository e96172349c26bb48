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
package dev.idem.transforms.dedup;

import dev.idem.transforms.dedup.KeyMemory.Remembered;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.beam.sdk.coders.AtomicCoder;
import org.joda.time.Instant;

/** Encodes a {@link Remembered} in 32 bytes: fingerprint, payload hash, expiry. */
public final class RememberedCoder extends AtomicCoder<Remembered> {
  private static final RememberedCoder INSTANCE = new RememberedCoder();

  private RememberedCoder() {}

  /** Returns the coder. */
  public static RememberedCoder of() {
    return INSTANCE;
  }

  @Override
  public void encode(Remembered value, OutputStream out) throws IOException {
    DataOutputStream data = new DataOutputStream(out);
    data.writeLong(value.key().high());
    data.writeLong(value.key().low());
    data.writeLong(value.payload());
    data.writeLong(value.expiry().getMillis());
  }

  @Override
  public Remembered decode(InputStream in) throws IOException {
    DataInputStream data = new DataInputStream(in);
    Fingerprint key = new Fingerprint(data.readLong(), data.readLong());
    return new Remembered(key, data.readLong(), Instant.ofEpochMilli(data.readLong()));
  }

  @Override
  public boolean consistentWithEquals() {
    return true;
  }

  private Object readResolve() {
    return INSTANCE;
  }
}
