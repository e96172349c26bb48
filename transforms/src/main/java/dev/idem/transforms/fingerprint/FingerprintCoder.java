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
package dev.idem.transforms.fingerprint;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.beam.sdk.coders.AtomicCoder;

/** Encodes a {@link Fingerprint} as its sixteen bytes. */
public final class FingerprintCoder extends AtomicCoder<Fingerprint> {
  private static final FingerprintCoder INSTANCE = new FingerprintCoder();

  private FingerprintCoder() {}

  /** Returns the coder. */
  public static FingerprintCoder of() {
    return INSTANCE;
  }

  @Override
  public void encode(Fingerprint value, OutputStream out) throws IOException {
    DataOutputStream data = new DataOutputStream(out);
    data.writeLong(value.high());
    data.writeLong(value.low());
  }

  @Override
  public Fingerprint decode(InputStream in) throws IOException {
    DataInputStream data = new DataInputStream(in);
    return new Fingerprint(data.readLong(), data.readLong());
  }

  @Override
  public boolean consistentWithEquals() {
    return true;
  }

  private Object readResolve() {
    return INSTANCE;
  }
}
