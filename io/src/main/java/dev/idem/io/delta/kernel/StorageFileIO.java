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
import dev.idem.io.file.StoredFile;
import io.delta.kernel.defaults.engine.fileio.FileIO;
import io.delta.kernel.defaults.engine.fileio.InputFile;
import io.delta.kernel.defaults.engine.fileio.OutputFile;
import io.delta.kernel.defaults.engine.fileio.SeekableInputStream;
import io.delta.kernel.defaults.engine.hadoopio.HadoopInputFile;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/*
 * Kernel's own access to file:// loses commits: it looks whether a version exists and then renames
 * over it. Here every new file, checkpoints too, is published: under a name that is free, whole, and
 * such that a power loss cannot leave half of one.
 */
/** File access for Delta Kernel: put-if-absent, whole files only, forced. */
final class StorageFileIO implements FileIO {

  private final Storage storage;
  private final LogListing listing;
  private final Configuration configuration;

  StorageFileIO(Storage storage, Configuration configuration) {
    this.storage = storage;
    this.listing = new LogListing(storage);
    this.configuration = configuration;
  }

  @Override
  public CloseableIterator<FileStatus> listFrom(String filePath) throws IOException {
    int name = filePath.lastIndexOf('/') + 1;
    String directory = filePath.substring(0, name);
    List<StoredFile> files = listing.list(directory, filePath.substring(name));
    if (files.isEmpty() && storage.find(directory).isEmpty()) {
      throw new FileNotFoundException(directory);
    }
    return Utils.toCloseableIterator(
        files.stream().map(file -> status(storage.path(directory + file.name()), file)).iterator());
  }

  @Override
  public FileStatus getFileStatus(String name) throws IOException {
    return status(
        storage.path(name),
        storage.find(name).orElseThrow(() -> new FileNotFoundException(storage.path(name))));
  }

  private static FileStatus status(String path, StoredFile file) {
    return FileStatus.of(path, file.size(), file.modified());
  }

  @Override
  public String resolvePath(String name) {
    return storage.path(name);
  }

  @Override
  public boolean mkdirs(String name) throws IOException {
    storage.createDirectories(name);
    return true;
  }

  @Override
  public InputFile newInputFile(String name, long fileSize) {
    return new StorageInputFile(storage, name, fileSize, configuration);
  }

  @Override
  public OutputFile newOutputFile(String name) {
    return new StorageOutputFile(storage, storage.path(name));
  }

  @Override
  public boolean delete(String name) throws IOException {
    return storage.delete(name);
  }

  @Override
  public Optional<String> getConf(String key) {
    return Optional.ofNullable(configuration.get(key));
  }

  @Override
  public void copyFileAtomically(String source, String target, boolean overwrite)
      throws IOException {
    byte[] content = storage.read(source);
    if (overwrite) {
      storage.replace(target, content);
    } else if (!storage.putIfAbsent(target, content)) {
      throw new FileAlreadyExistsException(target);
    }
  }

  /* Kernel builds a Hadoop configuration a file, from the class path, for every other input file. */
  private static final class StorageInputFile extends HadoopInputFile {

    private final Storage storage;
    private final String name;
    private final long size;
    private final Configuration configuration;

    StorageInputFile(Storage storage, String name, long size, Configuration configuration) {
      super(null, new Path(storage.path(name)), size);
      this.storage = storage;
      this.name = name;
      this.size = size;
      this.configuration = configuration;
    }

    @Override
    public Configuration configuration() {
      return configuration;
    }

    @Override
    public long length() throws IOException {
      return size > 0
          ? size
          : storage.find(name).orElseThrow(() -> new FileNotFoundException(path())).size();
    }

    @Override
    public SeekableInputStream newStream() throws IOException {
      try {
        return new ChannelStream(storage.open(name));
      } catch (NoSuchFileException e) {
        FileNotFoundException exception = new FileNotFoundException(path());
        exception.initCause(e);
        throw exception;
      }
    }
  }

  private static final class ChannelStream extends SeekableInputStream {

    private static final int BUFFER = 64 * 1024;
    private final SeekableByteChannel channel;
    private InputStream buffered;
    private long position;

    ChannelStream(SeekableByteChannel channel) {
      this.channel = channel;
      this.buffered = stream();
    }

    private InputStream stream() {
      return new BufferedInputStream(Channels.newInputStream(channel), BUFFER);
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void seek(long newPosition) throws IOException {
      channel.position(newPosition);
      buffered = stream();
      position = newPosition;
    }

    @Override
    public int read() throws IOException {
      int next = buffered.read();
      if (next >= 0) {
        position++;
      }
      return next;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int count = buffered.read(bytes, offset, length);
      if (count > 0) {
        position += count;
      }
      return count;
    }

    @Override
    public void readFully(byte[] bytes, int offset, int length) throws IOException {
      int done = 0;
      while (done < length) {
        int count = read(bytes, offset + done, length - done);
        if (count < 0) {
          throw new EOFException(
              "File ended after " + done + " of " + length + " bytes at " + (position - done));
        }
        done += count;
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
