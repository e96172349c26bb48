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
package dev.idem.io.file;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.function.Consumer;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;

/** A file of rows of one schema, which only the pipelines of one batch read. */
public final class RowFile {

  private static final int BUFFER = 1 << 16;

  private RowFile() {}

  /** Writes rows; they are there once it is closed. */
  public static final class Writer implements AutoCloseable {
    private final DataOutputStream out;
    private final RowCoder coder;
    private long rows;

    private Writer(DataOutputStream out, RowCoder coder) {
      this.out = out;
      this.coder = coder;
    }

    /** Writes a row. */
    public void write(Row row) throws IOException {
      out.writeBoolean(true);
      coder.encode(row, out);
      rows++;
    }

    /** Returns how many rows were written. */
    public long rows() {
      return rows;
    }

    @Override
    public void close() throws IOException {
      out.writeBoolean(false);
      out.close();
    }
  }

  /** Creates a file, which must not exist. */
  public static Writer create(Storage storage, String name, Schema schema) throws IOException {
    return new Writer(
        new DataOutputStream(new BufferedOutputStream(storage.create(name), BUFFER)),
        RowCoder.of(schema));
  }

  /** Hands over the rows of a file, which must be whole. */
  public static void read(Storage storage, String name, Schema schema, Consumer<Row> rows)
      throws IOException {
    RowCoder coder = RowCoder.of(schema);
    try (DataInputStream in =
        new DataInputStream(
            new BufferedInputStream(Channels.newInputStream(storage.open(name)), BUFFER))) {
      while (in.readBoolean()) {
        rows.accept(coder.decode(in));
      }
    }
  }
}
