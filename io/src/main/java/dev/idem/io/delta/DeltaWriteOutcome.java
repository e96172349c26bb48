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
package dev.idem.io.delta;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import org.apache.beam.sdk.coders.AtomicCoder;
import org.apache.beam.sdk.coders.BooleanCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;

/**
 * How the commit of a write ended.
 *
 * @param table the table's path
 * @param version the version of the commit, or in which the batch was found
 * @param alreadyCommitted whether an earlier run had committed the batch, so that nothing was added
 * @param rows the rows of this run
 * @param files the files of this run
 * @param content the hash of this run's rows, empty if none was made
 */
public record DeltaWriteOutcome(
    String table, long version, boolean alreadyCommitted, long rows, long files, String content)
    implements Serializable {

  static Coder<DeltaWriteOutcome> coder() {
    return OutcomeCoder.INSTANCE;
  }

  private static final class OutcomeCoder extends AtomicCoder<DeltaWriteOutcome> {

    private static final long serialVersionUID = 1L;
    private static final OutcomeCoder INSTANCE = new OutcomeCoder();
    private static final StringUtf8Coder TEXT = StringUtf8Coder.of();
    private static final VarLongCoder NUMBER = VarLongCoder.of();

    @Override
    public void encode(DeltaWriteOutcome value, OutputStream out) throws IOException {
      TEXT.encode(value.table(), out);
      NUMBER.encode(value.version(), out);
      BooleanCoder.of().encode(value.alreadyCommitted(), out);
      NUMBER.encode(value.rows(), out);
      NUMBER.encode(value.files(), out);
      TEXT.encode(value.content(), out);
    }

    @Override
    public DeltaWriteOutcome decode(InputStream in) throws IOException {
      return new DeltaWriteOutcome(
          TEXT.decode(in),
          NUMBER.decode(in),
          BooleanCoder.of().decode(in),
          NUMBER.decode(in),
          NUMBER.decode(in),
          TEXT.decode(in));
    }
  }
}
