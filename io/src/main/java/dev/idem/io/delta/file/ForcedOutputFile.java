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
package dev.idem.io.delta.file;

import dev.idem.io.file.Storage;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

/** A new Parquet file; its writer forces it when it is complete. */
final class ForcedOutputFile implements OutputFile {

  private static final int BUFFER = 256 * 1024;
  private final Storage storage;
  private final String file;

  ForcedOutputFile(Storage storage, String file) {
    this.storage = storage;
    this.file = file;
  }

  @Override
  public PositionOutputStream create(long blockSizeHint) throws IOException {
    OutputStream out = new BufferedOutputStream(storage.create(file), BUFFER);
    return new PositionOutputStream() {
      private long position;

      @Override
      public long getPos() {
        return position;
      }

      @Override
      public void write(int b) throws IOException {
        out.write(b);
        position++;
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        position += length;
      }

      @Override
      public void flush() throws IOException {
        out.flush();
      }

      @Override
      public void close() throws IOException {
        out.close();
      }
    };
  }

  @Override
  public PositionOutputStream createOrOverwrite(long blockSizeHint) throws IOException {
    return create(blockSizeHint);
  }

  @Override
  public boolean supportsBlockSize() {
    return false;
  }

  @Override
  public long defaultBlockSize() {
    return 0;
  }

  @Override
  public String getPath() {
    return storage.path(file);
  }
}
