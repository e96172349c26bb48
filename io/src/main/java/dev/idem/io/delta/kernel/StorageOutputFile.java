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
package dev.idem.io.delta.kernel;

import dev.idem.io.file.Storage;
import io.delta.kernel.defaults.engine.fileio.OutputFile;
import io.delta.kernel.defaults.engine.fileio.PositionOutputStream;
import io.delta.kernel.utils.CloseableIterator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.util.Arrays;

/** A file of a Delta log that appears whole and forced, or not at all. */
final class StorageOutputFile implements OutputFile {

  private final Storage storage;
  private final String target;

  StorageOutputFile(Storage storage, String target) {
    this.storage = storage;
    this.target = target;
  }

  @Override
  public String path() {
    return target;
  }

  @Override
  public void writeAtomically(CloseableIterator<String> data, boolean overwrite)
      throws IOException {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    try (data) {
      while (data.hasNext()) {
        content.write(data.next().getBytes(StandardCharsets.UTF_8));
        content.write('\n');
      }
    }
    if (overwrite) {
      // Another writer's checksum of the old content would make its readers refuse the new one.
      int name = target.lastIndexOf('/') + 1;
      storage.delete(target.substring(0, name) + "." + target.substring(name) + ".crc");
      storage.replace(target, content.toByteArray());
    } else {
      publish(content.toByteArray());
    }
  }

  private void publish(byte[] content) throws IOException {
    if (!storage.putIfAbsent(target, content)) {
      throw new FileAlreadyExistsException(target);
    }
  }

  @Override
  public PositionOutputStream create(boolean atomicWrite) {
    return new PublishingStream();
  }

  /* A checkpoint is held in memory, as Kernel holds the table's files to write it. */
  private final class PublishingStream extends PositionOutputStream {

    private static final int MAGIC_LENGTH = 4;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private boolean closed;

    @Override
    public long getPos() {
      return content.size();
    }

    @Override
    public void write(int b) {
      content.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      content.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      byte[] bytes = content.toByteArray();
      // A Parquet writer that failed closes its stream too; what it leaves has no footer.
      byte[] end =
          Arrays.copyOfRange(bytes, Math.max(0, bytes.length - MAGIC_LENGTH), bytes.length);
      if (!Arrays.equals(end, "PAR1".getBytes(StandardCharsets.US_ASCII))
          || bytes.length <= MAGIC_LENGTH) {
        throw new IOException("Checkpoint must be written to its end: \"" + target + "\".");
      }
      publish(bytes);
    }
  }
}
