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

import dev.idem.io.file.DurableFiles;
import io.delta.kernel.defaults.engine.fileio.FileIO;
import io.delta.kernel.defaults.engine.fileio.InputFile;
import io.delta.kernel.defaults.engine.fileio.OutputFile;
import io.delta.kernel.defaults.engine.fileio.SeekableInputStream;
import io.delta.kernel.defaults.engine.hadoopio.HadoopInputFile;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/*
 * Kernel's own access to file:// loses commits: it looks whether a version exists and then renames
 * over it. Here every new file is written aside, forced and hard-linked under its name, which fails
 * if the name is taken; checkpoints go the same way, so a power loss cannot leave half of one. No
 * Hadoop file system is involved, hence no .crc files and no child processes.
 */
/** File access on local disks for Delta Kernel: put-if-absent, whole files only, forced. */
final class LocalFileIO implements FileIO {

  private final Configuration configuration;

  LocalFileIO(Configuration configuration) {
    this.configuration = configuration;
  }

  /** Returns the local path behind a name that Kernel uses, with or without a scheme. */
  static Path path(String name) {
    if (!name.startsWith("file:")) {
      return Path.of(name);
    }
    String path = name.substring("file:".length());
    int start = 0;
    while (start + 1 < path.length() && path.charAt(start + 1) == '/') {
      start++;
    }
    return Path.of(path.substring(start));
  }

  @Override
  public CloseableIterator<FileStatus> listFrom(String filePath) throws IOException {
    Path from = path(filePath);
    Path directory = from.getParent();
    String first = from.getFileName().toString();
    List<Path> files;
    try (Stream<Path> entries = Files.list(directory)) {
      files =
          entries
              .filter(p -> p.getFileName().toString().compareTo(first) >= 0)
              .sorted(Comparator.comparing(p -> p.getFileName().toString()))
              .toList();
    } catch (NoSuchFileException e) {
      throw notFound(directory, e);
    }
    Iterator<Path> iterator = files.iterator();
    return new CloseableIterator<>() {
      private FileStatus next;

      @Override
      public boolean hasNext() {
        while (next == null && iterator.hasNext()) {
          Path file = iterator.next();
          try {
            next = status(file);
          } catch (NoSuchFileException e) {
            // Removed since it was listed, as temporary files are.
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        }
        return next != null;
      }

      @Override
      public FileStatus next() {
        if (!hasNext()) {
          throw new java.util.NoSuchElementException();
        }
        FileStatus result = next;
        next = null;
        return result;
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public FileStatus getFileStatus(String name) throws IOException {
    Path file = path(name);
    try {
      return status(file);
    } catch (NoSuchFileException e) {
      throw notFound(file, e);
    }
  }

  private static FileStatus status(Path file) throws IOException {
    return FileStatus.of(
        file.toString(), Files.size(file), Files.getLastModifiedTime(file).toMillis());
  }

  private static FileNotFoundException notFound(Path file, NoSuchFileException cause) {
    FileNotFoundException exception = new FileNotFoundException(file.toString());
    exception.initCause(cause);
    return exception;
  }

  @Override
  public String resolvePath(String name) {
    return path(name).toAbsolutePath().normalize().toString();
  }

  @Override
  public boolean mkdirs(String name) throws IOException {
    DurableFiles.createDirectories(path(name));
    return true;
  }

  @Override
  public InputFile newInputFile(String name, long fileSize) {
    return new LocalInputFile(path(name), fileSize, configuration);
  }

  @Override
  public OutputFile newOutputFile(String name) {
    return new LocalOutputFile(path(name));
  }

  @Override
  public boolean delete(String name) throws IOException {
    return Files.deleteIfExists(path(name));
  }

  @Override
  public Optional<String> getConf(String key) {
    return Optional.ofNullable(configuration.get(key));
  }

  @Override
  public void copyFileAtomically(String source, String target, boolean overwrite)
      throws IOException {
    byte[] content = Files.readAllBytes(path(source));
    if (overwrite) {
      DurableFiles.replace(path(target), content);
    } else if (!DurableFiles.putIfAbsent(path(target), content)) {
      throw new FileAlreadyExistsException(target);
    }
  }

  /* Kernel builds a Hadoop configuration a file, from the class path, for every other input file. */
  private static final class LocalInputFile extends HadoopInputFile {

    private final Path file;
    private final long size;
    private final Configuration configuration;

    LocalInputFile(Path file, long size, Configuration configuration) {
      super(null, new org.apache.hadoop.fs.Path(file.toString()), size);
      this.file = file;
      this.size = size;
      this.configuration = configuration;
    }

    @Override
    public Configuration configuration() {
      return configuration;
    }

    @Override
    public long length() throws IOException {
      return size > 0 ? size : Files.size(file);
    }

    @Override
    public SeekableInputStream newStream() throws IOException {
      try {
        return new ChannelStream(FileChannel.open(file, StandardOpenOption.READ));
      } catch (NoSuchFileException e) {
        throw notFound(file, e);
      }
    }
  }

  private static final class ChannelStream extends SeekableInputStream {

    private static final int BUFFER = 64 * 1024;
    private final FileChannel channel;
    private InputStream buffered;
    private long position;

    ChannelStream(FileChannel channel) {
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
