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

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A directory of a local disk; see {@link DurableFiles}. */
final class LocalStorage implements Storage {

  private static final String SCHEME = "file:";

  private final Path root;

  LocalStorage(Path root) {
    this.root = root;
  }

  @Override
  public String path(String name) {
    return resolve(name).toString();
  }

  @Override
  public void createDirectories(String name) throws IOException {
    DurableFiles.createDirectories(resolve(name));
  }

  @Override
  public boolean putIfAbsent(String name, byte[] bytes) throws IOException {
    return DurableFiles.putIfAbsent(resolve(name), bytes);
  }

  @Override
  public void replace(String name, byte[] bytes) throws IOException {
    DurableFiles.replace(resolve(name), bytes);
  }

  @Override
  public void overwrite(String name, byte[] bytes) throws IOException {
    DurableFiles.overwrite(resolve(name), bytes);
  }

  @Override
  public OutputStream create(String name) throws IOException {
    return DurableFiles.create(resolve(name));
  }

  @Override
  public void forceFile(String name) throws IOException {
    DurableFiles.forceFile(resolve(name));
  }

  @Override
  public void forceDirectory(String name) throws IOException {
    DurableFiles.forceDirectory(resolve(name));
  }

  @Override
  public byte[] read(String name) throws IOException {
    return DurableFiles.read(resolve(name));
  }

  @Override
  public SeekableByteChannel open(String name) throws IOException {
    return FileChannel.open(resolve(name), StandardOpenOption.READ);
  }

  @Override
  public Optional<StoredFile> find(String name) throws IOException {
    return find(resolve(name));
  }

  private static Optional<StoredFile> find(Path file) throws IOException {
    BasicFileAttributes found;
    try {
      found = Files.readAttributes(file, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    return Optional.of(
        new StoredFile(
            file.getFileName().toString(),
            found.isDirectory(),
            found.size(),
            found.lastModifiedTime().toMillis()));
  }

  @Override
  public List<String> names(String directory) throws IOException {
    return DurableFiles.list(resolve(directory));
  }

  @Override
  public List<StoredFile> list(String directory, String from) throws IOException {
    Path parent = resolve(directory);
    List<StoredFile> files = new ArrayList<>();
    for (String name : DurableFiles.list(parent)) {
      if (name.compareTo(from) >= 0) {
        // None of what was removed since it was listed, as temporary files are.
        find(parent.resolve(name)).ifPresent(files::add);
      }
    }
    return files;
  }

  @Override
  public boolean delete(String name) throws IOException {
    return DurableFiles.delete(resolve(name));
  }

  @Override
  public void move(String name, String to) throws IOException {
    Path from = resolve(name);
    if (Files.exists(from)) {
      DurableFiles.rename(from, resolve(to));
    }
  }

  @Override
  public Optional<Path> local(String name) {
    return Optional.of(resolve(name));
  }

  /** Delta Kernel names files with a scheme, followed by any number of slashes, or without. */
  private Path resolve(String name) {
    if (!name.startsWith(SCHEME)) {
      return root.resolve(name);
    }
    return Path.of("/" + name.substring(SCHEME.length()).replaceFirst("^/+", ""));
  }
}
