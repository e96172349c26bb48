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

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/*
 * Whatever a publication that failed has done, its name is looked at before the failure is passed
 * on: a client that repeats a request whose answer was lost is told that the name is taken, by what
 * it wrote itself.
 */
/** A directory of a Hadoop file system; how it publishes files depends on its scheme. */
final class HadoopStorage implements Storage {

  private static final Pattern ABSOLUTE = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:/.*");

  private final FileSystem files;
  private final String root;
  private final Publication publication;

  HadoopStorage(FileSystem files, String root, Publication publication) {
    this.files = files;
    this.root = root;
    this.publication = publication;
  }

  static HadoopStorage of(Path root, Map<String, String> configuration) {
    URI location = root.toUri();
    return new HadoopStorage(
        HadoopFiles.of(location, configuration),
        root.toString(),
        Publication.of(location.getScheme()).orElseThrow());
  }

  @Override
  public String path(String name) {
    return resolve(name).toString();
  }

  @Override
  public void createDirectories(String name) throws IOException {
    if (publication.hasDirectories() && !files.mkdirs(resolve(name))) {
      throw new IOException("Directory must be created, but was not: \"" + path(name) + "\".");
    }
  }

  @Override
  public boolean putIfAbsent(String name, byte[] bytes) throws IOException {
    Path target = resolve(name);
    try {
      return publication.publish(files, target, bytes);
    } catch (IOException e) {
      Optional<byte[]> found = left(target, e);
      if (found.isEmpty()) {
        throw e;
      }
      return Arrays.equals(found.get(), bytes);
    }
  }

  private Optional<byte[]> left(Path target, IOException failure) throws IOException {
    try {
      return Optional.of(read(target));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      failure.addSuppressed(e);
      throw failure;
    }
  }

  @Override
  public void replace(String name, byte[] bytes) throws IOException {
    publication.replace(files, resolve(name), bytes);
  }

  @Override
  public void overwrite(String name, byte[] bytes) throws IOException {
    replace(name, bytes);
  }

  @Override
  public OutputStream create(String name) throws IOException {
    return publication.create(files, resolve(name));
  }

  /** Does nothing: a file is forced by closing it. */
  @Override
  public void forceFile(String name) {}

  /** Does nothing: names are kept by a journal or come with the file. */
  @Override
  public void forceDirectory(String name) {}

  @Override
  public byte[] read(String name) throws IOException {
    return read(resolve(name));
  }

  private byte[] read(Path file) throws IOException {
    try (FSDataInputStream in = files.open(file)) {
      return in.readAllBytes();
    } catch (FileNotFoundException e) {
      throw absent(file, e);
    }
  }

  @Override
  public SeekableByteChannel open(String name) throws IOException {
    Path file = resolve(name);
    try {
      return new InputChannel(files.open(file), file);
    } catch (FileNotFoundException e) {
      throw absent(file, e);
    }
  }

  private static NoSuchFileException absent(Path file, FileNotFoundException cause) {
    NoSuchFileException exception = new NoSuchFileException(file.toString());
    exception.initCause(cause);
    return exception;
  }

  @Override
  public Optional<StoredFile> find(String name) throws IOException {
    try {
      return Optional.of(stored(files.getFileStatus(resolve(name))));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
  }

  private static StoredFile stored(FileStatus status) {
    return new StoredFile(
        status.getPath().getName(),
        status.isDirectory(),
        status.getLen(),
        status.getModificationTime());
  }

  @Override
  public List<String> names(String directory) throws IOException {
    return list(directory, "").stream().map(StoredFile::name).toList();
  }

  @Override
  public List<StoredFile> list(String directory, String from) throws IOException {
    List<StoredFile> found = new ArrayList<>();
    try {
      for (FileStatus status : files.listStatus(resolve(directory))) {
        if (status.getPath().getName().compareTo(from) >= 0) {
          found.add(stored(status));
        }
      }
    } catch (FileNotFoundException e) {
      return List.of();
    }
    found.sort(Comparator.comparing(StoredFile::name));
    return found;
  }

  @Override
  public boolean delete(String name) throws IOException {
    return files.delete(resolve(name), false);
  }

  /** Copies file by file, since not every file system renames a directory in one step. */
  @Override
  public void move(String name, String to) throws IOException {
    Optional<StoredFile> found = find(name);
    if (found.isEmpty()) {
      return;
    }
    if (found.get().directory()) {
      createDirectories(to);
      for (String each : names(name)) {
        move(name + "/" + each, to + "/" + each);
      }
    } else {
      replace(to, read(name));
    }
    delete(name);
  }

  @Override
  public Optional<java.nio.file.Path> local(String name) {
    return Optional.empty();
  }

  private Path resolve(String name) {
    if (ABSOLUTE.matcher(name).matches()) {
      return new Path(name);
    }
    return new Path(name.isEmpty() ? root : root + "/" + name);
  }

  /** Reads a file of known length as what the JDK takes for a file. */
  private final class InputChannel implements SeekableByteChannel {

    private static final int CHUNK = 64 * 1024;

    private final FSDataInputStream in;
    private final Path file;
    private boolean open = true;

    InputChannel(FSDataInputStream in, Path file) {
      this.in = in;
      this.file = file;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
      byte[] bytes = new byte[Math.min(into.remaining(), CHUNK)];
      int count = in.read(bytes, 0, bytes.length);
      if (count > 0) {
        into.put(bytes, 0, count);
      }
      return count;
    }

    @Override
    public long position() throws IOException {
      return in.getPos();
    }

    @Override
    public SeekableByteChannel position(long position) throws IOException {
      in.seek(position);
      return this;
    }

    @Override
    public long size() throws IOException {
      return files.getFileStatus(file).getLen();
    }

    @Override
    public int write(ByteBuffer from) {
      throw new NonWritableChannelException();
    }

    @Override
    public SeekableByteChannel truncate(long size) {
      throw new NonWritableChannelException();
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public void close() throws IOException {
      open = false;
      in.close();
    }
  }
}
